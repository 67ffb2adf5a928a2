"""Tyres and the road they run on."""
