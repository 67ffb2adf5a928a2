"""Integration methods, one a file, and their registry."""
