"""Curves, tables of results and matrices as pictures."""
