"""`Equations, State -> Trajectory`: one method a file, time in native chunks."""
