"""Inputs of a run: laws, sampled controllers, noise."""
