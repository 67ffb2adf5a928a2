"""What compiles the programs of a run: native code, or XLA around native equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from polhode.errors import FallbackWarning
from polhode.lowering.native_jax import native
from polhode.system.rolled.size import is_rolled
from polhode.tracebacks import warn

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.lowering.report import Report


def backend_of(equations: Equations) -> str:
    """What compiles the programs of a run.

    A program has an operation or more for each entry of a state. Of a large system XLA
    steps them in loops of its own, and calls the equations of motion in native code,
    which are written once for all who ask.
    """
    return "xla" if is_rolled(equations.system) else "auto"


def backend_on(place: str, equations: Equations) -> str:
    """The same for runs that a call wants made on a GPU ("cuda"), or here ("llvm")."""
    return "cuda" if place == "cuda" else backend_of(equations)


def stepped_part(
    equations: Equations, function: Callable[..., Any], word: str
) -> Callable[..., Any]:
    """The function; where XLA steps it, as native code for one system at a time."""
    if not is_rolled(equations.system):
        return function

    def made() -> Callable[..., Any]:
        def tell(report: Report) -> None:
            warn_of_xla(equations.system.name, report)

        return native(function, lanes=1, on_report=tell)

    return equations.remembered(("native", word), made)


def warn_of_xla(name: str, report: Report) -> None:
    """Say that the equations of a system have no native code, and which line is why."""
    repair = "Write that line with other functions of jax.numpy, or sample it"
    if "float32" in report.reason:
        # An array of jax.numpy made where jax_enable_x64 is off draws the time along.
        repair = "Make the arrays that it closes over with NumPy, in double precision"
    if report.backend == "xla":
        warn(
            f"{name!r} runs on XLA, often a hundred times slower than native code:"
            f" {report.reason}. {repair}.",
            FallbackWarning,
        )
