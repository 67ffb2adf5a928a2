"""How far a feedback loop is from the edge of its stability.

L(i W) = H(i W),  u = -y:      at the edge L = -1

gain margin    1/|L| where L is negative real
phase margin   180 deg + angle(L) where |L| = 1
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.answer_table import Answer, AnswerTable

if TYPE_CHECKING:
    from polhode.analyse.linear.state_space import StateSpace

HEADS = ("at W, rad/s", "margin", "")


@final
@dataclass(frozen=True, eq=False, repr=False)
class FeedbackMargins(Answer):
    """Margins of the loop u = -y.

    gains    (W, factor) pairs (k, 2): by which factor the gain may change to reach -1
    phases   (W, radians) pairs (m, 2): by how much the phase may lag to reach -1
    is_stable   whether the closed loop dies out
    """

    output: str
    input: str
    gains: np.ndarray
    phases: np.ndarray
    is_stable: bool

    @property
    def gain(self) -> float:
        """The factor nearest to one; infinite where none is."""
        factors = self.gains[:, 1]
        nearest = np.argsort(np.abs(np.log(factors)))
        return float(factors[nearest[0]]) if len(factors) else float("inf")

    @property
    def phase(self) -> float:
        """The least phase margin, rad; infinite where the gain is never one."""
        least = np.argsort(np.abs(self.phases[:, 1]))
        return float(self.phases[least[0], 1]) if len(least) else float("inf")

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """As they are printed: where, how much, and in decibels or degrees."""
        gains = [("gain", w, f, f"{20 * np.log10(f):.4g} dB") for w, f in self.gains]
        turns = [("phase", w, p, f"{np.degrees(p):.4g} deg") for w, p in self.phases]
        return [(n, f"{w:.6g}", f"{v:.6g}", word) for n, w, v, word in gains + turns]

    def plot(self) -> Any:
        """The margins as bars, in decibels and degrees: a `Picture`."""
        from polhode.show.plots.frequency import margins_picture

        return margins_picture(self)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        word = "stable" if self.is_stable else "unstable"
        head = f"FeedbackMargins({self.output} to {self.input}: closed, it is {word})"
        return AnswerTable(head, ("", *HEADS), self.rows)


def feedback_margins(system: StateSpace, output: str, input: str) -> FeedbackMargins:
    """All crossings of |L| = 1 and of the negative axis, refined between samples."""
    W = system.response().frequencies
    L = system.response(W).of(output, input)

    def at(w: float) -> complex:
        return complex(system.response([w]).of(output, input)[0])

    ones = _zeros(W, np.log(np.abs(L)), lambda w: np.log(abs(at(w))))
    turned = _zeros(W, L.imag, lambda w: at(w).imag)
    negative = [w for w in turned if at(w).real < 0]
    gains = np.array([(w, 1 / abs(at(w))) for w in negative]).reshape(-1, 2)
    phases = np.array([(w, _margin(at(w))) for w in ones]).reshape(-1, 2)
    k, o = system.inputs.index(input), system.outputs.index(output)
    b, c, d = system.B[:, [k]], system.C[[o]], float(system.D[o, k])
    closed = system.A - b @ c / (1 + d) if d != -1 else system.A
    is_stable = bool(np.all(np.linalg.eigvals(closed).real < 0))
    return FeedbackMargins(output, input, gains, phases, is_stable)


def _margin(value: complex) -> float:
    """180 degrees and the angle of L, within half a turn either way."""
    return float(np.angle(-value))


def _zeros(W: np.ndarray, values: np.ndarray, function: Any) -> list[float]:
    from scipy.optimize import brentq

    found = []
    for k in np.flatnonzero(values[:-1] * values[1:] < 0):
        low, high = function(W[k]), function(W[k + 1])
        if low * high < 0:
            found.append(float(brentq(function, W[k], W[k + 1])))
    return found
