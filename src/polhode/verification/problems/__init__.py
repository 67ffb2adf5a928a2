"""The problems, a chapter a file."""
