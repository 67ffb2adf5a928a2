"""Environments for learners, against Gymnasium's own vectorised cart and pole."""

from __future__ import annotations

import gymnasium
import jax.numpy as jnp
import numpy as np

import polhode as ph
from benchmarks.measure import race
from benchmarks.table import Claim, Measured

COPIES, STEPS = 4096, 20


def cart_pole() -> ph.gym.VectorEnv:
    cart = ph.Body("cart", ph.solids.box(mass=1.0, x=0.3, y=0.2, z=0.1))
    pole = ph.Body("pole", ph.solids.rod(mass=0.1, length=1.0))
    track = ph.Prismatic("track", ph.World().origin, cart.origin, axis=ph.X)
    hinge = ph.Revolute("hinge", cart.origin, pole.point(0, 0, -0.5), axis=ph.Y)
    actions = [ph.Motor(track, 0.0, name="push"), ph.Weight(9.81)]
    system = ph.System([track, hinge], actions, name="cart-pole")
    task = ph.gym.Task(
        system,
        0.02,
        inputs={"push": (-10, 10)},
        observe=lambda s: jnp.concatenate([s.q, s.z]),
        reward=lambda s, inputs: 1.0,
        is_over=lambda s: (jnp.abs(s["hinge"]) > 0.2095) | (jnp.abs(s["track"]) > 2.4),
        start=system.rest(),
        spread=0.05,
    )
    return ph.gym.VectorEnv(task, COPIES)


def measured(rounds: int) -> Measured:
    ours = cart_pole()
    theirs = gymnasium.make_vec(
        "CartPole-v1", num_envs=COPIES, vectorization_mode="vector_entry_point"
    )
    random = np.random.default_rng(0)
    pushes = random.uniform(-10, 10, (COPIES, 1))
    ways = random.integers(0, 2, COPIES)
    ours.reset(seed=0)
    theirs.reset(seed=0)

    def steps(env, actions):
        for _ in range(STEPS):
            env.step(actions)

    contenders = {
        "ours": lambda: steps(ours, pushes),
        "gymnasium": lambda: steps(theirs, ways),
    }
    result = race(contenders, rounds, COPIES * STEPS)
    best = result.seconds
    note = f"{1e-6 / best['ours']:.1f} million steps of environments a second"
    return Measured(best["ours"], best["gymnasium"], note, result.doubt(*contenders))


CLAIMS = [
    Claim(
        name="gym-throughput",
        work="4096 carts and poles for a learner, a step of one",
        other="Gymnasium",
        compared=(
            "VectorEnv.step of 4096 copies with resets: ours order 4 in double "
            "precision from a description, Gymnasium's CartPole-v1 Euler by hand in "
            "NumPy, single precision"
        ),
        measure=measured,
        required=0.5,
    ),
]
