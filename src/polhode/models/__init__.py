"""Textbook systems, one a file, written with public names only."""
