"""The assembled model: its tree, its state, its functions, and its validity."""
