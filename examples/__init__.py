"""Programs to start from. Each runs as it is: without a key it talks to a scripted model on this machine."""
