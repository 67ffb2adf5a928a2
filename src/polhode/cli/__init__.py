"""The command `polhode`: words, tables and pictures, one command a file."""

from polhode.cli.main import main

__all__ = ["main"]
