"""`ph.stepper`: one step of a system, for controllers, co-simulation and learning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import jax.numpy as jnp
import numpy as np

from polhode.constraints.prescribed_motion import PrescribedMotion
from polhode.errors import (
    ConstraintError,
    ForceError,
    IntegrationError,
    ModelError,
    StateError,
)
from polhode.formulation.equations import Equations
from polhode.geometry.admission import is_traced
from polhode.integrate.field.constraint_violation import keeps_constraints
from polhode.integrate.field.inconsistency import inconsistency
from polhode.integrate.field.states import States, require_own, states_of
from polhode.integrate.field.vector_field import field_of
from polhode.integrate.host.admission import (
    raise_of_run,
    require_mapping,
)
from polhode.integrate.host.prescribed_jumps import require_smooth_drivers
from polhode.integrate.host.start_warnings import warn_of_start
from polhode.integrate.inputs.inputs import is_input, port_size
from polhode.integrate.kernel.chunk import fault_status
from polhode.integrate.kernel.outcome import Ending, growth, lawless
from polhode.integrate.kernel.start import require_clock
from polhode.integrate.kernel.status import (
    NOT_A_NUMBER,
    REFUSED,
    RUNNING,
    UNMET,
    UNSOLVED,
)
from polhode.integrate.kernel.unmet_constraints import unmet
from polhode.integrate.methods.commutator_free import CommutatorFree4
from polhode.integrate.methods.method import Method, admit_step
from polhode.integrate.simulate import equations_of
from polhode.lowering.compile import Program, compile
from polhode.system.members import suggestion
from polhode.system.state import State
from polhode.system.system import System
from polhode.system.values import require_value

LOOKED_AHEAD = 1000  # steps along which drivers are asked whether they jump


@final
@dataclass(frozen=True, eq=False, repr=False)
class Stepper:
    """state, inputs -> the state `dt` later; inputs are held over the step.

    Many `States` give as many; each input is then one for all, or one for each. Inside
    a trace a state of tracers is stepped like any other, for `jit`, `grad` and `vmap`;
    `step.function(t, q, z, inputs) -> (q, z)` is the same as plain JAX. `sound` are the
    values so far of what a system is made of; those between them are no others.
    `smooth` is the time within which no driver jumps, as far as it was looked at.
    """

    equations: Equations
    dt: float
    method: Method
    sizes: Mapping[str, int]
    program: Program
    sound: dict[str, tuple[float, float]]
    smooth: list[tuple[float, float]] = field(default_factory=list)
    started: list[bool] = field(default_factory=list)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of what is given at each step."""
        return tuple(self.sizes)

    def __call__(self, state: Any, inputs: Mapping[str, Any] | None = None) -> Any:
        """The state one step later; refused where a force is not finite, constraints
        are not met, or an implicit step is not solved.

        In a trace nothing is refused: what is no number flows on.
        """
        given = self._admitted(state, _mapping(inputs))
        self._require_sound(given)
        if not is_traced(state.t, state.q):
            self._require_time(state)
            self._warn_once(state)
        q, z, status = self.program(state.t, state.q, state.z, given)
        if not is_traced(q, status) and np.any(status):
            self._refuse(state, given, status)
        kind = type(state)
        return kind(self.equations.system, state.t + self.dt, q, z)

    def _admitted(self, state: Any, given: dict[str, Any]) -> dict[str, Any]:
        system = self.equations.system
        if not isinstance(state, State | States):
            raise StateError(
                f"the stepper of {system.name!r} cannot step {state!r}.",
                "Coordinates mean what their own system says.",
                f"Give a state of {system.name!r}: system.state(...), or ph.States.",
            )
        require_own(system, state)
        if set(given) != set(self.inputs):
            raise IntegrationError(
                f"the stepper of {self.equations.system.name!r} was given inputs"
                f" {sorted(given)}.",
                f"It takes {sorted(self.inputs)}, each at every step.",
                "Name the inputs when the stepper is made: ph.stepper(system, dt,"
                " inputs=[...]).",
            )
        for name, value in given.items():
            if not is_traced(value):
                require_value(system, name, value)
        many = (len(state),) if isinstance(state, States) else ()
        if isinstance(state, States) and state.faults:
            raise_of_run(min(state.faults), state.faults, len(state))
        return {
            name: _fitted(name, given[name], (size,) if size else (), many)
            for name, size in self.sizes.items()
        }

    def _require_sound(self, given: dict[str, Any]) -> None:
        """Refuse parameters beyond those of a sound system; between two, all are."""
        system = self.equations.system
        for name, value in given.items():
            if is_traced(value) or name not in self.sound:
                continue
            low, high = float(np.min(value)), float(np.max(value))
            known = self.sound[name]
            if known[0] <= low and high <= known[1]:
                continue
            for edge in {low, high}:
                system.with_({name: edge})
            self.sound[name] = (min(low, known[0]), max(high, known[1]))

    def _require_time(self, state: Any) -> None:
        """Refuse a time that the step does not advance, or at which a driver jumps."""
        system = self.equations.system
        # One state is asked at every step: NumPy's reductions take longer than it.
        is_one = isinstance(state, State)
        first = float(state.t) if is_one else float(np.min(state.t))
        last = (first if is_one else float(np.max(state.t))) + self.dt
        require_clock(system, self.dt, max(abs(first), abs(last)))
        if not self.drivers:
            return
        start, end = self.smooth[0] if self.smooth else (np.inf, -np.inf)
        if start <= first and last <= end:
            return
        # Many steps ahead at once: a look along a law takes as long as many steps.
        ahead = last + LOOKED_AHEAD * self.dt
        try:
            require_smooth_drivers(system, first, ahead)
            self.smooth[:] = [(first, ahead)]
        except ConstraintError:
            require_smooth_drivers(system, first, last)

    def _warn_once(self, state: Any) -> None:
        """Tell of a doubtful start: the first state is one, others come of it."""
        if not self.started:
            self.started.append(True)
            system, many = self.equations.system, isinstance(state, States)
            warn_of_start(state if many else states_of(system, state), 4)

    @property
    def drivers(self) -> bool:
        """Whether a driver prescribes the motion of a joint."""
        system = self.equations.system
        return any(isinstance(c, PrescribedMotion) for c in system.constraints)

    @property
    def function(self) -> Any:
        """(t, q, z, inputs) -> (q, z), for use inside a trace."""
        return lambda t, q, z, inputs: self.program.function(t, q, z, inputs)[:2]

    def _refuse(self, state: Any, given: dict[str, Any], status: Any) -> None:
        """Raise what is wrong with a step, of many states with the first that is."""
        if isinstance(state, States):
            k = int(np.argmax(status != RUNNING))
            own = {name: value[k] for name, value in given.items()}
            return self._refuse(state[k], own, status[k])
        system, t = self.equations.system, float(state.t)
        at = Ending(int(status), t, state.q, state.z, self.dt, 0, 0)
        if status == REFUSED:
            parameters = {n: v for n, v in given.items() if n in system.parameters}
            raise inconsistency(system, (t, state.q, state.z), parameters)
        who = f"{system.name!r} has no next state after t = {t:g} s"
        missed = "" if status == NOT_A_NUMBER else unmet(system, at, t + self.dt, given)
        if missed or status == UNMET:
            raise ConstraintError(
                f"{who}: a step of {self.dt:g} s does not meet its constraints.",
                missed
                or "There are states near that keep them, but none where so long"
                " a step leads.",
                "Take a smaller dt, or ask less of drivers and lengths; the state is as"
                " before.",
            )
        if status == UNSOLVED:
            raise IntegrationError(
                f"{who}: the equations of a step of {self.dt:g} s could not be solved.",
                f"The step of {self.method.name} is implicit, and too long for the"
                " motion there; the state is as before.",
                "Take a smaller dt.",
            )
        grown = growth(system, at, given)
        if grown:
            raise IntegrationError(
                f"{who}.",
                f"{grown[0].upper()}{grown[1:]}",
                "Take a smaller dt; the state is as before.",
            )
        guilty = lawless(system, at, given)
        what = f"{guilty!r} gives no force" if guilty else "its accelerations are none"
        raise ForceError(
            f"{who}: {what}.",
            "A step ends in a state of numbers, or not at all; the state is as before.",
            "Take a smaller dt, or change the law where it is undefined.",
        )

    def __repr__(self) -> str:
        name = self.equations.system.name
        return f"Stepper({name!r}, dt = {self.dt:g} s, {self.method.name})"


def stepper(
    model: System | Equations,
    dt: float,
    *,
    inputs: Sequence[str] = (),
    method: type = CommutatorFree4,
) -> Stepper:
    """One step of `dt` as a function of the state and of some parameters.

    `inputs` names what is given anew at each step: motors, couples and follower forces
    by their names, and parameters.
    `method` is a kind of fixed step. Configurations stay on their manifold, and
    constraints are kept.

    >>> import polhode as ph
    >>> ball = ph.Particle("ball", 0.5)
    >>> thrown = ph.System([ball], actions=[ph.Weight(9.81)])
    >>> step = stepper(thrown, dt=0.01)
    >>> round(float(step(thrown.rest()).speed("ball")[2]), 6)
    -0.0981
    """
    size = admit_step("a stepper", dt)
    way = _way(method, size)
    equations = equations_of(model, way)
    if way.is_adaptive:
        raise IntegrationError(
            f"{way.name} chooses its own steps.",
            "A stepper makes one step of the given size.",
            "Give a method of fixed step, such as ph.methods.CommutatorFree4.",
        )
    system = equations.system
    sizes = {name: _size(system, name) for name in inputs}
    table = {name: np.zeros(size) if size else 0.0 for name, size in sizes.items()}
    example = (0.0, system.neutral(), np.zeros(system.speeds), table)
    program = compile(_step(equations, way, size), *example, batched=True)
    bound = {n: (np.inf, -np.inf) for n in sizes if not is_input(system, n)}
    return Stepper(equations, size, way, sizes, program, bound)


def _way(method: Any, size: float) -> Method:
    """A kind of method with its step."""
    try:
        return method(step=size)
    except TypeError as reason:
        raise IntegrationError(
            f"{method!r} cannot be the method of a stepper.",
            "A stepper makes one step of dt by a kind of fixed step, not yet made.",
            "Give the kind: ph.stepper(system, dt, method=ph.methods.CommutatorFree4).",
        ) from reason


def _mapping(inputs: Any) -> dict[str, Any]:
    if inputs is not None:
        require_mapping("inputs", inputs)
    return dict(inputs or {})


def _size(system: System, name: str) -> int:
    size = port_size(system, name)
    if size is None and name not in system.parameters:
        ports = [a.name for a in system.actions]
        known = [port for port in ports if port_size(system, port) is not None]
        raise ModelError(
            f"{system.name!r} has no parameter {name!r} to take as an input, and no"
            " motor.",
            "An input is what is given anew at each step.",
            suggestion(name, [*known, *system.parameters]),
        )
    return size or 0


def _fitted(name: str, value: Any, own: tuple[int, ...], many: tuple[int, ...]) -> Any:
    """An input in its own shape, or with one axis of runs before it."""
    if not is_traced(value):
        value = np.array(value, dtype=float)
    if not many and value.shape == (1,) and own == ():
        value = value[0]
    if value.shape not in (own, many + own):
        each = f", or {many + own}" if many else ""
        raise IntegrationError(
            f"the input {name!r} of a stepper has the shape {value.shape}.",
            f"It has the shape {own} for any state{each}.",
            "Give so many numbers.",
        )
    return np.broadcast_to(value, many + own) if many else value


def _begins(system: System, state: tuple[Any, Any, Any], table: Any) -> Any:
    """Whether a state keeps its constraints before the step, traced."""
    if not system.constraints:
        return jnp.array(True)
    return keeps_constraints(
        system, state, system.constraint_rows(*state, table)[0], table
    )


def _step(equations: Equations, method: Method, h: float) -> Any:
    core, n = equations.functions, equations.system.coordinates

    def step(t: Any, q: Any, z: Any, inputs: Any) -> tuple[Any, Any, Any]:
        field = field_of(equations, inputs)
        begins = _begins(equations.system, (t, q, z), inputs)
        x = jnp.concatenate([q, core.start(t, q, z, inputs)])
        moved = method.attempt(field, t, x, field.x_dot(t, x), h)
        x, is_kept = field.projected(t + h, moved.x)
        z = core.speeds(t + h, x[:n], x[n:], inputs)
        is_finite = jnp.all(jnp.isfinite(x)) & field.is_sound(t + h, x)
        is_good = is_finite & moved.is_solved & is_kept
        fault = jnp.where(begins, fault_status(moved.is_solved, is_finite), REFUSED)
        status = jnp.where(is_good & begins, RUNNING, fault)
        return x[:n], 1.0 * z, status

    return step
