"""`ph.linearise`: the equations of small disturbances of a state or a steady motion.

    M v' + (D + G) v + (K + N) p = B u
    x = [p; v],      x' = A x + B u,      y = C x + D u

Derivatives are exact. Coordinates are errors along the joints, turns about axes for
rotations, so that no orientation is singular; constraints leave a basis of what is
free, and p and v keep names of joints. About a motion, errors are taken from where the
motion is at that time. See `machinery/variations.py`,
`machinery/corotating.py` and `machinery/minimal_coordinates.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.analyse.linear.state_space import (
    Response,
    StateSpace,
    Transfer,
    frequencies_about,
)
from polhode.analyse.machinery.corotating import turned, turning_of, unsteadiness
from polhode.analyse.machinery.minimal_coordinates import (
    Reduced,
    independent_places,
    reduce,
)
from polhode.analyse.machinery.parts import Parts, parts_of
from polhode.analyse.machinery.ports import (
    admit_outputs,
    admit_ports,
    output_names,
    port_names,
    port_values,
)
from polhode.analyse.machinery.spectrum import Spectrum, spectrum_of
from polhode.analyse.machinery.variations import Variations, variations_of
from polhode.answer_table import Answer, AnswerTable
from polhode.errors import AnalysisError, ModelError, StateError
from polhode.formulation.equations import Equations
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.check import require_consistent
from polhode.system.state import State, require_layout
from polhode.system.system import System

if TYPE_CHECKING:
    from polhode.analyse.equilibria.stability import Stability
    from polhode.analyse.linear.feedback_margins import FeedbackMargins
    from polhode.analyse.linear.modes import Modes


@final
@dataclass(frozen=True, eq=False, repr=False)
class Linear(Answer):
    """A linear system about a state of a motion.

    coordinates  names of p (h,), those whose rates are v first
    speeds       names of v (f,); v is their rate
    parts        mass, damping, gyroscopic, stiffness and circulatory matrices
    matrices     A, B, C, D with their names
    whole        all of it before constraints are used: M, D, K, rows, multipliers
    unsteady     why the matrices change in time; "" about a rest or a steady motion
    turning      O (n, n): error coordinates turn with the motion, d = exp(O t) y
    """

    state: State
    table: Table
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    parts: Parts
    matrices: StateSpace
    reduced: Reduced
    whole: Variations
    unsteady: str
    turning: np.ndarray

    @property
    def system(self) -> System:
        """What is disturbed."""
        return self.state.system

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing moves in the reference."""
        return not np.any(self.state.z)

    @property
    def spectrum(self) -> Spectrum:
        """The eigenvalues of A."""
        self.require_steady("eigenvalues")
        A, found = self.matrices.A, self.reduced
        places = np.sqrt(np.diag(found.shape.T @ self.whole.mass @ found.shape))
        rate = np.max(np.abs(np.linalg.eigvals(A)), initial=0.0) or 1.0
        speeds = np.sqrt(np.diag(found.mass)) / rate
        return spectrum_of(A, np.concatenate([places, speeds]))

    def modes(self) -> Modes:
        """Frequencies, damping, shapes and participation."""
        from polhode.analyse.linear.modes import modes_of

        return modes_of(self)

    def stability(self) -> Stability:
        """Whether it is stable, and why."""
        from polhode.analyse.equilibria.stability import stability_of

        return stability_of(self)

    def response(self, frequencies: Any = None) -> Response:
        """Outputs by inputs at angular frequencies (w,), rad/s; else round poles."""
        self.require_steady("a frequency response")
        if frequencies is None:
            # What is free to go has poles at zero, found as roots of rounding.
            poles = np.linalg.eigvals(self.matrices.A)
            order = np.argsort(np.abs(poles))
            frequencies = frequencies_about(poles[order[self.spectrum.zeros :]])
        return self.matrices.response(frequencies)

    def transfer(self, output: str, input: str) -> Transfer:
        """The transfer function from an input to an output."""
        self.require_steady("transfer functions")
        return self.matrices.transfer(output, input)

    def margins(self, output: str, input: str) -> FeedbackMargins:
        """Gain and phase margins of the loop u = -y from an output to an input."""
        self.require_steady("margins")
        return self.matrices.margins(output, input)

    def require_steady(self, word: str) -> None:
        """Refuse what only constant matrices have."""
        if self.unsteady:
            raise AnalysisError(
                f"{self.system.name!r} has no {word} about this state:"
                f" {self.unsteady}.",
                "Its linear equations hold at that instant only and change along the"
                " motion.",
                "Ask at an equilibrium or a steady motion; of other motions,"
                " linearise(..., about=motion) gives A(t).",
            )

    def plot(self) -> Any:
        """The eigenvalues in the plane: a `Picture`."""
        from polhode.show.plots.answers import spectrum_picture

        return spectrum_picture(self.spectrum.all, self.system.name)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        about = "an equilibrium" if self.is_at_rest else "a steady motion"
        if self.unsteady:
            about = f"an instant of a motion ({self.unsteady})"
        driven = ", ".join(self.matrices.inputs) or "none"
        ports = f"inputs: {driven}; outputs: {', '.join(self.matrices.outputs)}"
        title = f"Linear system of {self.system.name!r} about {about}\n{ports}"
        return AnswerTable(title, below=[self.parts.as_table()])


def linearise(
    model: System | Equations,
    about: Any = None,
    *,
    inputs: Sequence[str] | Mapping[str, Any] = (),
    outputs: Sequence[str] | Mapping[str, Callable[..., Any]] | None = None,
    independent: Sequence[str] | None = None,
    parameters: Table = NOMINAL,
) -> Any:
    """A linear system about a state, or along a motion.

    about        a `State` (rest if none is given), or a `Trajectory`: then A(t), B(t)
    inputs       names of motors, of applied forces or couples, or of their parameters;
                 a mapping gives them reference values
    outputs      names of coordinates, or {name: function(t, state)}; else all of p
    independent  names of the speeds to keep, where constraints leave a choice

    >>> import polhode as ph
    >>> linear = linearise(ph.models.double_pendulum())
    >>> linear.modes().frequencies.round(3)
    array([2.851, 7.24 ])
    """
    system = _system(model)
    ports, extra = admit_ports(system, inputs)
    watched = None if outputs is None else admit_outputs(system, outputs)
    table = dict(parameters)
    if hasattr(about, "steps"):
        from polhode.analyse.linear.linear_along import linear_along

        return linear_along(about, ports, extra, parameters)
    state = _state(system, about)
    table.update(port_values(state, table, ports, extra))
    outputs = watched or {}
    near = variations_of(state, table, ports, outputs)
    turn = turning_of(state, near)
    why = unsteadiness(state, table, near, turn, ports=ports, outputs=outputs)
    if why:
        turn = np.zeros_like(turn)
    return linear_about(
        state,
        table,
        near,
        ports=ports,
        watched=watched,
        independent=independent,
        turn=turn,
        why=why,
    )


def linear_about(
    state: State,
    table: Table,
    near: Variations,
    *,
    ports: Any,
    watched: Any,
    independent: Any,
    turn: np.ndarray,
    why: str,
) -> Linear:
    """The linear system of known first-order changes.

    `motion` is how error coordinates turn, and why the matrices change, if they do.
    """
    whole, system = turned(near, turn), state.system
    which = independent_places(system, whole, independent)
    found = reduce(whole, which)
    names = system.speed_names
    places = tuple(names[k] for k in which.places)
    speeds, others = places[: len(which.speeds)], places[len(which.speeds) :]
    parts = parts_of(speeds, found.mass, found.velocity, found.stiffness, others)
    seen = (
        (places, np.eye(len(places), len(places) + len(speeds)), None)
        if watched is None
        else (output_names(state, watched), _output_matrix(whole, found), whole.passed)
    )
    matrices = _state_space(found, places, speeds, port_names(ports), seen)
    about = state, table, places, speeds
    return Linear(*about, parts, matrices, found, whole, why, turn)


def _output_matrix(whole: Variations, found: Reduced) -> np.ndarray:
    """C: outputs by d = S_p p and d' = S v + T p."""
    by_place = whole.seen @ found.shape + whole.seen_rates @ found.slip[1]
    return np.concatenate([by_place, whole.seen_rates @ found.slip[0]], axis=1)


def _state_space(
    found: Reduced,
    places: tuple[Any, ...],
    speeds: tuple[Any, ...],
    inputs: tuple[Any, ...],
    seen: tuple[Any, ...],
) -> StateSpace:
    by_v, by_p = found.rates
    solved = np.linalg.solve(
        found.mass, np.concatenate([found.stiffness, found.velocity], axis=1)
    )
    A = np.concatenate([np.concatenate([by_p, by_v], axis=1), -solved])
    forced = np.linalg.solve(found.mass, found.forcing)
    B = np.concatenate([np.zeros((len(places), forced.shape[1])), forced])
    outputs, C, passed = seen
    D = np.zeros((len(C), B.shape[1])) if passed is None else passed
    states = (*places, *(f"{name}'" for name in speeds))
    return StateSpace(A, B, C, D, states, inputs, outputs)


def _system(model: Any) -> System:
    if isinstance(model, System | Equations):
        return model.system if isinstance(model, Equations) else model
    raise ModelError(
        f"{model!r} is no system that could be linearised.",
        "First comes the system, then the state about which.",
        "Give both, ph.linearise(system, equilibrium.state); or ask it,"
        " equilibrium.stability().",
    )


def _state(system: System, about: Any) -> State:
    if about is None:
        return system.rest()
    if not isinstance(about, State):
        raise StateError(
            f"{system.name!r} cannot be linearised about {about!r}.",
            "A linear system holds near a state, or along a motion.",
            "Give system.state(...), the .state of an equilibrium, or a Trajectory.",
        )
    require_layout(system, about)
    return require_consistent(State(system, about.t, about.q, about.z))
