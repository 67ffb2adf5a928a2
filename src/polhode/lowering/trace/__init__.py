"""All contact with JAX's traces."""
