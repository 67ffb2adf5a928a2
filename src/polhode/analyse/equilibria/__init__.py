"""Equilibria and steady motions: where they are, how they change, whether they hold."""
