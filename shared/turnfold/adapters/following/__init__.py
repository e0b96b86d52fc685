"""A session that follows a history which somebody else keeps."""
