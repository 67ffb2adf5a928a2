"""One motion as one HTML page."""
