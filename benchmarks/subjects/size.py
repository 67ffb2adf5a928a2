"""Large models from their description to a first motion, in a fresh process.

The size of a model is data: chains, nets and rows of closed loops are loops over
tables, so that what is made for them does not grow with the number of like parts.
"""

from __future__ import annotations

import importlib
import time
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

from benchmarks.subjects.first_run import cold, limit_claim, timed
from benchmarks.table import Claim, Measured, seconds


def long_chain(links: int) -> Any:
    """In a fresh process: so many links are built, and move for a millisecond."""
    import polhode as ph

    simulate, models = ph.simulate, ph.models

    def work() -> Any:
        system = models.chain_pendulum(links)
        state = system.state({f"h{k}": 0.3 / links for k in range(1, links + 1)})
        return simulate(system, state, until=0.001).q[-1]

    return timed(work)


def net(side: int) -> Any:
    """In a fresh process: particles on springs, side by side, held at four corners."""
    import polhode as ph

    simulate = ph.simulate

    def work() -> Any:
        places = [(i, j) for i in range(side) for j in range(side)]
        knots = {p: ph.Particle(f"knot {p}", 0.01) for p in places}
        world = ph.World()
        springs: list[Any] = [ph.Weight(9.81)]
        for (i, j), knot in knots.items():
            for other in ((i + 1, j), (i, j + 1)):
                if other in knots:
                    ends = knot.mass_centre, knots[other].mass_centre
                    name = f"spring {i} {j} to {other}"
                    springs.append(ph.Spring(*ends, 100.0, 0.1, name=name))
        last = side - 1
        for i, j in ((0, 0), (0, last), (last, 0), (last, last)):
            held = world.point(0.1 * i, 0.1 * j, 0.0)
            ends = knots[i, j].mass_centre, held
            springs.append(ph.Spring(*ends, 1000.0, name=f"corner {i} {j}"))
        system = ph.System(list(knots.values()), springs, name="net")
        start = {f"knot {(i, j)}": (0.1 * i, 0.1 * j, 0.0) for i, j in places}
        return simulate(system, system.state(start), until=0.01).q[-1]

    return timed(work)


def four_bar_row(loops: int, hinges: bool = False) -> Any:
    """In a fresh process: four-bars in a row, closed by pins or hinges, first move."""
    import polhode as ph

    simulate, models = ph.simulate, ph.models

    def work() -> Any:
        system = hinged_row(loops) if hinges else models.four_bars(loops)
        return simulate(system, turning(system), until=0.01).q[-1]

    return timed(work)


def hinged_row(loops: int) -> Any:
    """Four-bars in a row whose loops are closed by hinges: five rows of rank two."""
    import polhode as ph

    standing = ph.solids.placed(ph.solids.rod(mass=1.0, length=1.0), (0, 0, -0.5))
    lying = ph.solids.rod(mass=1.0, length=1.0, along=ph.X)
    lying = ph.solids.placed(lying, (0.5, 0, 0))
    world = ph.World()
    uprights = [ph.Body(f"upright {k}", standing) for k in range(loops + 1)]
    joints = [
        ph.Revolute(f"A{k}", world.point(k, 0, 0), each.point(0, 0, -1.0), axis=ph.Y)
        for k, each in enumerate(uprights)
    ]
    closing = []
    for k, (left, right) in enumerate(pairwise(uprights)):
        coupler = ph.Body(f"coupler {k}", lying)
        ends = coupler.point(1.0, 0, 0), right.origin
        joints.append(ph.Revolute(f"B{k}", left.origin, coupler.origin, axis=ph.Y))
        closing.append(ph.Revolute(f"C{k}", *ends, axis=ph.Y))
    return ph.System([*joints, *closing], [ph.Weight(9.81)], name="hinged row")


def turning(system: Any) -> Any:
    """Uprights upright, their tops moving along X at 1 m/s."""
    tree = [edge.joint.name for edge in system.tree.edges]
    return system.state(speeds={n: 1.0 if n[0] == "A" else -1.0 for n in tree})


def step_of_row(loops: int, rounds: int) -> Measured:
    """A step of a row of four-bars: one more of a fixed step in a run of many."""
    import polhode as ph

    system = ph.models.four_bars(loops)
    state, method = turning(system), ph.methods.SemiImplicitEuler(1e-3)
    taken: dict[int, float] = {}
    for count in (200, 2200) * max(3, rounds // 5):
        start = time.process_time()
        ph.simulate(system, state, until=1e-3 * count, method=method)
        spent = time.process_time() - start
        taken[count] = min(taken.get(count, spent), spent)
    return Measured((taken[2200] - taken[200]) / 2000, None)


def of_peer(call: str) -> Any:
    """In a fresh process: a model of `peers.large_models`, built and moved."""
    from benchmarks.peers import large_models

    name, _, number = call.partition("(")
    model, count = getattr(large_models, name), int(number.rstrip(")"))
    # Imports are not counted, as they are not of ours.
    importlib.import_module(name.partition("_")[0])
    return timed(lambda: model(count))


def beside(call: str, peers: str, rounds: int) -> Measured:
    """Our first result, with those of MuJoCo and Exudyn in the note."""
    ours, told = cold(call, rounds, module="size"), []
    for word in ("MuJoCo", "Exudyn"):
        if find_spec(word.lower()) is None:
            told.append(f"{word} is not installed")
            continue
        peer = f"of_peer('{word.lower()}_{peers}')"
        taken = cold(peer, rounds, module="size").ours
        told.append(f"{word} {taken:.2g} s")
    return Measured(ours.ours, None, note=", ".join(told))


CLAIMS = [
    *(
        limit_claim(
            f"size-fourbars-{loops}{word}",
            f"{loops} four-bars closed by {how}: built, and first simulate, cold",
            partial(
                beside, f"four_bar_row({loops}, {bool(word)})", f"four_bars({loops})"
            ),
            most,
        )
        for loops, most in ((40, 6.0), (200, 15.0))
        for word, how in (("", "pins"), ("-hinges", "hinges"))
    ),
    Claim(
        name="size-fourbars-step",
        work="40 four-bars, a step of the semi-implicit method with projection",
        other="limit",
        compared="processor time of one step more in a run",
        measure=partial(step_of_row, 40),
        required=25e-6,
        judge=seconds,
    ),
    limit_claim(
        "size-chain-1000",
        "chain of 1000 links: built, and first simulate, cold",
        partial(beside, "long_chain(1000)", "chain(1000)"),
        10.0,
    ),
    limit_claim(
        "size-net",
        "net of 2500 particles on springs: built, and first simulate, cold",
        partial(beside, "net(50)", "net(50)"),
        10.0,
    ),
]
