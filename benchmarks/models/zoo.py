"""One program of every kind that a kernel is made of, with systems that part ways.

Each is a function of one system and arguments with a leading axis of systems, so that
one kind of code can be held against another, bit by bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import polhode as ph
from benchmarks.models import chain, orbit
from polhode.arrays import shared
from polhode.integrate.events.event_step import Watched
from polhode.integrate.events.switch import switches_of
from polhode.integrate.field.input_table import UNDRIVEN
from polhode.integrate.host.batch_kernel import (
    Goal,
    batch_kernel,
    event_loop,
    first_run_states,
    sampled_loop,
    sampled_method,
)
from polhode.integrate.host.batch_samples import Due, capacity, first_step
from polhode.integrate.host.motion_equations import equations_of
from polhode.integrate.kernel.start import (
    StepSettings,
    initialisation,
    initialise,
    step_settings,
)
from polhode.integrate.kernel.stepper_state import StepperState
from polhode.integrate.methods.method import Method
from polhode.lowering.trace.trace import double_precision

Array = Any
SYSTEMS = 37
LONG = 100  # elements of an array that lives in memory
ATTEMPTS = 6  # steps that a run of a batch kernel tries


@dataclass(frozen=True)
class Animal:
    """A function of one system, and arguments of many."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    def example(self) -> tuple[Any, ...]:
        """The arguments of the first system."""
        return jax.tree.map(lambda x: x[0], self.arguments)


def elementary(x: Array) -> dict[str, Array]:
    """Every elementary function, at arguments of every size."""
    inside, above = x / (1 + jnp.abs(x)), 1 + jnp.abs(x)
    whole = [
        *(jnp.sin, jnp.cos, jnp.tan, jnp.exp, jnp.exp2, jnp.expm1, jnp.tanh, jnp.sinh),
        *(jnp.cosh, jnp.arctan, jnp.arcsinh, jnp.cbrt, lax.logistic, lax.erf, lax.erfc),
        *(jnp.floor, jnp.ceil, jnp.trunc, jnp.round, jnp.sign, jnp.square),
    ]
    part = [jnp.arcsin, jnp.arccos, jnp.arctanh, lax.erf_inv, jnp.log1p]
    upper = [jnp.log, jnp.sqrt, lax.rsqrt, jnp.arccosh]
    return {
        **{f.__name__: f(x) for f in whole},
        **{f.__name__: f(inside) for f in part},
        **{f.__name__: f(above) for f in upper},
        "pow": above**inside,
        "atan2": jnp.arctan2(x, 1 - x),
        "rest": jnp.fmod(x, 0.7) + jnp.mod(x, -0.3) + jnp.nextafter(x, inside),
        "extremes": (jnp.minimum(x, -x), jnp.maximum(x, 0.0), jnp.copysign(above, x)),
    }


def rolled(x: Array, forces: Array) -> tuple[Array, Array]:
    """A scan too long to unroll, with stacked results read back to front."""

    def turn(state: Array, force: Array) -> tuple[Array, Array]:
        position, speed = state
        speed = speed + 0.01 * (force - jnp.sin(position) - 0.1 * speed**3)
        position = position + 0.01 * speed
        return jnp.stack([position, speed]), jnp.stack([speed * force, position])

    last, rows = lax.scan(turn, x, forces)
    again, _ = lax.scan(lambda c, row: (0.9 * c + row[0] * row[1], 0), 0.0, rows[::-1])
    return last, rows * again


def until(x: Array, tolerance: Array) -> tuple[Array, Array]:
    """Newton's method inside a count: every system takes its own number of turns."""

    def newton(target: Array) -> tuple[Array, Array]:
        def turn(state: tuple) -> tuple:
            y, n = state
            return y - (y * y * y - target) / (3 * y * y), n + 1

        def more(state: tuple) -> Array:
            y, n = state
            far = jnp.abs(y * y * y - target) > tolerance * target
            return far & (n < 200)

        return lax.while_loop(more, turn, (target, 0))

    def outer(state: tuple) -> tuple:
        y, total = state
        root, n = newton(y)
        return root, total + n

    return lax.while_loop(lambda s: s[0] > 1.5, outer, (x, 0))


def busy(x: Array, factor: float) -> Array:
    """So many operations that a branch stays a branch."""
    for k in range(30):
        x = factor * x + jnp.where(x > k, 0.5, 0.25) * x / (1 + x * x)
    return x


def branching(x: Array, which: Array, flag: Array) -> tuple[Array, ...]:
    """A switch with indices out of range, and a condition inside a loop."""
    ways = [lambda x, f=f: (busy(x, f), jnp.sin(f * x)) for f in (0.9, 1.01, 1.1, -0.7)]
    first, second = lax.switch(which, ways, x)

    def turn(k: int, y: Array) -> Array:
        up = flag ^ (y > k)
        return lax.cond(up, lambda y: busy(y, 0.99), lambda y: -busy(-y, 0.98), y)

    return first, second, lax.fori_loop(0, 90, turn, x)


def remembering(x: Array, places: Array) -> tuple[Array, ...]:
    """Gather, scatter, sort, and a long array changed in place in a loop."""
    n = len(places)

    def turn(k: int, state: tuple) -> tuple:
        array, total = state
        here = (places[k % n] + 7 * k) % LONG
        value = array[here] * 0.5 + x[k % len(x)]
        return array.at[here].set(value).at[(here + 3) % LONG].add(
            -value
        ), total + value

    start = (jnp.arange(LONG) % 7) * x[0]
    array, total = lax.fori_loop(0, 150, turn, (start, 0.0))
    marks = jnp.zeros(LONG, bool).at[places].set(True)
    picked = x[places % len(x)]
    return array, total, marks, picked, jnp.sort(picked), jnp.argmax(picked)


def whole_numbers(a: Array, b: Array, x: Array) -> dict[str, tuple]:
    """Integers of every width: what wraps, what is cut, what divides by zero."""
    out = {}
    for name in (
        "int8",
        "uint8",
        "int16",
        "uint16",
        "int32",
        "uint32",
        "int64",
        "uint64",
    ):
        p, q = a.astype(name), b.astype(name)
        shifts = lax.shift_left, lax.shift_right_logical, lax.shift_right_arithmetic
        out[name] = (
            *(p + q, p - q, p * q, -p, ~p, p & q, p | q, p ^ q),
            *(lax.div(p, q), lax.rem(p, q), p // q, p % q, jnp.abs(p), jnp.sign(p)),
            *(lax.max(p, q), lax.min(p, q), lax.population_count(p), lax.clz(q)),
            *(shift(p, q) for shift in shifts),
            *(p < q, p >= q, p == q, x.astype(name), p.astype(float)),
        )
    return out


def random_bits(seed: Array) -> tuple[Array, ...]:
    """JAX's own random numbers."""
    key, other = jax.random.split(jax.random.key(seed))
    uniform = jax.random.uniform(other, (3,), "float64")
    return jax.random.bits(key, (5,)), uniform, jax.random.normal(key, (2,), "float64")


@shared
def winding(x: Array, h: Array) -> Array:
    """A function with a loop, memory, a branch and many sines: called, not inlined."""

    def turn(y: Array, k: Array) -> tuple[Array, Array]:
        y = jnp.sin(y * h + k) + jnp.cos(y)[::-1]
        return y, y.at[jnp.argmax(y)].add(0.25) * h

    y, rows = lax.scan(turn, x, jnp.arange(40.0))
    bent = lax.cond(y.sum() > 0.1, lambda v: jnp.sin(v) / (2 + v), jnp.tanh, y)
    return bent + rows.mean(0) + rows[jnp.argmin(x) + 1]


@shared
def open_ended(x: Array, h: Array) -> Array:
    """A function whose loops end for each system by itself, and that calls another."""

    def turn(state: tuple) -> tuple:
        v, k = state
        v = lax.while_loop(lambda w: w[0] > 1.0, lambda w: w * 0.75, v)
        return jnp.sin(v) * 0.9 + 0.01 * winding(v, h), k + 1

    def more(state: tuple) -> Array:
        return (state[1] < 30) & (jnp.abs(state[0]).max() > h)

    return lax.while_loop(more, turn, (x, 0))[0]


def open_functions(x: Array, h: Array) -> Array:
    """Calls of it in a branch that some systems take, where others would not end."""

    def endless(v: Array) -> Array:
        y = open_ended(v, h)
        return lax.while_loop(lambda w: ~(w.max() <= 1 + x[0] ** 2), jnp.sin, 9 * y)

    y = lax.cond(x[0] > 0, endless, lambda v: v, x)
    return lax.fori_loop(0, 3, lambda _, v: open_ended(v + x[1], h), y)


def large_functions(x: Array, h: Array) -> Array:
    """Calls of a large function by each other, in a branch and in a loop."""
    y = lax.cond(x[0] > 0, lambda v: winding(winding(v, h), 2 * h), lambda v: v, x)
    return lax.fori_loop(0, 3, lambda _, v: winding(v, h), y)


def edges(draw: np.random.Generator) -> np.ndarray:
    """Integers with all their ends among them."""
    ends = [[2**k, -(2**k), 2**k - 1, 1 - 2**k] for k in (0, 3, 7, 8, 15, 16, 31, 62)]
    least = np.array([-(2**63), 2**63 - 1, 0, 0, -1])
    out = np.concatenate([np.ravel(ends), least]).astype(np.int64)
    return draw.permutation(out)[:SYSTEMS]


def sweeping(name: str, method: Method, terms: int = 0) -> Animal:
    """The batch kernel of `ph.sweep` for a model of the gallery, one run a system.

    Every run chooses its own steps, and its accelerations are a function that the
    program writes once and calls at each stage. `terms` are of dense output.
    """
    start, draw = ph.models.start(name), np.random.default_rng(11)
    equations = equations_of(start.system)
    q, z = (
        np.tile(np.asarray(part, float), (SYSTEMS, 1)) for part in (start.q, start.z)
    )
    z = z + 0.3 * draw.normal(size=z.shape)
    go = _launch(
        equations, ph.States(start.system, 0.0, q, z), step_settings(method, 10.0)
    )
    run_states = first_run_states(go.stepper_state, terms, 0)
    ends = (np.full(SYSTEMS, 10.0), np.full(SYSTEMS, ATTEMPTS))
    return Animal(batch_kernel(equations, method), (run_states, go.bounds, {}, *ends))


def sampling(method: Method) -> Animal:
    """The kernel of double pendulums that take samples inside their loop."""
    start, draw = ph.models.start("double_pendulum"), np.random.default_rng(12)
    equations = equations_of(start.system)
    q = start.q + 0.5 * draw.normal(size=(SYSTEMS, 2))
    states = ph.States(start.system, 0.0, q, np.zeros((SYSTEMS, 2)))
    go = _launch(equations, states, step_settings(method, 10.0))
    due = _due(go.stepper_state, sampled_method(method, UNDRIVEN, False).dense_terms)
    run_states = first_run_states(go.stepper_state, 0, 0)
    ends = (np.full(SYSTEMS, 10.0), np.full(SYSTEMS, 4 * ATTEMPTS))
    kernel = sampled_loop(equations, method, False, UNDRIVEN)
    return Animal(kernel, (run_states, go.bounds, {}, *ends, due))


def _due(stepper_states: StepperState, terms: int) -> Due:
    """Samples each 0.04 s from the start on."""
    count = capacity(stepper_states.x.shape[1]) + 1
    times = np.tile(0.04 * np.arange(count), (SYSTEMS, 1))
    return Due(times, first_step(stepper_states, terms))


def bouncing(is_sampled: bool) -> Animal:
    """Balls that bounce, and are watched at their tops."""
    method = ph.methods.DormandPrince(1e-6)
    system = ph.System([ph.Particle("ball", 0.1)], [ph.Weight(9.81)], name="ball")
    events = (
        ph.Event("floor", lambda t, s: s["ball"][2], -1, reset=_bounced),
        ph.Event("top", lambda t, s: s.speed("ball")[2], -1),
    )
    q, z = np.zeros((SYSTEMS, 3)), np.zeros((SYSTEMS, 3))
    q[:, 2] = np.linspace(0.1, 3.0, SYSTEMS)
    z[:, 2] = np.linspace(-2.0, 5.0, SYSTEMS)
    equations, aim = equations_of(system), step_settings(method, 4.0)
    go = _launch(equations, ph.States(system, 0.0, q, z), aim)
    sides = 2 * np.sign(np.stack([q[:, 2], z[:, 2]], axis=1)).astype(np.int64)
    cursors = go.stepper_state._replace(sides=sides)
    run_states = first_run_states(cursors, method.dense_terms, 0)
    room = np.full(SYSTEMS, 4 * ATTEMPTS)
    goal = Goal(np.full(SYSTEMS, np.inf), room, np.ones(SYSTEMS))
    watched = Watched(switches_of(system, events), UNDRIVEN)
    kernel = event_loop(equations, method, watched)
    due = (_due(cursors, method.dense_terms),) if is_sampled else ()
    return Animal(kernel, (run_states, go.bounds, {}, goal, *due))


def _bounced(t: Any, state: ph.State) -> ph.State:
    x, y, z = state.speed("ball")
    return state.changed(speeds={"ball": (x, y, -0.8 * z)})


def _launch(equations: Any, states: ph.States, aim: StepSettings) -> Any:
    """Runs at their start; by XLA on machines without LLVM."""
    if find_spec("llvmlite"):
        return initialise(equations, states, {}, aim)
    many = StepSettings(*(np.full(SYSTEMS, float(each)) for each in aim))
    given = (states.t, states.q, states.z, np.zeros((SYSTEMS, 0)), many)
    launch = initialisation(equations, UNDRIVEN)
    with double_precision():
        go = jax.jit(jax.vmap(lambda each: launch(each, {})))(given)
    return jax.tree.map(np.asarray, go)


def sweeps() -> dict[str, Callable[[], Animal]]:
    """Batch kernels: adaptive, fixed, on groups, implicit, with dense output.

    Each is made when it is called: models take their time.
    """
    fifth = ph.methods.DormandPrince(1e-6)
    subjects: dict[str, tuple[Any, ...]] = {
        "sweep of double pendulums": ("double_pendulum", fifth),
        "sweep, sampled": ("double_pendulum", fifth, fifth.dense_terms),
        "sweep of heavy tops": ("heavy_top", ph.methods.CommutatorFree4(0.01)),
        "sweep of satellites": ("satellite", ph.methods.RungeKutta4(0.01)),
        "sweep of arms": ("arm", ph.methods.RungeKutta4(0.001)),
        "sweep by Taylor series": ("pendulum", ph.methods.Taylor(1e-12)),
        "sweep by Radau IIA": ("pendulum", ph.methods.RadauIIA(1e-6)),
    }
    found: dict[str, Callable[[], Animal]] = {
        name: partial(sweeping, *words) for name, words in subjects.items()
    }
    eighth = ph.methods.DormandPrince8(rtol=1e-9, atol=1e-9)
    return found | {
        "samples in the loop": partial(sampling, eighth),
        "sweep of bouncing balls": partial(bouncing, False),
        "sweep of bouncing balls, sampled": partial(bouncing, True),
    }


def zoo(steps: int = 100) -> dict[str, Animal]:
    """All of them; the mechanical ones make so many steps."""
    draw = np.random.default_rng(7)
    arm, long_arm = chain.Chain(7), chain.Chain(100)
    wide = draw.normal(size=4 * SYSTEMS) * 10.0 ** draw.integers(-8, 3, 4 * SYSTEMS)
    wide[:9] = [0.0, -0.0, 1e300, 5e-324, 1e22, -1e15, np.inf, 709.5, np.nan]
    small = draw.integers(-2, 300, (SYSTEMS, 6))

    def angles(n: int) -> np.ndarray:
        return draw.normal(size=(SYSTEMS, n))

    return {
        "7-link chain": Animal(chain.stepping(arm, steps), (angles(7), angles(7))),
        "100-link chain": Animal(
            lambda q, v: chain.step(long_arm, q, v), (angles(100), angles(100))
        ),
        "spacecraft": Animal(orbit.stepping(steps), (orbit.fleet(SYSTEMS),)),
        "elementary functions": Animal(elementary, (wide,)),
        "large functions": Animal(
            large_functions, (angles(4), 0.1 + angles(1)[:, 0] ** 2)
        ),
        "functions with open loops": Animal(
            open_functions, (angles(4), 0.1 + angles(1)[:, 0] ** 2)
        ),
        "rolled scans": Animal(rolled, (angles(2), angles(200))),
        "while loops": Animal(
            until, (10 + 1e5 * angles(1)[:, 0] ** 2, 1e-9 + angles(1)[:, 0] ** 2 * 1e-3)
        ),
        "branches": Animal(
            branching, (angles(1)[:, 0], small[:, 0] % 9 - 3, small[:, 1] % 2 == 0)
        ),
        "memory": Animal(remembering, (angles(5), small % LONG)),
        "integers": Animal(
            whole_numbers, (edges(draw), edges(draw), wide[:SYSTEMS] * 1e6)
        ),
        "random bits": Animal(random_bits, (np.arange(SYSTEMS),)),
    }
