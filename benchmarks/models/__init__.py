"""The functions that are timed: plain `jax.numpy`, written as one would naively."""
