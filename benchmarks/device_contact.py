"""Contact on a GPU by Moreau's scheme: boxes on a plane, and humanoids on their feet.

The same public calls as on the cores; a loop with branches for each contact problem.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import polhode as ph
from benchmarks.device_sweeps import Facts, beside, same, timed
from benchmarks.models.resting_box import STEP, box
from polhode.models.mechanisms.trees import free_humanoid

METHOD = ph.methods.Moreau(STEP)
FOOT = (0.2, 0.08, 0.04)
HEIGHT = 0.825  # of the pelvis (m): both soles are 5 mm above the floor
LEG, REST = (300.0, 3.0), (20.0, 0.3)  # N m/rad and N m s/rad of their joints


@cache
def boxes(runs: int) -> ph.States:
    """Boxes thrown on a plane, a little apart from each other."""
    start, draw = box(), np.random.default_rng(6)
    q = np.repeat(start.q[None], runs, axis=0)
    q[:, -1] += draw.uniform(0.0, 0.02, runs)
    return ph.States(start.system, 0.0, q, 0.3 * draw.normal(size=(runs, 6)))


@cache
def standing() -> ph.State:
    """A humanoid of 36 speeds on two feet of eight corners, its joints on springs."""
    base = free_humanoid()
    floor, bodies = base.joints[0].first, {body.name: body for body in base.bodies}
    feet = [
        ph.Support(
            ph.surfaces.box(bodies[f"{side} leg 6"].point(0, 0, 0.2), FOOT),
            floor,
            friction=ph.Coulomb(0.8),
            name=f"{side} foot",
        )
        for side in ("left", "right")
    ]
    angles = {f"{side} leg hinge 2": np.pi for side in ("left", "right")}
    hinges = base.joints[1:]
    actions: list[Any] = [ph.Weight(9.81)]
    for hinge in hinges:
        k, c = LEG if "leg" in hinge.name else REST
        actions.append(ph.JointSpring(hinge, k, angles.get(hinge.name, 0.0)))
        actions.append(ph.JointDamper(hinge, c))
    system = ph.System(base.joints, actions, supports=feet, name="standing humanoid")
    pelvis = {"z": HEIGHT}
    return system.state({"float": pelvis, **angles})


def humanoids(runs: int) -> ph.States:
    """Humanoids just above the floor, with small speeds of all joints."""
    start, draw = standing(), np.random.default_rng(7)
    q = np.repeat(start.q[None], runs, axis=0)
    z = 0.05 * draw.normal(size=(runs, len(start.z)))
    return ph.States(start.system, 0.0, q, z)


def steps_row(states: ph.States, few: int, steps: int) -> Facts:
    """Steps a second on the GPU and on all cores, of which only few runs are made."""
    wish: dict[str, Any] = {"until": steps * STEP, "method": METHOD}
    system, part = states.system, states.part(slice(0, few))
    first, build = timed(lambda: ph.sweep(system, part, backend="cuda", **wish))
    _, ours = timed(lambda: ph.sweep(system, states, backend="cuda", **wish))
    ph.sweep(system, part, **wish)
    native, theirs = timed(lambda: ph.sweep(system, part, **wish))
    rates = len(states) * steps / ours, few * steps / theirs
    return {
        "bits of native code": same(first, native),
        "GPU, steps/s": rates[0],
        "cores, steps/s": rates[1],
        "times": rates[0] / rates[1],
        "seconds to build and run few": build,
    }


def thrown() -> Facts:
    """Boxes on a plane with samples, in bits."""
    states = boxes(256)
    return beside(states, until=0.5, method=METHOD, samples=7)


def bits() -> dict[str, Callable[[], Facts]]:
    """Rows in which bits count."""
    return {"contact: boxes by Moreau": thrown}


def rates(most: int = 262_144) -> dict[str, Callable[[], Facts]]:
    """Rates with their bits."""
    return {"contact: rate of boxes": lambda: steps_row(boxes(most), 8192, 200)}


def humanoid_rates(most: int = 65_536) -> dict[str, Callable[[], Facts]]:
    """The same of humanoids, whose kernel takes many minutes to build."""
    return {"contact: rate of humanoids": lambda: steps_row(humanoids(most), 512, 100)}
