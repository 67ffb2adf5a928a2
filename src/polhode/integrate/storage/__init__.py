"""Motions on disk: written as they run, read back, resumed."""
