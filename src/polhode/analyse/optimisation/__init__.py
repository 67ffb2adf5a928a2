"""The best motion: goals, variables, and the search."""
