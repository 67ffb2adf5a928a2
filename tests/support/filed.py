"""What tests of files share: a run, the comparison of bits, an interrupt.

Run with the path of a file of `bouncing`, it goes on with that and prints `digests`.
"""

from __future__ import annotations

import hashlib
import sys

import numpy as np

import polhode as ph
from moving import double_pendulum

UNTIL = 40.0


def start() -> ph.State:
    """The double pendulum, raised."""
    return double_pendulum().state(shoulder=1.0, elbow=0.5)


def same(one, other) -> bool:
    """Byte for byte the same rows, dense output included."""
    pairs = zip(one.steps, other.steps, strict=True)
    return all(a.tobytes() == b.tobytes() for a, b in pairs)


def interrupting(after: int):
    """A watch that presses Ctrl-C after some chunks."""
    left = [after]

    def watch(progress):
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt

    return watch


def pulled(strength: float, law=np.cos, name: str = "angle") -> ph.System:
    """A rod with a motor of one law or another."""
    import jax.numpy as jnp

    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
    hinge = ph.Revolute(name, ph.World().origin, rod.origin, axis=ph.Y)
    laws = {np.cos: jnp.cos, np.sin: jnp.sin}
    motor = ph.Motor(hinge, lambda t, q, z: strength * laws[law](q[0]))
    push = ph.Motor(hinge, 0.0, name="push")
    return ph.System([hinge], [motor, push], name="pulled")


def bouncing() -> tuple[ph.System, dict]:
    """A driven, disturbed rod that bounces from a stop, by a controller with memory."""
    system = pulled(0.0)

    def bounce(t, state):
        back = {"angle": -state.speed("angle")}
        return system.state(angle=state["angle"], speeds=back, t=t)

    def control(t, state, memory):
        total = memory[0] + 0.01 * state["angle"]
        return -0.5 * state["angle"] - 0.1 * total, [total]

    events = [
        ph.Event("stop", lambda t, state: state["angle"] - 0.5, 1, reset=bounce),
        ph.Event("middle", lambda t, state: state["angle"]),
    ]
    law = ph.Sampled(control, 0.01, state=[0.0])
    return system, {"events": events, "inputs": {"push": law}}


def thrown(system: ph.System) -> ph.State:
    """The rod of `bouncing` on its way to the stop."""
    return system.state(angle=0.3, speeds={"angle": 1.0})


def met(share: float):
    """A watch that presses Ctrl-C when a run has come to a share of its time."""

    def watch(progress):
        if abs(progress.share - share) < 1e-14:
            raise KeyboardInterrupt

    return watch


def digests(motion: ph.results.Trajectory) -> list[str]:
    """Of the bytes of rows, events and inputs."""
    parts = [*motion.steps, motion.events.t, motion.inputs.t, motion.inputs.values]
    return [hashlib.sha256(part.tobytes()).hexdigest() for part in parts]


if __name__ == "__main__":
    system, guide = bouncing()
    print(*digests(ph.resume(sys.argv[1], system, **guide)))
