"""Equations of trees by walks along them: the number of steps grows with the bodies."""
