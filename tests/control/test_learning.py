"""A learner balances a pole: proximal policy optimisation on `ph.gym.VectorEnv`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph

gymnasium = pytest.importorskip("gymnasium")

COPIES, HORIZON, ROUNDS, EPISODE = 64, 128, 40, 500
DISCOUNT, TRACE, CLIP, RATE = 0.99, 0.95, 0.2, 3e-3
SCALE = jnp.array([0.5, 5.0, 0.5, 1.0])  # of observations: metres, radians, rates


def environment():
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
        is_over=lambda s: (jnp.abs(s["hinge"]) > 0.2) | (jnp.abs(s["track"]) > 2.4),
        start=system.rest(),
        spread=0.05,
        steps=EPISODE,
    )
    return ph.gym.VectorEnv(task, COPIES)


def network(key):
    keys = jax.random.split(key, 6)
    sizes = [(4, 32), (32, 32), (32, 1)]
    layers = [
        (jax.random.normal(k, s) / np.sqrt(s[0]) * f, jnp.zeros(s[1]))
        for k, s, f in zip(keys, sizes * 2, [1, 1, 0.01, 1, 1, 1], strict=True)
    ]
    return {"policy": layers[:3], "value": layers[3:], "spread": jnp.array(0.0)}


def forward(layers, x):
    x = x * SCALE
    for weights, shift in layers[:-1]:
        x = jnp.tanh(x @ weights + shift)
    return (x @ layers[-1][0] + layers[-1][1])[..., 0]


def likelihood(net, seen, chosen):
    z = (chosen - forward(net["policy"], seen)) / jnp.exp(net["spread"])
    return -0.5 * z**2 - net["spread"]


def loss(net, batch):
    seen, chosen, before, gain, worth = batch
    ratio = jnp.exp(likelihood(net, seen, chosen) - before)
    kept = jnp.minimum(ratio * gain, jnp.clip(ratio, 1 - CLIP, 1 + CLIP) * gain)
    missed = (forward(net["value"], seen) - worth) ** 2
    return -jnp.mean(kept) + 0.5 * jnp.mean(missed)


@jax.jit
def improved(net, moments, batch, number):
    slope = jax.grad(loss)(net, batch)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], slope)
    second = jax.tree.map(lambda m, g: 0.999 * m + 0.001 * g * g, moments[1], slope)

    def moved(p, m, v):
        m, v = m / (1 - 0.9**number), v / (1 - 0.999**number)
        return p - RATE * m / (jnp.sqrt(v) + 1e-8)

    return jax.tree.map(moved, net, first, second), (first, second)


def gains(rewards, values, over):
    """Generalised advantages (T, n); nothing is passed on from episode to episode."""
    found, last = np.zeros_like(rewards), np.zeros(COPIES)
    for k in reversed(range(HORIZON)):
        goes_on = 1.0 - over[k]
        step = rewards[k] + DISCOUNT * values[k + 1] * goes_on - values[k]
        found[k] = last = step + DISCOUNT * TRACE * goes_on * last
    return found


@pytest.mark.long
def test_a_learner_balances_the_pole():
    """From falling within a second to standing for most of ten."""
    envs, random = environment(), np.random.default_rng(0)
    net = network(jax.random.key(0))
    moments = (jax.tree.map(jnp.zeros_like, net),) * 2
    policy = jax.jit(
        lambda net, s: (forward(net["policy"], s), forward(net["value"], s))
    )
    seen, _ = envs.reset(seed=0)
    ages, lengths, number = np.zeros(COPIES), [], 0
    for _ in range(ROUNDS):
        rows = []
        for _ in range(HORIZON):
            mean, value = map(np.asarray, policy(net, seen))
            chosen = mean + np.exp(float(net["spread"])) * random.normal(size=COPIES)
            then, reward, ended, cut, _ = envs.step(10 * np.tanh(chosen)[:, None])
            rows.append((seen, chosen, reward, value, ended | cut))
            ages += 1
            lengths += ages[ended | cut].tolist()
            ages[ended | cut] = 0
            seen = then
        seen_, chosen, reward, value, over = map(np.array, zip(*rows, strict=True))
        after = np.concatenate([value, np.asarray(policy(net, seen)[1])[None]])
        gain = gains(reward, after, over)
        worth = gain + value
        gain = (gain - gain.mean()) / (gain.std() + 1e-8)
        before = np.asarray(likelihood(net, seen_, chosen))
        flat = [
            a.reshape(-1, *a.shape[2:]) for a in (seen_, chosen, before, gain, worth)
        ]
        for _ in range(4):
            for part in np.split(random.permutation(COPIES * HORIZON), 8):
                number += 1
                batch = tuple(a[part] for a in flat)
                net, moments = improved(net, moments, batch, number)
    early, late = np.mean(lengths[:50]), np.mean(lengths[-50:])
    assert early < 60
    assert late > 300, (early, late)
