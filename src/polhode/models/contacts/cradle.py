r"""Newton's cradle: five balls in a row that touch.

     | | | | |
     | | | | |  \
     o o o o o   o      one is drawn aside and strikes the others

Surprise: momentum and energy do not say what flies off. Struck one after the other,
`impacts="in sequence"`, one ball leaves, as on a desk; struck "at once" the first
bounces back at 3/5 of its speed and the four others leave together at 2/5.
"""

from __future__ import annotations

import polhode as ph

BALLS, RADIUS, STRING = 5, 0.02, 0.2


def cradle() -> ph.System:
    """Five balls on strings: joints "string 1" to 5, supports "1 on 2" and so on."""
    world, m = ph.World(), ph.Parameter("m", 0.1)
    balls = [
        ph.Body(f"ball {k + 1}", ph.solids.sphere(mass=m, radius=RADIUS))
        for k in range(BALLS)
    ]
    strings = [
        ph.Revolute(
            f"string {k + 1}",
            world.point(2 * RADIUS * k, 0, 0),
            ball.point(0, 0, STRING),
            axis=-ph.Y,
        )
        for k, ball in enumerate(balls)
    ]
    skins = [ph.surfaces.sphere(ball.origin, RADIUS) for ball in balls]
    touches = [
        ph.Support(skins[k], skins[k + 1], restitution=1.0, name=f"{k + 1} on {k + 2}")
        for k in range(BALLS - 1)
    ]
    weight = ph.Weight(ph.Parameter("g", 9.81))
    return ph.System(strings, [weight], supports=touches, name="Newton's cradle")
