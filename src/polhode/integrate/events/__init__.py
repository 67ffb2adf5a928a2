"""Events: their functions, where they are located, what follows."""
