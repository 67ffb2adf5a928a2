"""Linear equations of motion, dense, banded and sparse."""
