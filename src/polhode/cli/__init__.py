"""The command `polhode`."""

from polhode.cli.main import main

__all__ = ["main"]
