"""Explicit methods of Runge and Kutta's kind on the group of motions."""
