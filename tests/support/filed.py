"""What tests of files share: a run, the comparison of bits, an interrupt."""

from __future__ import annotations

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
