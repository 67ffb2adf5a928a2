"""Control: laws from time and state to the inputs of a system."""
