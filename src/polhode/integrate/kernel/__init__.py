"""The compiled loop: its state, its status, the size of its steps, how it ends."""
