"""Contacts of a run: their limits, and what their switches tell."""
