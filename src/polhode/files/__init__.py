"""Models in files: TOML that people write, and URDF that robots come in."""
