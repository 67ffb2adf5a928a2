"""Frames, points and bodies in motion: velocities, accelerations, who sees them."""
