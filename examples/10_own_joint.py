"""A joint of your own: Huygens' pendulum, a bead on a wire bent to a cycloid.

A joint is a function from coordinates to a pose, written with `jax.numpy`. Velocities,
reactions and the equations follow by differentiation, and the joint takes part in every
form, in compiled loops and in what is read, like those that come with the library.

What surprises: on this wire, and on no other, a swing takes the same time from any
height (the isochronous pendulum, 1673).

Run it: python examples/10_own_joint.py
"""

import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

import polhode as ph

# %% The wire: x = r (p + sin p), z = r (1 - cos p). At p = 0 the pose is the identity.

R = 0.5


def cycloid(q):
    """The pose of the bead: not turned, and at a place on the wire."""
    p = q[0]
    return jnp.eye(3), R * jnp.stack([p + jnp.sin(p), 0.0 * p, 1 - jnp.cos(p)])


bead = ph.Particle("bead", ph.Parameter("m", 0.1))
ends = ph.World().origin, bead.mass_centre
wire = ph.UserJoint("wire", *ends, cycloid, names=("p",), kinds=("rad",))
weight = ph.Weight(ph.Parameter("g", 9.81))
system = ph.System([wire], [weight], name="bead on a cycloid")
print(ph.lagrange(system).read({"wire.p": "p"}))

# %% The time from rest to the lowest place: pi sqrt(r / g) from everywhere.

bottom = ph.Event("bottom", lambda t, state: state["wire"], terminal=True)
print(f"Huygens: {np.pi * np.sqrt(R / 9.81):.6f} s")
figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
for first in (0.1, 1.0, 2.0, 3.0):
    start = system.state(wire=first)
    motion = ph.simulate(system, start, until=2.0, events=[bottom])
    print(f"from {first:.1f} rad: {motion.t[-1]:.6f} s")
    axes.plot(motion.t, motion["wire"].coordinates)
axes.set(xlabel="time  [s]", ylabel="p  [rad]", title="from four heights to the bottom")
print("wrote", ph.results.Picture(figure).save("out/10_own_joint.png"))
