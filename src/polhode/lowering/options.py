"""What a caller may choose about a program, besides what it computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from polhode.errors import CompileError
from polhode.lowering.ir.fold import MODES
from polhode.lowering.ir.program import UNROLL_AT_MOST

BACKENDS = ("auto", "llvm", "cuda", "xla")


@dataclass(frozen=True)
class Choices:
    """The options of `compile`, checked."""

    backend: str = "auto"
    vary: Any = True
    batched: Any = False
    fold: str = "zeros"
    threads: int | None = None
    lanes: int | None = None
    unroll: int | None = None

    def __post_init__(self) -> None:
        _check_choice("backend", self.backend, BACKENDS)
        _check_choice("fold", self.fold, MODES)
        for word, least in (("threads", 1), ("lanes", 1), ("unroll", 0)):
            _check_number(word, getattr(self, word), least)

    @property
    def unroll_at_most(self) -> int:
        """Operations up to which a loop of known length becomes straight code."""
        return UNROLL_AT_MOST if self.unroll is None else self.unroll


def _check_choice(word: str, value: Any, choices: Sequence[str]) -> None:
    if value not in choices:
        listed = ", ".join(f"'{c}'" for c in choices)
        raise CompileError(f"`{word}` is {value!r}, not one of {listed}.")


def _check_number(word: str, value: Any, least: int) -> None:
    if value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise CompileError(
            f"`{word}` is {value!r}, not a whole number of at least {least}."
        )
