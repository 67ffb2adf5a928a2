"""The start of runs, checked: the first derivative, bounds, and the first step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import IntegrationError
from polhode.integrate.field.backend import backend_of, warn_of_xla
from polhode.integrate.field.constraint_violation import keeps_constraints
from polhode.integrate.field.input_table import UNDRIVEN, Drive
from polhode.integrate.field.scales import scales
from polhode.integrate.field.states import States
from polhode.integrate.field.vector_field import field_of
from polhode.integrate.kernel.chunk import ATTEMPTS
from polhode.integrate.kernel.packing import PackedProgram
from polhode.integrate.kernel.status import DONE, RUNNING
from polhode.integrate.kernel.stepper_state import (
    RunBounds,
    StepperState,
    first_carried,
    start_cursor,
)
from polhode.integrate.methods.method import (
    FixedStepMethod,
    Method,
    is_adaptive,
    is_fixed,
    kept_numbers,
)
from polhode.lowering.compile import Program, compile
from polhode.matter.parameter import Table
from polhode.system.state_arrays import StateArrays

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.system.system import System

# Of the quickest time of the system: a first step that is seldom refused.
FIRST_STEP = 0.1
# Steps below this many units of rounding of the time do not advance it reliably.
LEAST = 16 * np.finfo(float).eps
# Below this share of the time itself a step hardly advances it.
CLOCK = 4 * np.finfo(float).eps
# Of the motion's own time: steps that no method makes.
HOPELESS = 10.0
# More cannot be counted, nor waited for.
MOST_STEPS = 2.0**62
# A share of the largest velocity below which one does not move at all. Small: metres a
# second beside radians a second may be any share, by their units.
UNMOVED = 1e-10


class StepSettings(NamedTuple):
    """The settings of a run, as numbers.

    until        the time that it runs to
    rtol, atol   tolerances; an atol that is NaN follows from the system's scales
    step         of a method of fixed step; NaN where steps are chosen
    """

    until: Any
    rtol: Any
    atol: Any
    step: Any


class InitialDerivative(NamedTuple):
    """The start as the formulation sees it.

    x, x_dot      [q; y] and its rate
    z_dot         the rate of the system's speeds
    is_sound      whether every force is a number
    is_kept       whether the constraints are, with the parameters of this call
    """

    x: Any
    x_dot: Any
    z_dot: Any
    is_sound: Any
    is_kept: Any


class InitialStep(NamedTuple):
    """Runs before their first step; `rate` is of the quickest motion at the start."""

    initial_derivative: InitialDerivative
    stepper_state: StepperState
    bounds: RunBounds
    rate: Any


def step_settings(method: Method, until: float) -> StepSettings:
    """What a method is to do."""
    if is_fixed(method):
        return StepSettings(until, 0.0, 0.0, method.step)
    assert is_adaptive(method)
    atol = np.nan if method.atol is None else method.atol
    return StepSettings(until, method.rtol, atol, np.nan)


def initial_derivative(
    equations: Equations,
    states: States,
    table: Table,
    drive: Drive = UNDRIVEN,
    held: Array | None = None,
) -> InitialDerivative:
    """The start of many runs; leading axes are runs, of `held` inputs too."""
    nowhere = StepSettings(0.0, 0.0, 0.0, 1.0)
    return initialise(
        equations, states, table, nowhere, drive=drive, held=held
    ).initial_derivative


def initialise(
    equations: Equations,
    states: States,
    table: Table,
    settings: StepSettings,
    *,
    drive: Drive = UNDRIVEN,
    held: Array | None = None,
) -> InitialStep:
    """Runs from their states to one time, with held inputs; leading axes are runs."""
    runs, own = len(states), dict.fromkeys(table, 0.0)
    held = np.zeros((runs, drive.width)) if held is None else held
    way = StepSettings(*(np.full(runs, number) for number in settings))
    given = (states.t, states.q, states.z, held, way)
    function, system = initialisation(equations, drive), equations.system
    key = (tuple(sorted(table)), drive.key)
    if runs == 1:

        def alone() -> PackedProgram:
            backend = backend_of(equations)
            made = PackedProgram(function, given, own, backend)
            if backend != "xla":
                warn_of_xla(system.name, made.program.report())
            return made

        only = {name: values[0, ...] for name, values in table.items()}
        return equations.remembered(("packed start", *key), alone)(given, only)

    def many() -> Program:
        backend = backend_of(equations)
        first = jax.tree_util.tree_map(lambda leaf: leaf[0], given)
        made = compile(function, first, own, batched=True, backend=backend)
        if backend != "xla":
            warn_of_xla(system.name, made.report())
        return made

    return equations.remembered(("start", *key), many)(given, table)


def with_first_carried(
    stepper_state: StepperState, method: Method, system: System
) -> StepperState:
    """The stepper state with `carried` of the first step."""
    kept = kept_numbers(method, system)
    return stepper_state._replace(carried=first_carried(stepper_state.x_dot, kept))


def initialisation(equations: Equations, drive: Drive) -> Any:
    """(t, q, z, held, settings), table -> InitialStep, of one run, to be traced."""
    probing = _probe(equations, drive)

    def launch(given: Any, table: Table) -> InitialStep:
        t, q, z, held, settings = given
        start, spread = probing(t, q, z, table, held)
        return _laid(equations.system, StateArrays(t, q, z), start, spread, settings)

    return launch


def _probe(equations: Equations, drive: Drive) -> Any:
    """(t, q, z, table, held) -> InitialDerivative, and dy/dz (k, nz)."""
    core = equations.functions

    def initial_derivative(
        t: Scalar, q: Array, z: Array, given: Any, held: Array
    ) -> tuple[InitialDerivative, Any]:
        table = {**given, **drive.unpacked(held)}
        field = field_of(equations, table, drive.driven)
        y = core.start(t, q, z, table)
        x = jnp.concatenate([q, y])
        x_dot = field.x_dot(t, x)
        n = field.coordinates
        now, change = (t, q, y), (jnp.ones_like(t), x_dot[:n], x_dot[n:])
        _, z_dot = jax.jvp(field.speeds, now, change)
        # The system's own speeds are their own: of many, no matrix says so.
        is_own = field.is_in_speeds
        there = None if is_own else jax.jacfwd(core.start, 2)(t, q, z, table)
        is_kept = jnp.array(True)
        # By its own parameters a system has checked its states already.
        if equations.system.constraints and given:
            state = StateArrays(t, q, z)
            is_kept = keeps_constraints(equations.system, state, given)
        return InitialDerivative(x, x_dot, z_dot, field.is_sound(t, x), is_kept), there

    return initial_derivative


def _laid(
    system: System,
    state: StateArrays,
    start: InitialDerivative,
    spread: Any,
    settings: StepSettings,
) -> InitialStep:
    """The stepper state and the bounds of one run, inside a trace."""
    t, q, z = state
    span = settings.until - t
    far = jnp.abs(span)
    size = scales(system, q, z, start.z_dot, jnp.where(span == 0, 1.0, far))
    latest = jnp.maximum(jnp.abs(t), jnp.abs(settings.until))
    least = LEAST * jnp.maximum(latest, far)
    is_fixed = settings.step > 0
    count = jnp.ceil(far / jnp.where(is_fixed, settings.step, 1.0) * (1 - 1e-12))
    steps = jnp.where(is_fixed, jnp.clip(count, 1.0, MOST_STEPS), 0.0)
    chosen = jnp.sign(span) * jnp.minimum(far, FIRST_STEP / size.rate)
    h = jnp.where(is_fixed, span / jnp.maximum(steps, 1.0), chosen)
    own = settings.rtol * jnp.concatenate(
        [size.coordinates, _moving(spread, size.speeds)]
    )
    atol = jnp.where(jnp.isnan(settings.atol), own, settings.atol)
    n_steps, room = steps.astype(np.int64), np.array(ATTEMPTS)
    stepper_state = start_cursor(t, start.x, start.x_dot, h)
    status = jnp.where(span == 0, DONE, RUNNING)
    stepper_state = stepper_state._replace(
        t_end=settings.until, n_steps=n_steps, status=status
    )
    bounds = RunBounds(t, settings.until, n_steps, settings.rtol, atol, least, room)
    return InitialStep(start, stepper_state, bounds, size.rate)


def _moving(spread: Any, speeds: Array) -> Any:
    """Natural sizes of y, from those of the system's speeds."""
    found = speeds if spread is None else jnp.abs(spread) @ speeds
    # Velocities of a formulation's own that no speed moves here may move elsewhere.
    most = jnp.max(found, initial=0.0)
    return jnp.where(found > UNMOVED * most, found, most)


def require_feasible(equations: Equations, go: InitialStep, method: Method) -> None:
    """Refuse times that rounding swallows, and more steps than can be counted."""
    start, stop = go.bounds.start, go.bounds.stop
    if is_fixed(method):
        far = float(np.max(np.abs(stop - start)))
        _require_count(equations, method, far / method.step)
        if np.any(start != stop):
            latest = float(np.max(np.abs([start, stop])))
            require_clock(equations.system, method.step, latest)
    else:
        # A rate that is not finite is that of a run that is refused by itself.
        own = np.where(np.isfinite(go.rate), 1 / go.rate, np.inf)
        _require_reach(equations, start, float(stop[0]), own, go.bounds.least)


def _require_reach(
    equations: Equations,
    start: np.ndarray,
    stop: float,
    own: np.ndarray,
    least: np.ndarray,
) -> None:
    """Refuse times so large that rounding swallows the motion many times over."""
    k = int(np.argmax(least / own))
    if least[k] > HOPELESS * own[k]:
        raise IntegrationError(
            f"{equations.system.name!r} cannot run from {start[k]:g} to {stop:g} s.",
            f"It moves within {own[k]:.3g} s, and beside such times double precision"
            f" knows no step below {least[k]:.3g} s.",
            "Give a nearer end, count time from the start of the run, and look at the"
            " units of what acts.",
        )


def _require_count(equations: Equations, method: FixedStepMethod, count: float) -> None:
    """Refuse more steps than can be counted."""
    if count > MOST_STEPS:
        raise IntegrationError(
            f"{equations.system.name!r} cannot make {count:g} steps.",
            f"{method.name} was given steps of {method.step:g} s.",
            "Give a nearer end, or longer steps.",
        )


def require_clock(system: System, step: float, latest: float) -> None:
    """Refuse steps after which it is no later than before."""
    least = CLOCK * latest
    if step < least:
        raise IntegrationError(
            f"{system.name!r} cannot be stepped by {step:g} s near t = {latest:g} s.",
            f"Beside such times double precision knows no step below {least:.3g} s.",
            "Count time from the start of the run, or give longer steps.",
        )
