"""Ten balls that fall into a funnel of four planes, for all."""

from __future__ import annotations

import numpy as np

import polhode as ph

BALLS, RADIUS, MASS = 10, 0.05, 0.5
FRICTION = 0.5
LEAN = np.pi / 4  # of each wall


def normals() -> np.ndarray:
    """Of the four walls (4, 3), through the world's origin."""
    s, c = np.sin(LEAN), np.cos(LEAN)
    return np.array([[s, 0, c], [-s, 0, c], [0, s, c], [0, -s, c]])


def places() -> np.ndarray:
    """Centres (10, 3) above the funnel, in a crooked column of twos."""
    k = np.arange(BALLS)
    side = np.where(k % 2, 1.0, -1.0)
    turn = 1.1 * (k // 2)
    x, y = 0.056 * side * np.cos(turn), 0.056 * side * np.sin(turn)
    return np.stack([x, y, 0.16 + 0.106 * (k // 2)], axis=1)


def pile() -> ph.State:
    """Balls at rest in the air: 45 pairs and 40 walls may touch."""
    world = ph.World()
    rubs = ph.Coulomb(FRICTION)
    solid = ph.solids.sphere(mass=MASS, radius=RADIUS)
    balls = [ph.Body(f"ball {k}", solid) for k in range(BALLS)]
    skins = [ph.surfaces.sphere(ball.origin, RADIUS) for ball in balls]
    supports = [
        ph.Support(
            skin,
            world.origin,
            normal=tuple(n),
            friction=rubs,
            name=f"{ball.name} on wall {w}",
        )
        for ball, skin in zip(balls, skins, strict=True)
        for w, n in enumerate(normals())
    ]
    supports += [
        ph.Support(skins[j], skins[i], friction=rubs, name=f"ball {j} on ball {i}")
        for i in range(BALLS)
        for j in range(i + 1, BALLS)
    ]
    system = ph.System(balls, [ph.Weight(9.81)], supports=supports, name="pile")
    q = system.neutral().reshape(BALLS, 7)
    q[:, 4:] = places()
    return ph.State(system, 0.0, q.reshape(-1), np.zeros(system.speeds))
