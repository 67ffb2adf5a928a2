"""Linear systems by inputs and outputs: x' = A x + B u, y = C x + D u.

H(i W) = C (i W - A)^-1 B + D        the response to u = exp(i W t)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.answer_table import Answer, AnswerTable, number
from polhode.arrays import Scalar
from polhode.errors import AnalysisError
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.analyse.linear.feedback_margins import FeedbackMargins

ROOT = ("s, 1/s", "|s|, rad/s", "|s|, Hz", "damping")  # what is told of a root
ROUNDED = 1e-13  # of the largest pole: a root at zero, printed so
RESONANT = 1e-11  # a frequency that is an eigenvalue's, of the largest eigenvalue


@final
@dataclass(frozen=True, eq=False, repr=False)
class StateSpace(Answer):
    """A (n, n), B (n, k), C (o, n), D (o, k), and what each entry is called."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def response(self, frequencies: Any = None) -> Response:
        """H(i W) at angular frequencies W (w,), rad/s.

        Without any, they go from a tenth of the slowest pole to ten times the fastest,
        closer together near each pole.
        """
        if frequencies is None:
            frequencies = frequencies_about(np.linalg.eigvals(self.A))
        W = np.atleast_1d(np.asarray(frequencies, float))
        if W.ndim > 1:
            raise AnalysisError(
                f"a response cannot be asked at frequencies of shape {W.shape}.",
                "They are one row of angular frequencies, in rad/s.",
                "Give a list of them.",
            )
        _require_no_resonance(self, W)
        n = len(self.A)
        found = [
            self.C @ np.linalg.solve(1j * w * np.eye(n) - self.A, self.B) + self.D
            for w in W
        ]
        values = np.array(found).reshape(len(W), len(self.outputs), len(self.inputs))
        return Response(W, values, self.inputs, self.outputs)

    def transfer(self, output: str, input: str) -> Transfer:
        """The transfer function from an input to an output, by zeros and poles."""
        from scipy.linalg import eigvals

        k = _place(input, self.inputs, "input")
        o = _place(output, self.outputs, "output")
        A, b = self.A, self.B[:, k : k + 1]
        c, d = self.C[o : o + 1], self.D[o : o + 1, k : k + 1]
        n = len(A)
        pencil = np.block([[A, b], [c, d]])
        weight = np.diag([1.0] * n + [0.0])
        zeros = eigvals(pencil, weight)
        poles = np.linalg.eigvals(A)
        largest = np.max(np.abs(poles), initial=1.0)
        zeros = zeros[np.isfinite(zeros) & (np.abs(zeros) < 1e6 * largest)]
        at = 1.3 * largest + 0.7j * largest  # neither a pole nor a zero
        H = (c @ np.linalg.solve(at * np.eye(n) - A, b) + d)[0, 0]
        gain = H * np.prod(at - poles) / np.prod(at - zeros)
        return Transfer(zeros, poles, float(gain.real))

    def margins(self, output: str, input: str) -> FeedbackMargins:
        """How far a loop from an output to an input, u = -y, is from its edge."""
        from polhode.analyse.linear.feedback_margins import feedback_margins

        return feedback_margins(self, output, input)

    def to_scipy(self) -> Any:
        """`scipy.signal.StateSpace` of the same matrices."""
        from scipy.signal import StateSpace as Scipy

        return Scipy(self.A, self.B, self.C, self.D)

    def to_control(self) -> Any:
        """`control.ss` of the same matrices, with the names (python-control)."""
        try:
            import control  # type: ignore[import-not-found,import-untyped,unused-ignore]
        except ImportError as reason:
            raise AnalysisError(
                "python-control is not installed.",
                "The requested object is one of its own.",
                "Install it: pip install control; or use to_scipy().",
            ) from reason
        return control.ss(
            *(self.A, self.B, self.C, self.D),
            states=list(self.states),
            inputs=list(self.inputs),
            outputs=list(self.outputs),
        )

    def plot(self) -> Any:
        """The poles in the plane: a `Picture`."""
        from polhode.show.plots.answers import spectrum_picture

        return spectrum_picture(np.linalg.eigvals(self.A), "poles")

    def __repr__(self) -> str:
        sizes = f"{len(self.A)} states, {len(self.inputs)} inputs"
        return f"StateSpace({sizes}, {len(self.outputs)} outputs)"

    def as_table(self) -> AnswerTable:
        """What is printed."""
        names = [*(f"{n}'" for n in self.states), *(f"{n} =" for n in self.outputs)]
        whole = np.block([[self.A, self.B], [self.C, self.D]])
        rows = [
            (name, *(f"{x + 0.0:.5g}" for x in row))
            for name, row in zip(names, whole, strict=True)
        ]
        return AnswerTable(repr(self), ("", *self.states, *self.inputs), rows)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Response(Answer):
    """Frequency response: values (w, o, k) at frequencies (w,), rad/s.

    y = Re(value exp(i W t)) is the steady answer to the input cos(W t).
    """

    frequencies: np.ndarray
    values: np.ndarray
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def of(self, output: str, input: str | None = None) -> np.ndarray:
        """One entry (w,), complex; the input may be left out where there is one."""
        if input is None and len(self.inputs) == 1:
            input = self.inputs[0]
        k = _place(input or "", self.inputs, "input")
        return self.values[:, _place(output, self.outputs, "output"), k]

    def ratio(self, output: str, other: str, input: str | None = None) -> np.ndarray:
        """One output over another (w,): transmissibility, whatever drives both."""
        return self.of(output, input) / self.of(other, input)

    def plot(self) -> Any:
        """Gain and phase over frequency, Bode's diagram: a `Picture`."""
        from polhode.show.plots.frequency import response_picture

        return response_picture(self)

    def nyquist(self) -> Any:
        """H(i W) in the plane with its mirror image, Nyquist's diagram: a `Picture`."""
        from polhode.show.plots.frequency import nyquist_picture

        return nyquist_picture(self)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        pairs = [f"{o} by {k}" for o in self.outputs for k in self.inputs]
        rows = [
            (
                f"{w:.6g}",
                *(f"{abs(v):.6g} at {np.angle(v, deg=True):.2f} deg" for v in row.flat),
            )
            for w, row in zip(self.frequencies, self.values, strict=True)
        ]
        return AnswerTable("Frequency response", ("W [rad/s]", *pairs), rows)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Transfer(Answer):
    """gain * product(s - zeros) / product(s - poles)."""

    zeros: np.ndarray
    poles: np.ndarray
    gain: float

    def __call__(self, s: Scalar) -> Any:
        """The value at a complex frequency s, 1/s."""
        s = np.asarray(s, complex)[..., None]
        return self.gain * np.prod(s - self.zeros, -1) / np.prod(s - self.poles, -1)

    @property
    def still(self) -> float:
        """H(0): the answer to a steady input; infinite where a pole is there."""
        if np.any(np.abs(self.poles) <= RESONANT * np.max(np.abs(self.poles))):
            return float("inf")
        return float(np.real(self(0.0)))

    @property
    def roots(self) -> list[tuple[str, complex]]:
        """All poles, then all zeros, each with its word, the slowest first."""
        kinds = (("pole", self.poles), ("zero", self.zeros))
        least = ROUNDED * np.max(np.abs(self.poles), initial=0.0)
        return [
            (word, complex(s) if abs(s) > least else 0j)
            for word, values in kinds
            for s in sorted(values, key=lambda s: (abs(s), -s.imag))
        ]

    def plot(self) -> Any:
        """Poles as crosses and zeros as rings: a `Picture`."""
        from polhode.show.plots.answers import transfer_picture

        return transfer_picture(self)

    @property
    def polynomials(self) -> tuple[np.ndarray, np.ndarray]:
        """Numerator and denominator, highest power first."""
        above = self.gain * np.real(np.poly(self.zeros))
        return above, np.real(np.poly(self.poles))

    def as_table(self) -> AnswerTable:
        """What is printed."""
        counts = f"{len(self.poles)} poles, {len(self.zeros)} zeros"
        title = f"Transfer({counts}; gain {self.gain:.6g}, H(0) {self.still:.6g})"
        rows = [(word, *root_numbers(s)) for word, s in self.roots]
        return AnswerTable(title, ("", *ROOT), rows)


def root_numbers(s: complex) -> tuple[str, ...]:
    """As it is printed: s, its size in rad/s and in Hz, and its damping -Re(s)/|s|."""
    w = abs(s)
    damping = -s.real / w if w else 0.0
    sizes = number(s, w), number(w, w), number(w / (2 * np.pi), w)
    return (*sizes, number(damping))


def _place(name: str, names: tuple[str, ...], word: str) -> int:
    if name not in names:
        raise AnalysisError(
            f"the linear system has no {word} {name!r}.",
            f"Its {word}s are {', '.join(names) or 'none'}.",
            suggestion(name, names) if names else f"Give linearise(..., {word}s=...).",
        )
    return names.index(name)


def frequencies_about(poles: np.ndarray) -> np.ndarray:
    """Evenly in the logarithm over all poles, and eight times as close near each."""
    sizes = np.abs(poles)
    fastest = float(np.max(sizes, initial=0.0)) or 1.0
    sizes = sizes[sizes > ROUNDED * fastest]
    slowest = float(np.min(sizes, initial=fastest))
    even = np.geomspace(slowest / 10, 10 * fastest, 400)
    near = [w * np.geomspace(0.97, 1.03, 60) for w in np.unique(sizes.round(12))]
    return np.unique(np.concatenate([even, *near]))


def _require_no_resonance(system: StateSpace, W: np.ndarray) -> None:
    values = np.linalg.eigvals(system.A)
    largest = np.max(np.abs(values), initial=0.0)
    for w in W:
        gap = np.min(np.abs(1j * w - values), initial=np.inf)
        if gap <= RESONANT * largest:
            raise AnalysisError(
                f"there is no steady answer at {w:.10g} rad/s.",
                "It is a frequency of the system that nothing damps: driven there, it"
                " swings wider and wider, in proportion to time.",
                "Ask beside it, or give the system damping.",
            )
