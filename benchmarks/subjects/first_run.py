"""From a description to its first motion, in a fresh process; and Python's share.

What is timed is processor time after imports: on a machine with other work it is what
the user's own machine would need. Cold is with an empty cache, warm with one that a
process before has filled.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.subjects.startup import tries
from benchmarks.table import Claim, Measured, seconds

ROOT = Path(__file__).parents[2]


def chain(links: int) -> Any:
    """In a fresh process: a chain of so many links moves for a tenth of a second."""
    import polhode as ph

    simulate, system = ph.simulate, ph.models.chain_pendulum(links)
    state = system.state({"h1": 0.5})
    return timed(lambda: simulate(system, state, until=0.1).q[-1])


def touching(corners: int) -> Any:
    """In a fresh process: a box falls on so many corners, or a ball, of none."""
    import polhode as ph

    world, side = ph.World(), 0.1
    if corners:
        solid = ph.solids.box(mass=1.0, x=side, y=side, z=side)
    else:
        solid = ph.solids.sphere(mass=1.0, radius=side / 2)
    body = ph.Body("body", solid)
    signs = [(x, y) for x in (-1, 1) for y in (-1, 1)][:corners]
    points = [body.point(x * side / 2, y * side / 2, -side / 2) for x, y in signs]
    skins = [ph.surfaces.point(point) for point in points]
    skins = skins or [ph.surfaces.sphere(body.origin, side / 2)]
    given: dict[str, Any] = {"friction": ph.Coulomb(0.3), "restitution": 0.5}
    supports = [
        ph.Support(skin, world.origin, name=f"s{k}", **given)
        for k, skin in enumerate(skins)
    ]
    system = ph.System([body], [ph.Weight(9.81)], supports=supports, name="falling")
    state = system.state(body={"z": 0.2})
    return timed(lambda: ph.simulate(system, state, until=0.5).q[-1])


def readme() -> Any:
    """The README's script: read, simulate, ledger, compare."""
    import sympy  # noqa: F401  what `read` is written in counts as an import

    import polhode as ph
    from polhode import Parameter, Y, Z

    lagrange, simulate, compare = ph.lagrange, ph.simulate, ph.compare

    def script() -> Any:
        m, l = Parameter("m", 1.2), Parameter("l", 0.8)
        g, c = Parameter("g", 9.81), Parameter("c", 0.02)
        rod = ph.Body("rod", ph.solids.rod(mass=m, length=l, along=Z))
        top = rod.point(0, 0, l / 2)
        hinge = ph.Revolute("theta", ph.World().origin, top, axis=Y)
        actions = [ph.Weight(g), ph.Damper(hinge, c)]
        pendulum = ph.System([hinge], actions=actions, name="pendulum")
        str(lagrange(pendulum).read())
        motion = simulate(pendulum, pendulum.state(theta=2.0), until=10.0)
        str(motion.ledger()), str(compare(pendulum))
        return motion.q[-1]

    return timed(script)


def timed(work: Callable[[], Any]) -> None:
    """Print processor time and result for the parent."""
    start = time.process_time()
    found = work()
    taken = time.process_time() - start
    print(json.dumps({"seconds": taken, "result": [float(x) for x in found]}))


def in_fresh_process(call: str, folder: Path, module: str = "first_run") -> dict:
    """A function of a module of subjects in a new Python, with a cache of its own."""
    name = call.partition("(")[0]
    code = f"from benchmarks.subjects.{module} import {name}; {call}"
    own = {"POLHODE_CACHE": str(folder / "c"), "XDG_STATE_HOME": str(folder / "s")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def cold(call: str, rounds: int, module: str = "first_run") -> Measured:
    """The least of several processes, each with an empty cache."""
    found = []
    for _ in range(tries(rounds)):
        with tempfile.TemporaryDirectory() as folder:
            done = in_fresh_process(call, Path(folder), module)
            found.append(done["seconds"])
    return Measured(min(found), None)


def warm(call: str, rounds: int) -> Measured:
    """The same after one that has filled it; the result must have the same bits."""
    from benchmarks.measure import Disagreement

    with tempfile.TemporaryDirectory() as folder:
        first = in_fresh_process(call, Path(folder))
        rest = [in_fresh_process(call, Path(folder)) for _ in range(tries(rounds))]
    if any(each["result"] != first["result"] for each in rest):
        raise Disagreement(f"{call}: a warm process has other bits than the cold one")
    return Measured(min(each["seconds"] for each in rest), None)


def stepper_call(rounds: int) -> Measured:
    """One step of a double pendulum from Python, the step itself included."""
    import polhode as ph

    state = ph.models.start("double_pendulum")
    step = ph.stepper(state.system, 0.001)
    state, calls, best = step(step(state)), 2000, float("inf")
    for _ in range(max(20, rounds)):
        start = time.process_time()
        for _ in range(calls):
            step(state)
        best = min(best, (time.process_time() - start) / calls)
    return Measured(best, None)


def limit_claim(
    name: str, work: str, measure: Callable[[int], Measured], most: float
) -> Claim:
    """Processor seconds in a fresh process, at most so many."""
    return Claim(
        name=name,
        work=work,
        other="limit",
        compared="processor time in a fresh process, after imports",
        measure=measure,
        required=most,
        judge=seconds,
    )


CLAIMS = [
    *(
        limit_claim(
            f"first-{how.__name__}-{links}",
            f"chain of {links} links, first simulate, {how.__name__}",
            partial(how, f"chain({links})"),
            most,
        )
        for how, links, most in (
            (cold, 7, 0.8),
            (cold, 30, 4.0),
            (warm, 7, 0.1),
            (warm, 30, 0.2),
        )
    ),
    limit_claim(
        "first-cold-ball",
        "ball that bounces, contacts exact, first simulate, cold",
        partial(cold, "touching(0)"),
        2.5,
    ),
    limit_claim(
        "first-cold-box",
        "box on four corners, contacts exact, first simulate, cold",
        partial(cold, "touching(4)"),
        8.0,
    ),
    limit_claim("readme-cold", "README's script, cold", partial(cold, "readme()"), 8.0),
    limit_claim("readme-warm", "README's script, warm", partial(warm, "readme()"), 0.6),
    limit_claim("stepper-call", "one step from Python", stepper_call, 3e-6),
]
