"""Errors and warnings end at the user's own line: inner frames are left out.

A refusal says who, what, why and how to repair; the way through the library to the
place where it was found says nothing to its reader. Only what Python or IPython prints
of an uncaught `PolhodeError` is shortened: the exception keeps its whole traceback, for
debuggers and for `traceback.print_exc`. With POLHODE_TRACEBACK=full all is printed.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from polhode.errors import PolhodeError

if TYPE_CHECKING:
    from traceback import TracebackException
    from types import FrameType, TracebackType

ROOT = os.path.dirname(__file__) + os.sep


def shortened(error: BaseException) -> str:
    """What is printed of an error: the user's own frames, then the words.

    >>> from polhode.errors import ModelError
    >>> print(shortened(ModelError("no.", "Why.", "Repair.")), end="")
    polhode.errors.ModelError: no.
    <BLANKLINE>
      Why.
    <BLANKLINE>
      Repair.
    """
    import traceback

    report = traceback.TracebackException.from_exception(error, compact=True)
    _shorten(report)
    return "".join(report.format())


def _shorten(report: TracebackException) -> None:
    own = [frame for frame in report.stack if not _is_inner(frame.filename)]
    report.stack[:] = own
    for other in (report.__cause__, report.__context__):
        if other is not None:
            _shorten(other)


def _is_inner(filename: str) -> bool:
    """Whether a frame is of this package, or of JAX beneath it."""
    parts = filename.split(os.sep)
    return filename.startswith(ROOT) or "jax" in parts or "jaxlib" in parts


def warn(words: str | Warning, category: type[Warning] | None = None) -> None:
    """Warn, at the line of whoever called the library."""
    import warnings

    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _is_inside(frame):
        level, frame = level + 1, frame.f_back
    warnings.warn(words, category, stacklevel=level + 1)


def _is_inside(frame: FrameType) -> bool:
    """By the module, for constructors of data classes are in no file."""
    module = frame.f_globals.get("__name__", "").partition(".")[0]
    return module in ("polhode", "jax", "jaxlib", "contextlib", "functools")


def install() -> None:
    """Let uncaught refusals be printed short, in scripts and in IPython."""
    if os.environ.get("POLHODE_TRACEBACK", "") == "full":
        return
    before = sys.excepthook

    def hook(
        kind: type[BaseException], error: BaseException, frames: TracebackType | None
    ) -> None:
        if isinstance(error, PolhodeError):
            sys.stderr.write(shortened(error))
        else:
            before(kind, error, frames)

    sys.excepthook = hook
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None:
        shell.set_custom_exc((PolhodeError,), _in_ipython)


def _in_ipython(
    shell: Any, kind: Any, error: Any, frames: Any, tb_offset: Any = None
) -> None:
    sys.stderr.write(shortened(error))
