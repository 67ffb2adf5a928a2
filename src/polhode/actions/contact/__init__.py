"""Compliant contact and friction: the laws, and what obeys them."""
