"""A controller with events: a pendulum is swung up on a cart, then held upright.

A motor pumps energy into the pendulum until an event ends the run near the top. From
there a linear controller, sampled every 10 ms in plain Python, holds it.

What surprises: the law that swings it up does not steer. It only compares energies.

Run it: python examples/05_controller_and_events.py
"""

import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import solve_continuous_are

import polhode as ph

# %% A cart of 1 kg on a rail, a bob of 0.2 kg on a rod of 0.5 m; 0 is hanging down.

m, l, g = 0.2, 0.5, 9.81
cart = ph.Body("cart", ph.solids.box(mass=1.0, x=0.3, y=0.1, z=0.1))
bob = ph.Body("bob", ph.solids.sphere(mass=m, radius=0.04))
rail = ph.Prismatic("rail", ph.World().origin, cart.origin, axis=ph.X)
hinge = ph.Revolute("hinge", cart.origin, bob.point(0, 0, l), axis=-ph.Y)
actions = [ph.Weight(g), ph.Motor(rail, 0.0, name="push")]
system = ph.System([rail, hinge], actions, name="cart")

# %% Swing up (Astrom and Furuta). The law is traced into the compiled loop.


def swing(t, state):
    """Push against the swing while energy is missing, and keep the cart near zero."""
    angle, rate = state["hinge"], state.speed("hinge")
    missing = m * g * l * (1.1 + jnp.cos(angle)) - m * (l * rate) ** 2 / 2
    pump = -4.0 * missing * rate * jnp.cos(angle)
    return pump - 2.0 * state["rail"] - 0.5 * state.speed("rail")


near = ph.Event("near", lambda t, s: 0.93 + jnp.cos(s["hinge"]), -1, terminal=True)
start = system.state(hinge=0.1)
up = ph.simulate(system, start, until=30.0, inputs={"push": swing}, events=[near])
print(f"near the top after {up.t[-1]:.2f} s, at {up.final['hinge']:+.2f} rad")

# %% Hold it: an optimal gain on the linearisation about the upright state. The law is
# plain Python, called every 10 ms; its value is held in between.

top = system.state(hinge=np.copysign(np.pi, up.final["hinge"]))
linear = ph.linearise(system, top, inputs=["push"]).matrices
gain = linear.B.T @ solve_continuous_are(linear.A, linear.B, np.eye(4), np.eye(1))
hold = ph.Sampled(lambda t, s: -gain[0] @ [*(s.q - top.q), *s.z], dt=0.01)
held = ph.simulate(system, up.final, until=up.t[-1] + 6.0, inputs={"push": hold})
print(f"{abs(held.final['hinge'] - top['hinge']):.4f} rad from upright, 6 s later")
figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
for motion, label in ((up, "swing up"), (held, "hold")):
    axes.plot(motion.t, motion["hinge"].coordinates, label=label)
axes.set(xlabel="time  [s]", ylabel="hinge  [rad]")
axes.legend(frameon=False)
print("wrote", ph.results.Picture(figure).save("out/05_controller_and_events.png"))
