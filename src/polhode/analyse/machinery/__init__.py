"""What the answers are computed with."""
