"""Small disturbances: linear systems, modes, margins."""
