"""`ph.sweep(backend="cuda")` beside native code on the same machine: bits, and rates.

Each row is a public call made on the GPU and on the cores: parameters, laws, sampled
controllers and noise, fixed steps, events with resets, supports, folders, results that
stay on the device, a process a GPU.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

import polhode as ph
from benchmarks.measure import Disagreement
from polhode.errors import IntegrationError

Facts = dict[str, Any]
ARRAYS = ("t", "q", "z", "status", "accepted", "rejected")
EVENTS = ("run", "number", "t", "direction", "before", "after")
RUNS = 512


@cache
def cart() -> ph.System:
    """A block on a spring, with a motor and a disturbance."""
    block = ph.Body("block", ph.solids.box(mass=1.2, x=0.1, y=0.1, z=0.1))
    track = ph.Prismatic("track", ph.World().origin, block.origin, axis=ph.X)
    spring = ph.JointSpring(track, ph.Parameter("k", 4.0))
    motors = [ph.Motor(track, 0.0, name=name) for name in ("drive", "gust")]
    return ph.System([track], [spring, *motors], name="cart")


@cache
def ball() -> ph.System:
    """A ball under gravity."""
    return ph.System([ph.Particle("ball", 0.1)], actions=[ph.Weight(9.81)], name="ball")


def bounce() -> ph.Event:
    """A floor from which the ball rises with 0.8 of its speed."""

    def rises(t: Any, state: Any) -> Any:
        x, y, z = state.speed("ball")
        return state.changed(speeds={"ball": (x, y, -0.8 * z)})

    return ph.Event("floor", lambda t, state: state["ball"][2], -1, reset=rises)


def controller() -> ph.Sampled:
    """Proportional and integral, at 10 Hz."""

    def law(t: Any, state: Any, x: Any) -> tuple[Any, Any]:
        error = state["track"] - 0.2 * jnp.sin(t)
        return -3.0 * error - state.speed("track") - x[0], x + 0.1 * error

    return ph.Sampled(law, 0.1, state=[0.0])


def carts(runs: int = RUNS) -> ph.States:
    q, z = np.random.default_rng(1).uniform(-1, 1, (2, runs, 1))
    return ph.States(cart(), 0.0, q, z)


def balls(runs: int = RUNS) -> ph.States:
    draw = np.random.default_rng(2)
    q, z = np.zeros((runs, 3)), draw.normal(size=(runs, 3))
    q[:, 2] = draw.uniform(0.5, 2.0, runs)
    return ph.States(ball(), 0.0, q, z)


def wall() -> ph.Event:
    """A wall from which the block comes back with 0.6 of its speed."""

    def back(t: Any, state: Any) -> Any:
        return state.changed(speeds={"track": -0.6 * state.speed("track")})

    return ph.Event("wall", lambda t, state: 0.5 - state["track"], -1, reset=back)


@cache
def pendulums(runs: int = RUNS) -> ph.States:
    start = ph.models.start("double_pendulum")
    q = start.q + np.random.default_rng(3).normal(size=(runs, 2))
    return ph.States(start.system, 0.0, q, np.zeros((runs, 2)))


def same(ours: Any, theirs: Any) -> str:
    """Every array of two sweeps equal to the bit, or `Disagreement`."""
    pairs = [(n, getattr(ours, n), getattr(theirs, n)) for n in ARRAYS]
    if theirs.events is not None:
        own = (ours.events, theirs.events)
        pairs += [(f"event {n}", *(getattr(e, n) for e in own)) for n in EVENTS]
    if theirs.ledger is not None:
        work = theirs.ledger.work
        pairs += [(f"work {n}", ours.ledger.work[n], w) for n, w in work.items()]
    for name, a, b in pairs:
        if not np.array_equal(np.asarray(_fetched(a)), np.asarray(b), equal_nan=True):
            raise Disagreement(f"{name} of the sweeps differ")
    return "equal"


def _fetched(array: Any) -> Any:
    return array.get() if hasattr(array, "get") else array


def beside(states: Any, **wish: Any) -> Facts:
    """The same call on the cores and on the GPU."""
    system = states.system
    theirs, on_cores = timed(lambda: ph.sweep(system, states, **wish))
    ours, cold = timed(lambda: ph.sweep(system, states, backend="cuda", **wish))
    _, again = timed(lambda: ph.sweep(system, states, backend="cuda", **wish))
    return {
        "bits of native code": same(ours, theirs),
        "GPU, cold, s": cold,
        "GPU, warm, s": again,
        "cores, cold, s": on_cores,
    }


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    begun = time.perf_counter()
    found = work()
    return found, time.perf_counter() - begun


def in_folders() -> Facts:
    """Parts made on the GPU have the bytes of those made by native code."""
    with tempfile.TemporaryDirectory() as place:
        wish: dict[str, Any] = {"until": 2.0, "slab": 128, "inputs": inputs()}
        folders = {"cuda": Path(place, "gpu"), "llvm": Path(place, "cores")}
        for backend, to in folders.items():
            ph.sweep(cart(), carts(), backend=backend, to=to, **wish)
        names = sorted(p.name for p in folders["llvm"].glob("part-*"))
        pairs = [[(to / n).read_bytes() for to in folders.values()] for n in names]
        if not names or any(a != b for a, b in pairs):
            raise Disagreement("parts of the two folders differ")
    return {"parts with the same bytes": len(names)}


def by_processes() -> Facts:
    """A process for each GPU makes the parts; the bits are those of native code."""
    states, wish = pendulums(), {"until": 2.0, "slab": 128}
    system = states.system
    with tempfile.TemporaryDirectory() as place:
        parts = ph.sweep(
            system,
            states,
            backend="cuda",
            executor="gpus",
            to=f"{place}/a",
            **wish,
        )
        bits = same(parts.whole(), ph.sweep(system, states, **wish))
    return {"bits of native code": bits, "parts": len(parts.files.firsts)}


def on_the_device() -> Facts:
    """CuPy in and CuPy out: DLPack hands the states to JAX without a copy."""
    import cupy
    import jax

    given = carts()
    placed = ph.States(cart(), 0.0, cupy.asarray(given.q), cupy.asarray(given.z))
    wish: dict[str, Any] = {"until": 2.0, "samples": 20, "inputs": inputs()}
    ours = ph.sweep(cart(), placed, backend="cuda", device=True, **wish)
    if not isinstance(ours.q, cupy.ndarray):
        raise Disagreement(f"q is {type(ours.q)}")
    with jax.enable_x64(True):
        mean = float(jnp.mean(jax.dlpack.from_dlpack(cupy.ascontiguousarray(ours.q))))
    gap = abs(mean - float(ours.q.mean()))
    bits = same(ours, ph.sweep(cart(), given, **wish))
    return {"bits of native code": bits, "mean by JAX differs by": gap}


def refused() -> Facts:
    """What does not fit on the card is refused in words."""
    states = carts(100_000)
    try:
        ph.sweep(cart(), states, until=1.0, samples=3_000_000, backend="cuda")
    except IntegrationError as error:
        return {"said": str(error).splitlines()[0]}
    raise Disagreement("it was not refused")


def inputs() -> dict[str, Any]:
    """A controller at 10 Hz and noise at 50 Hz."""
    return {"drive": controller(), "gust": ph.Noise(0.3, 0.02, seed=5)}


def rate(states: Any, few: int, **wish: Any) -> Facts:
    """Runs a second on the GPU and on all cores, of which only few are made there."""
    system = states.system
    part, small = states.part(slice(0, few)), states.part(slice(0, 1024))
    ph.sweep(system, small, backend="cuda", **wish)
    _, ours = timed(lambda: ph.sweep(system, states, backend="cuda", **wish))
    ph.sweep(system, small, **wish)
    _, theirs = timed(lambda: ph.sweep(system, part, **wish))
    runs = {"GPU, runs/s": len(states) / ours, "cores, runs/s": few / theirs}
    return {**runs, "times": runs["GPU, runs/s"] / runs["cores, runs/s"]}


def bits() -> dict[str, Callable[[], Facts]]:
    """Rows in which bits count, those with the most at stake first."""
    wish: dict[str, Any] = {"until": 2.0}
    k = np.linspace(2.0, 6.0, RUNS)
    fixed = ph.methods.RungeKutta4(0.01)
    push = {"drive": lambda t, state: jnp.sin(3 * t) - state.speed("track")}
    return {
        "sweep: controller and noise": lambda: carts_beside(inputs=inputs(), **wish),
        "sweep: controller, 20 samples": lambda: carts_beside(
            inputs=inputs(), samples=20, **wish
        ),
        "sweep: bouncing balls": lambda: beside(
            balls(), until=1.5, events=bounce(), samples=5
        ),
        "sweep: controller, walls, 50 samples": lambda: carts_beside(
            inputs=inputs(), events=wall(), samples=50, **wish
        ),
        "sweep: results on the device": on_the_device,
        "sweep: supports": supported,
        "sweep: order 8, 200 samples": lambda: beside(
            pendulums(),
            until=10.0,
            samples=200,
            method=ph.methods.DormandPrince8(rtol=1e-9, atol=1e-9),
        ),
        "sweep: parameters, audited": lambda: carts_beside(
            parameters={"k": k}, audited=True, **wish
        ),
        "sweep: a law, fixed steps": lambda: carts_beside(
            inputs=push, method=fixed, samples=7, **wish
        ),
        "sweep: Taylor, 20 samples": lambda: beside(
            pendulums(), samples=20, method=ph.methods.Taylor(1e-12), **wish
        ),
        "simulate: order 8, 50 samples": lambda: motions_beside(
            pendulums(64),
            until=2.0,
            samples=50,
            method=ph.methods.DormandPrince8(rtol=1e-9, atol=1e-9),
        ),
        "simulate: controller, walls, all rows": lambda: motions_beside(
            carts(64), inputs=inputs(), events=wall(), **wish
        ),
        "sweep: a process a GPU": by_processes,
        "sweep: folder": in_folders,
        "sweep: no room": refused,
    }


def rates() -> dict[str, Callable[[], Facts]]:
    """Runs a second on the GPU and on all cores."""
    return {
        "rate: controlled carts": lambda: rate(
            carts(1_000_000), 65_536, until=10.0, inputs=inputs()
        ),
        "rate: bouncing balls": lambda: rate(
            balls(1_000_000), 65_536, until=3.0, events=bounce()
        ),
    }


def motions_beside(states: ph.States, **wish: Any) -> Facts:
    """Whole motions made on the GPU and here, row by row."""
    ours = ph.simulate(states.system, states, backend="cuda", **wish)
    theirs = ph.simulate(states.system, states, **wish)
    for k, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        for name in ("t", "q", "z"):
            if not np.array_equal(getattr(mine, name), getattr(other, name)):
                raise Disagreement(f"{name} of motion {k} differ")
        if str(mine.outcome) != str(other.outcome):
            raise Disagreement(f"motion {k} ended otherwise")
    rows = sum(len(motion) for motion in theirs)
    return {"motions": len(states), "rows": rows, "bits": "equal"}


def carts_beside(**wish: Any) -> Facts:
    return beside(carts(), **wish)


def supported() -> Facts:
    """A ball that falls on a floor, by exact contact, with samples on the way."""
    start = ph.models.start("bouncing_ball")
    system = start.system
    z = start.z + 0.1 * np.random.default_rng(4).normal(size=(64, len(start.z)))
    states = ph.States(system, 0.0, np.repeat(start.q[None], 64, axis=0), z)
    return beside(states, until=1.0, samples=40)
