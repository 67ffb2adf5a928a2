"""Attacks on the product: faults made at random, counted with their failures."""
