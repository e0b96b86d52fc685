"""What of an agent is kept in Redis, opened by address: built from the settings, as the API and the workers are."""
