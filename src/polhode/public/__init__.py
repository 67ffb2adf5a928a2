"""How public names are loaded and called."""
