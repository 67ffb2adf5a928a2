"""`ph.stepper`: one step of a system, for controllers, co-simulation and learning."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np

from polhode.arrays import itself
from polhode.constraints.prescribed_motion import PrescribedMotion
from polhode.errors import (
    ConstraintError,
    IntegrationError,
    ModelError,
    StateError,
)
from polhode.formulation.equations import Equations
from polhode.geometry.admission import is_traced
from polhode.integrate.field.states import States, require_own, states_of
from polhode.integrate.host.admission import raise_of_run
from polhode.integrate.host.checks import warn_of_start
from polhode.integrate.host.method_choice import refuse_dense_steps
from polhode.integrate.host.motion_equations import equations_of
from polhode.integrate.host.prescribed_jumps import require_smooth_drivers
from polhode.integrate.host.quick_step import QuickStep, quick_step, state_of_row
from polhode.integrate.host.step_fault import step_fault
from polhode.integrate.inputs.ports import is_input, port_size
from polhode.integrate.kernel.start import require_clock
from polhode.integrate.kernel.status import (
    RUNNING,
)
from polhode.integrate.kernel.step_column import (
    FACTS,
    StepColumns,
    step_backend,
    step_function,
)
from polhode.integrate.methods.lie_group.commutator_free import CommutatorFree4
from polhode.integrate.methods.method import Method, admit_step
from polhode.lowering.compile import Program, compile
from polhode.system.members import suggestion
from polhode.system.state import State
from polhode.system.system import System
from polhode.system.values import require_mapping, require_value

LOOKED_AHEAD = 1000  # steps along which drivers are asked whether they jump


@final
@dataclass(frozen=True, eq=False, repr=False)
class Rollout:
    """Many steps in a row: the states after each, without the one they start from.

    t (n,), q (n, nq) and z (n, nz); of many `States` with an axis of runs before.
    """

    system: System
    t: np.ndarray
    q: np.ndarray
    z: np.ndarray

    @property
    def end(self) -> Any:
        """The state after the last step, to go on from; `States` of many runs."""
        last = (self.t[..., -1], self.q[..., -1, :], self.z[..., -1, :])
        kind = State if self.t.ndim == 1 else States
        return kind(self.system, *last)

    def __len__(self) -> int:
        return self.t.shape[-1]

    def __repr__(self) -> str:
        runs = f" of {len(self.t)} runs" if self.t.ndim > 1 else ""
        return f"Rollout({self.system.name!r}: {len(self)} steps{runs})"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Stepper:  # limit: a step is asked of one state, of many, in a trace, and in a row
    """state, inputs -> the state `dt` later; inputs are held over the step.

    Many `States` give as many; each input is then one for all, or one for each. Inside
    a trace a state of tracers is stepped like any other, for `jit`, `grad` and `vmap`;
    `step.function(t, q, z, inputs) -> (q, z)` is the same as plain JAX. `sound` are the
    values so far of what a system is made of; those between them are no others.
    `smooth` is the time within which no driver jumps, as far as it was looked at.
    `column` is the compiled step of one state (see `kernel.step_column`).
    """

    equations: Equations
    dt: float
    method: Method
    sizes: Mapping[str, int]
    traced: Any
    column: Program
    sound: dict[str, tuple[float, float]]
    smooth: list[tuple[float, float]] = field(default_factory=list)
    started: list[bool] = field(default_factory=list)

    __copy__ = __deepcopy__ = itself

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of what is given at each step."""
        return tuple(self.sizes)

    def __call__(self, state: Any, inputs: Mapping[str, Any] | None = None) -> Any:
        """The state one step later; refused where a force is not finite, constraints
        are not met, or an implicit step is not solved.

        In a trace nothing is refused: NaN flows on.
        """
        if type(state) is State and self.started:
            found = self._quick(state, inputs)
            if found is not None:
                return found
        return self._checked(state, inputs)

    def rollout(
        self, state: Any, n: int, inputs: Mapping[str, Any] | None = None
    ) -> Rollout:
        """The states of `n` steps in a row, bit for bit those of `n` calls.

        Each input is held over all steps, or has an axis of `n` before its own: a value
        for each step. Of many `States` an axis of runs may come before that. A step
        that would be refused alone is refused here, with the state before it.

        >>> import polhode as ph
        >>> ball = ph.Particle("ball", 0.5)
        >>> thrown = ph.System([ball], actions=[ph.Weight(9.81)])
        >>> found = ph.stepper(thrown, dt=0.01).rollout(thrown.rest(), 100)
        >>> found.q.shape, round(float(found.z[-1, 2]), 6)
        ((100, 3), -9.81)
        """
        system, count = self.equations.system, _step_count(n)
        many = (len(state),) if isinstance(state, States) else ()
        given = self._rows_of_inputs(state, count, _mapping(inputs))
        self._require_time(state, count)
        self._warn_once(state)
        columns, width = self._columns, self._columns.width
        rows = np.empty((*many, count, width + FACTS))
        start = np.concatenate([np.reshape(state.t, (*many, 1)), state.q, state.z], -1)
        for first in range(0, count, columns.attempts):
            steps = min(columns.attempts, count - first)
            part = np.zeros((*many, columns.attempts, columns.input_count))
            part[..., :steps, :] = given[..., first : first + steps, :]
            found = self._rollout_program(start, part, np.full(many, steps))
            rows[..., first : first + steps, :] = found[..., :steps, :]
            start = np.ascontiguousarray(found[..., steps - 1, :width])
            if not np.all(rows[..., first : first + steps, -1]):
                self._refuse_row(state, rows, given)
        n_q = 1 + system.coordinates
        return Rollout(
            system, rows[..., 0], rows[..., 1:n_q], rows[..., n_q:width].copy()
        )

    # ------------------------------------------------------------- one state

    @cached_property
    def _columns(self) -> StepColumns:
        system = self.equations.system
        return StepColumns(system.coordinates, system.speeds, self.sizes)

    @cached_property
    def _edges(self) -> tuple[int, int]:
        """Where speeds begin in a row, and where they end."""
        return 1 + self._columns.coordinates, self._columns.width

    @cached_property
    def _quick(self) -> QuickStep:
        """One state stepped where nothing is unusual; drivers may jump."""
        if self._drivers:
            return lambda state, inputs: None
        system = self.equations.system
        return quick_step(system, self.column, self._columns, self.sound)

    def _checked(self, state: Any, inputs: Any) -> Any:
        """The same step with every question asked, in the words of who refuses it."""
        given = self._admitted(state, _mapping(inputs))
        self._require_sound(given)
        if is_traced(state.t, state.q, state.z, *given.values()):
            q, z, _ = self.traced(state.t, state.q, state.z, given)
            return State(self.equations.system, state.t + self.dt, q, z)
        self._require_time(state)
        self._warn_once(state)
        if isinstance(state, State):
            return self._checked_one(state, given)
        q, z, status = self._states_program(state.t, state.q, state.z, given)
        if np.any(status):
            self._refuse(state, given, status)
        return States(self.equations.system, state.t + self.dt, q, z)

    def _checked_one(self, state: State, given: dict[str, Any]) -> State:
        inputs = [np.reshape(given[name], -1) for name in self.sizes]
        row = self.column(np.concatenate([[state.t], state.q, state.z, *inputs]))
        system, (n, width) = self.equations.system, self._edges
        if row[width]:
            self._refuse(state, given, int(row[width]))
        if not row[-1]:  # not finite: its own checks say which
            return State(system, row[0], row[1:n], row[n:width])
        return state_of_row(system, row, n, width)

    @cached_property
    def _states_program(self) -> Program:
        """The step of many states: (t, q, z, inputs) -> (q, z, status)."""
        system = self.equations.system
        table = {n: np.zeros(size) if size else 0.0 for n, size in self.sizes.items()}
        example = (0.0, system.neutral(), np.zeros(system.speeds), table)
        backend = step_backend(self.equations)
        return compile(self.traced, *example, batched=True, backend=backend)

    @cached_property
    def _rollout_program(self) -> Program:
        """(state with its time, inputs of each step, steps) -> rows."""
        function = self._columns.rows_function(self.traced, self.dt)
        example, backend = self._columns.example(), step_backend(self.equations)
        return compile(function, *example, batched=True, backend=backend)

    # ------------------------------------------------------------- steps in a row

    def _rows_of_inputs(
        self, state: Any, count: int, given: dict[str, Any]
    ) -> np.ndarray:
        """Inputs of all steps ([runs,] count, m), each admitted as by a single step."""
        self._require_states(state)
        if is_traced(state.t, state.q, state.z, *given.values()):
            raise IntegrationError(
                f"a rollout of {self.equations.system.name!r} cannot be traced.",
                "It runs compiled code, of known numbers.",
                "Inside a trace, call the stepper in a jax.lax.scan.",
            )
        many = (len(state),) if isinstance(state, States) else ()
        rows = np.zeros((*many, count, self._columns.input_count))
        self._require_inputs(given)
        self._require_faultless(state)
        for name, size in self.sizes.items():
            require_value(self.equations.system, name, given[name])
            own = (size,) if size else ()
            value = np.array(given[name], dtype=float)
            shapes = (own, (count, *own), (*many, count, *own))
            if value.shape not in shapes:
                raise IntegrationError(
                    f"the input {name!r} of a rollout has the shape {value.shape}.",
                    f"It has the shape {own} for all {count} steps, {(count, *own)}"
                    " with one for each"
                    + (f", or {shapes[2]} with those of each run." if many else "."),
                    "Give so many numbers.",
                )
            at = self._columns.places[name]
            rows[..., at] = value
        self._require_sound({n: rows[..., p] for n, p in self._columns.places.items()})
        return rows

    def _refuse_row(self, state: Any, rows: np.ndarray, given: np.ndarray) -> None:
        """Raise what a single step raises there, of the first step that is refused."""
        system, many = self.equations.system, isinstance(state, States)
        plain, n = rows[..., -1] > 0, self._edges
        runs = len(state) if many else 1
        count = plain.shape[-1]
        flat = plain.reshape(runs, count)
        run = int(np.argmin(np.all(flat, axis=1)))
        k = int(np.argmin(flat[run]))
        own = rows.reshape(runs, count, -1)[run]
        before = state[run] if many else state
        if k:
            last = own[k - 1]
            before = State(system, last[0], last[1 : n[0]], last[n[0] : n[1]])
        inputs = given.reshape(runs, count, given.shape[-1])[run, k]
        self._checked(
            before, {name: inputs[at] for name, at in self._columns.places.items()}
        )

    # ------------------------------------------------------------- refusals

    def _admitted(self, state: Any, given: dict[str, Any]) -> dict[str, Any]:
        system = self.equations.system
        self._require_states(state)
        self._require_inputs(given)
        for name, value in given.items():
            if not is_traced(value):
                require_value(system, name, value)
        many = (len(state),) if isinstance(state, States) else ()
        self._require_faultless(state)
        return {
            name: _fitted(name, given[name], (size,) if size else (), many)
            for name, size in self.sizes.items()
        }

    def _require_states(self, state: Any) -> None:
        system = self.equations.system
        if not isinstance(state, State | States):
            raise StateError(
                f"the stepper of {system.name!r} cannot step {state!r}.",
                "Coordinates mean what their own system says.",
                f"Give a state of {system.name!r}: system.state(...), or ph.States.",
            )
        require_own(system, state)

    def _require_inputs(self, given: dict[str, Any]) -> None:
        if set(given) != set(self.inputs):
            raise IntegrationError(
                f"the stepper of {self.equations.system.name!r} was given inputs"
                f" {sorted(given)}.",
                f"It takes {sorted(self.inputs)}, each at every step.",
                "Name the inputs when the stepper is made: ph.stepper(system, dt,"
                " inputs=[...]).",
            )

    def _require_faultless(self, state: Any) -> None:
        if isinstance(state, States) and state.faults:
            raise_of_run(min(state.faults), state.faults, len(state))

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

    def _require_time(self, state: Any, steps: int = 1) -> None:
        """Refuse a time that steps do not advance, or at which a driver jumps."""
        system = self.equations.system
        # One state is asked at every step: NumPy's reductions take longer than it.
        is_one = isinstance(state, State)
        first = float(state.t) if is_one else float(np.min(state.t))
        last = (first if is_one else float(np.max(state.t))) + steps * self.dt
        require_clock(system, self.dt, max(abs(first), abs(last)))
        if not self._drivers:
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
            warn_of_start(state if many else states_of(system, state))

    @cached_property
    def _drivers(self) -> bool:
        """Whether a driver prescribes the motion of a joint."""
        system = self.equations.system
        return any(isinstance(c, PrescribedMotion) for c in system.constraints)

    @property
    def function(self) -> Any:
        """(t, q, z, inputs) -> (q, z), for use inside a trace."""
        return lambda t, q, z, inputs: self.traced(t, q, z, inputs)[:2]

    @cached_property
    def jax(self) -> Any:
        """(t, q, z, inputs) -> (q, z) as native code inside JAX.

        It is called in `jit`, `scan` and `vmap`, and differentiated there; see
        `Program.jax`. Nothing is refused: NaN flows on.

        >>> import jax, numpy as np, polhode as ph
        >>> start = ph.models.start("double_pendulum")
        >>> step = ph.stepper(start.system, dt=0.01)
        >>> with jax.enable_x64(True):
        ...     q, z = jax.jit(step.jax)(0.0, start.q, start.z, {})
        >>> bool((np.asarray(q) == step(start).q).all())
        True
        """
        from polhode.lowering.native_jax import native

        return native(self.function)

    @cached_property
    def torch(self) -> Any:
        """(t, q, z, inputs) -> (q, z) as native code on PyTorch's tensors.

        It is batched by `torch.vmap` and differentiated by autograd; see
        `Program.torch`. Nothing is refused: what is not finite flows on.
        """
        from polhode.lowering.native_torch import native

        return native(self.function)

    def _refuse(self, state: Any, given: dict[str, Any], status: Any) -> None:
        """Raise what is wrong with a step, of many states with the first that is."""
        if isinstance(state, States):
            k = int(np.argmax(status != RUNNING))
            given = {name: value[k] for name, value in given.items()}
            state, status = state[k], status[k]
        raise step_fault(state, given, int(status), dt=self.dt, method=self.method)

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
    chosen = _fixed_method(method, size)
    equations = equations_of(model, chosen)
    if chosen.is_adaptive:
        raise IntegrationError(
            f"{chosen.name} chooses its own steps.",
            "A stepper makes one step of the given size.",
            "Give a method of fixed step, such as ph.methods.CommutatorFree4.",
        )
    system = equations.system
    refuse_dense_steps(equations, chosen)
    sizes = {name: _size(system, name) for name in inputs}
    step = step_function(equations, chosen, size)
    columns = StepColumns(system.coordinates, system.speeds, sizes)
    example = np.zeros(columns.width + columns.input_count)
    function, backend = columns.row_function(step, size), step_backend(equations)
    program = compile(function, example, backend=backend)
    bound = {n: (np.inf, -np.inf) for n in sizes if not is_input(system, n)}
    return Stepper(equations, size, chosen, sizes, step, program, bound)


def _fixed_method(method: Any, size: float) -> Method:
    """A kind of method with its step."""
    try:
        return method(step=size)
    except TypeError as reason:
        raise IntegrationError(
            f"{method!r} cannot be the method of a stepper.",
            "A stepper makes one step of dt by a kind of fixed step, not yet made.",
            "Give the kind: ph.stepper(system, dt, method=ph.methods.CommutatorFree4).",
        ) from reason


def _step_count(n: Any) -> int:
    try:
        count = operator.index(n)
    except TypeError:
        count = 0
    if count < 1:
        raise IntegrationError(
            f"a rollout cannot make {n!r} steps.",
            "It makes a number of steps, one after another.",
            "Give a whole number, 1 or more.",
        )
    return count


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
            f"{system.name!r} has no parameter or input {name!r}.",
            "An input of a stepper is what is given anew at each step.",
            suggestion(str(name), [*known, *system.parameters]),
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
