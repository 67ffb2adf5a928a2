"""A rolling disc: a velocity constraint, and a speed below which a coin falls.

A thin disc rolls on a plane without slipping. The plane holds it by reactions that do
no work, and no function of the position alone says where the disc may go.

What surprises: without any control the disc stays up if it rolls faster than
sqrt(g / (3 r)), in rad/s. If it is slower, the smallest lean grows.

Run it: python examples/03_rolling_disc.py
"""

import numpy as np

import polhode as ph

# %% A disc of radius r that may go anywhere, and a plane on which it must roll.

r = 0.26
world = ph.World()
disc = ph.Body("disc", ph.solids.disc(mass=3.43, radius=r, along=ph.Y))
free = ph.Free("free", world.point(0, 0, r), disc.origin)
ground = ph.rolling(ph.surfaces.disc(disc.origin, r, axis=ph.Y), world.origin)
system = ph.System([free], [ph.Weight(9.81)], ground, name="rolling disc")
print(system)

# %% Roll it along X, leaning over slowly at first: 0.1 rad/s about X.


def rolled(spin: float) -> ph.results.Trajectory:
    """Two seconds from upright. The contact rests: v = w x r Z at the centre."""
    speeds = (0.1, spin, 0.0, spin * r, -0.1 * r, 0.0)
    return ph.simulate(system, system.state(speeds={"free": speeds}), until=2.0)


critical = np.sqrt(9.81 / (3 * r))
print(f"critical speed: {critical:.3f} rad/s")
motions = {share: rolled(share * critical) for share in (0.7, 1.5, 3.0)}
for share, motion in motions.items():
    axle = motion["disc"].orientation[:, :, 1]  # the disc's Y in the world's axes
    lean = np.degrees(np.arcsin(np.abs(axle[:, 2])).max())
    verdict = "falls over" if lean > 30 else "stays up"
    print(f"at {share:.1f} of it the disc leans by up to {lean:4.1f} deg: {verdict}")

# %% The plane does no work, so the energy stays.

ledger = motions[3.0].ledger()
print(f"energy kept to 1e-6 J: {np.abs(ledger.balance).max() < 1e-6}")

# %% The slow disc at five times: it leans, turns aside and falls.

picture = motions[0.7].picture(np.linspace(0.0, 1.3, 5))
print("wrote", picture.save("out/03_rolling_disc.png"))
