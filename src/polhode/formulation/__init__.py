"""`System -> Equations`, one formulation a file."""
