"""The scalar program: its graph, and what is done to it before code is written."""
