"""Large models from their description to a first motion, in a fresh process.

The size of a model is data: chains and nets are loops over tables, so that what is made
for them does not grow with the number of like parts.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.subjects.first_run import cold, limit_claim, timed


def long_chain(links: int) -> Any:
    """In a fresh process: so many links are built, and move for a millisecond."""
    import polhode as ph

    def work() -> Any:
        system = ph.models.chain_pendulum(links)
        state = system.state({f"h{k}": 0.3 / links for k in range(1, links + 1)})
        return ph.simulate(system, state, until=0.001).q[-1]

    return timed(work)


def net(side: int) -> Any:
    """In a fresh process: particles on springs, side by side, held at four corners."""
    import polhode as ph

    def work() -> Any:
        places = [(i, j) for i in range(side) for j in range(side)]
        knots = {p: ph.Particle(f"knot {p}", 0.01) for p in places}
        springs: list[Any] = [ph.Weight(9.81)]
        for (i, j), knot in knots.items():
            for other in ((i + 1, j), (i, j + 1)):
                if other in knots:
                    ends = knot.mass_centre, knots[other].mass_centre
                    name = f"spring {i} {j} to {other}"
                    springs.append(ph.Spring(*ends, 100.0, 0.1, name=name))
        last = side - 1
        for i, j in ((0, 0), (0, last), (last, 0), (last, last)):
            held = ph.World().point(0.1 * i, 0.1 * j, 0.0)
            ends = knots[i, j].mass_centre, held
            springs.append(ph.Spring(*ends, 1000.0, name=f"corner {i} {j}"))
        system = ph.System(list(knots.values()), springs, name="net")
        start = {f"knot {(i, j)}": (0.1 * i, 0.1 * j, 0.0) for i, j in places}
        return ph.simulate(system, system.state(start), until=0.01).q[-1]

    return timed(work)


CLAIMS = [
    limit_claim(
        "size-chain-1000",
        "chain of 1000 links: built, and first simulate, cold",
        partial(cold, "long_chain(1000)", module="size"),
        10.0,
    ),
    limit_claim(
        "size-net",
        "net of 2500 particles on springs: built, and first simulate, cold",
        partial(cold, "net(50)", module="size"),
        10.0,
    ),
]
