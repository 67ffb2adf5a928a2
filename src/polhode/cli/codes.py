"""The exit codes of all commands; `polhode --help` lists them."""

from __future__ import annotations

WELL, BAD_NEWS, WORDS, REFUSED, FILES, INTERRUPTED = 0, 1, 2, 3, 4, 130
