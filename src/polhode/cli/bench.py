"""`polhode bench`: how fast models run on this machine."""

from __future__ import annotations

import time
from typing import Any

from polhode.cli.words import Json

MODELS = ("pendulum", "double_pendulum", "heavy_top", "arm", "four_bar")
STEPS, MANY = 2000, 512


def bench(models: list[str] | None = None, /, *, json: Json = False) -> None:
    """Measure one step of models: alone, and as one of many in a batch.

    Steps are of Runge-Kutta's fourth order, 1 ms long. Comparisons with other programs
    are in the project's benchmarks.
    Examples: polhode bench arm pendulum; polhode bench crane.toml

    Parameters
    ----------
    models
        Models to measure, of the gallery or of files; five of the gallery without any.
    """
    from polhode.cli.answers import print_json, print_table
    from polhode.cli.waiting import waiting

    names, rows = models or list(MODELS), []
    with waiting("Measuring") as tell:
        for number, name in enumerate(names):
            tell(number, len(names), name)
            rows.append(measure(name))
    if json:
        print_json(rows)
        return
    columns = ("model", "first run, s", "one step, us", "in a batch, us")
    texts = [
        (r["model"], f"{r['first']:.2f}", f"{r['alone']:.2f}", f"{r['batch']:.3f}")
        for r in rows
    ]
    print_table("", columns, texts)


def measure(name: str) -> dict[str, Any]:
    """Seconds of the first run, and microseconds of a step alone and in a batch."""
    import numpy as np

    import polhode as ph
    from polhode.cli.words import chosen, uncut

    start = chosen(name).start
    method = ph.methods.RungeKutta4(step=1e-3)
    until = float(start.t) + 1e-3 * STEPS
    many = ph.States(
        start.system,
        np.full(MANY, float(start.t)),
        np.repeat(start.q[None], MANY, axis=0),
        np.repeat(start.z[None], MANY, axis=0),
    )

    def seconds(state: Any) -> float:
        began = time.perf_counter()
        found = ph.simulate(start.system, state, until=until, method=method, samples=2)
        uncut(found if state is start else found[0])
        return time.perf_counter() - began

    first = seconds(start)
    alone = min(seconds(start) for _ in range(3)) / STEPS
    seconds(many)
    batch = min(seconds(many) for _ in range(2)) / (STEPS * MANY)
    return {"model": name, "first": first, "alone": 1e6 * alone, "batch": 1e6 * batch}
