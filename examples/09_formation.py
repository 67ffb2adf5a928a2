"""A formation: how a follower moves about its leader in a low orbit.

The linear equations of relative motion come from the system's own linearisation. About
a circle they are those of Clohessy and Wiltshire. The exact motion of two craft under
gravity is run beside them.

What surprises: pushed ahead, along the orbit, the follower falls behind. It rises, and
higher orbits are slower. Pushed outwards, it comes back and draws a closed ellipse.

Run it: python examples/09_formation.py
"""

import matplotlib.pyplot as plt
import numpy as np

import polhode as ph

# %% A circular orbit at 400 km, and the linear motion about it over one period.

orbit = ph.formations.Orbit(mu=3.986004418e14, parameter=6.778e6, eccentricity=0.0)
near = ph.formations.relative_orbit(orbit)
n = 2 * np.pi / orbit.period
hill = [3 * n**2, 0, 0, 0, 2 * n, 0]  # x'' = 3 n^2 x + 2 n y', x outwards, y ahead
print(f"a period is {orbit.period / 60:.1f} min")
print("Clohessy and Wiltshire's row of x:", np.allclose(near.at(0.0).A[3], hill))

# %% The exact motion: the follower hangs on the leader in a tree of free joints.

system, leader = near.along.motion.system, near.along.motion.at(0.0)
figure, axes = plt.subplots(figsize=(6.4, 2.4), layout="constrained")
pushes = {"ahead": (0.0, 0.1, 0.0), "outwards": (0.1, 0.0, 0.0)}  # m/s
for way, push in pushes.items():
    q = np.concatenate([leader.q[:3], np.zeros(3)])
    z = np.concatenate([leader.z[:3], near.frame(0.0)[0] @ push])
    start = ph.State(system, 0.0, q, z)
    motion = ph.simulate(system, start, until=orbit.period, samples=200)
    rows = zip(motion.t, motion.q[:, 3:], strict=True)
    seen = np.array([near.frame(t)[0].T @ row for t, row in rows])
    linear = near.transition(0.0, orbit.period) @ np.array([0, 0, 0, *push])
    off = np.linalg.norm(seen[-1] - linear[:3])
    print(
        f"pushed {way}: {round(seen[-1, 1]):+d} m ahead after a period,"
        f" as the linear equations say within {off:.1f} m"
    )
    axes.plot(seen[:, 1], seen[:, 0], label=f"pushed {way} at 0.1 m/s")
axes.set(aspect="equal", xlabel="ahead  [m]", ylabel="outwards  [m]")
axes.legend(frameon=False)
print("wrote", ph.results.Picture(figure).save("out/09_formation.png"))
