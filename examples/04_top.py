"""A top of solids: nutation and precession, and the spin above which it sleeps.

The top is a disc on a thin stem, joined from solids, and stands on its tip in a ball
joint. Its attitude is a unit quaternion, so no lean is singular.

What surprises: released with its axis at rest, the top falls first, then turns aside
and climbs back to where it was. Its axis draws cusps, not a circle.

Run it: python examples/04_top.py
"""

import matplotlib.pyplot as plt
import numpy as np

import polhode as ph

# %% A body is matter with a name. Huygens: the tip feels more inertia than the centre.

stem = ph.solids.cylinder(radius=0.004, length=0.12, density=7850.0)
wheel = ph.solids.cylinder(radius=0.05, length=0.012, density=7850.0)
placed = {"stem": ph.solids.placed(stem, (0, 0, 0.06))}
placed["wheel"] = ph.solids.placed(wheel, (0, 0, 0.07))
top = ph.Body("top", ph.solids.joined(**placed))
about_tip = ph.theory.inertia.transport(top.inertia, top.origin)
for name, inertia in (("mass centre", top.inertia), ("tip", about_tip)):
    print(f"moments about the {name}:", np.diag(inertia).round(5), "kg m^2")

# %% Spun at 150 rad/s, leaning by 0.5 rad, its axis at rest.

world = ph.World()
tip = ph.Spherical("tip", world.origin, top.origin)
system = ph.System([tip], [ph.Weight(9.81)], name="top")
lean = ph.Rotation.from_axis_angle([1, 0, 0], 0.5, of=top.frame, seen_from=world.frame)
start = system.state(tip=lean, speeds={"tip": (0.0, 0.0, 150.0)})
motion = ph.simulate(system, start, until=2.0)
axis = motion["top"].orientation[:, :, 2]  # the top's Z in the world's axes
angles = np.degrees(np.arccos(axis[:, 2]))
print(f"it leans by {angles.min():.2f} to {angles.max():.2f} degrees")

# %% What it keeps, and why; and the spin at which it stands upright as if nailed there.

print(ph.conserved(system))
print(f"above {ph.questions.sleeping_spin(system):.1f} rad/s it sleeps")

# %% The path of the axis, seen from above, over the first second.

fine = motion.resampled(np.linspace(0.0, 1.0, 2000))["top"].orientation[:, :, 2]
figure, axes = plt.subplots(figsize=(5.0, 5.0), layout="constrained")
axes.plot(fine[:, 0], fine[:, 1], color="#2f6f9f")
axes.set(aspect="equal", xlabel="x of the axis", ylabel="y of the axis")
print("wrote", ph.results.Picture(figure).save("out/04_top.png"))
