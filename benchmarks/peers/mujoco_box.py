"""A box at rest on a plane, and what a file describes, in MuJoCo, stepped in C."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import mujoco

MODEL = """<mujoco><option timestep="{step}" cone="elliptic"/><worldbody>
  <geom type="plane" size="10 10 1" friction="{mu}"/>
  <body pos="0 0 {half}"><freejoint/>
    <geom type="box" size="{half} {half} {half}" mass="1" friction="{mu}"/></body>
</worldbody></mujoco>"""


def stepper(side: float, mu: float, step: float, steps: int) -> Callable[[], float]:
    """Makes so many steps of the box at rest in one call; returns its height."""
    model = mujoco.MjModel.from_xml_string(
        MODEL.format(step=step, mu=mu, half=side / 2)
    )
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=2000)  # it sinks to where it rests

    def run() -> float:
        mujoco.mj_step(model, data, nstep=steps)
        return float(data.qpos[2])

    return run


def settled(path: Path, before: int, steps: int) -> Callable[[], float]:
    """Makes so many steps of a model that has settled; the height of its trunk."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=before)

    def run() -> float:
        mujoco.mj_step(model, data, nstep=steps)
        return float(data.qpos[2])

    return run


def heap(
    walls: list[list[float]],
    places: list[list[float]],
    *,
    ball: tuple[float, float, float],
    step: float,
    before: int,
    steps: int,
) -> Callable[[], float]:
    """Makes so many steps of balls in a funnel that have settled; their mean height.

    `ball` has a radius, a mass and the friction.
    """
    radius, mass, mu = ball
    spec = mujoco.MjSpec()
    spec.option.timestep = step
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    more = {"friction": [mu, 0.0, 0.0], "condim": 3}
    for normal in walls:
        plane = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, **more)
        plane.size = [10.0, 10.0, 1.0]
        plane.alt.type = mujoco.mjtOrientation.mjORIENTATION_ZAXIS
        plane.alt.zaxis = normal
    for place in places:
        body = spec.worldbody.add_body(pos=place)
        body.add_freejoint()
        size = [radius, 0.0, 0.0]
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=size, mass=mass, **more)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=before)

    def run() -> float:
        mujoco.mj_step(model, data, nstep=steps)
        return float(data.qpos[2::7].mean())

    return run


def travel(
    side: float,
    mu: float,
    step: float,
    *,
    speed: float,
    gravity: tuple[float, float, float],
    until: float,
) -> float:
    """How far along X a box comes that begins at rest on the plane, or thrown."""
    model = mujoco.MjModel.from_xml_string(
        MODEL.format(step=step, mu=mu, half=side / 2)
    )
    model.opt.gravity[:] = gravity
    data = mujoco.MjData(model)
    data.qvel[0] = speed
    mujoco.mj_step(model, data, nstep=round(until / step))
    return float(data.qpos[0])
