"""What keeping the loop over links costs: growth with length, and against unrolling."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.inside import Unrolling, compiled
from benchmarks.measure import race, require_agreement
from benchmarks.models.chain import Chain, forward_dynamics
from benchmarks.table import Claim, Measured, times_slower
from polhode.lowering.trace.trace import double_precision

SHORT, LONG = 30, 1000  # links
LINKS = 120_000  # links passed in one timed call


def contender(links: int, unrolling: Unrolling) -> Callable:
    """Forward dynamics of about LINKS links in all, checked against XLA."""
    chain, count = Chain(links), LINKS // links
    source = np.random.default_rng(links)
    states = source.normal(size=(3, count, links)) * 0.1

    def accelerations(q, v, tau):
        return forward_dynamics(chain, q, v, tau)

    run = compiled(accelerations, tuple(s[0] for s in states), unrolling)
    expected = by_xla(accelerations, states[:, :2])
    what = f"{links} links, {unrolling.name.lower()}"
    require_agreement(what, run(*states)[:2], expected, 1e-7)
    return lambda: run(*states)


def by_xla(function: Callable, states: np.ndarray) -> np.ndarray:
    import jax

    with double_precision():
        return np.asarray(jax.jit(jax.vmap(function))(*states))


def growth(rounds: int) -> Measured:
    contenders = {
        "long": contender(LONG, Unrolling.NEVER),
        "short": contender(SHORT, Unrolling.NEVER),
    }
    result = race(contenders, rounds, LINKS)
    best, doubt = result.seconds, result.doubt(*contenders)
    return Measured(best["long"], best["short"], doubt=doubt)


def against_unrolled(rounds: int) -> Measured:
    contenders = {
        "rolled": contender(SHORT, Unrolling.NEVER),
        "unrolled": contender(SHORT, Unrolling.ALWAYS),
    }
    result = race(contenders, rounds, LINKS)
    best, doubt = result.seconds, result.doubt(*contenders)
    return Measured(best["rolled"], best["unrolled"], doubt=doubt)


CLAIMS = [
    Claim(
        name="per-link",
        work="rolled chain of 1000 links, a link",
        other="30 links",
        compared=(
            "forward dynamics with every lax.scan kept a loop, one lane and thread: "
            "time per link at 1000 links over that at 30"
        ),
        measure=growth,
        required=1.3,
        judge=times_slower,
    ),
    Claim(
        name="rolled",
        work="rolled chain of 30 links, a link",
        other="unrolled",
        compared="the same code at 30 links with loops kept, over that without loops",
        measure=against_unrolled,
        required=2.5,
        judge=times_slower,
    ),
]
