"""A robot from URDF: read an arm, move it along a path, and see what motors need.

The file beside this script has a turret and two links on three joints. Inverse dynamics
gives the torques of a path that is chosen beforehand.

What surprises: though the path is symmetric in time, the waist brakes harder than it
starts. The arm reaches out while it turns, and its inertia about the waist grows.

Run it: python examples/11_robot_from_urdf.py
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import polhode as ph

# %% Read it. What the file says and is not taken is told.

robot = ph.load_urdf(Path(__file__).with_name("arm.urdf"))
print(robot.system, robot.system.coordinate_names)
for note in robot.notes:
    print("-", note)

# %% A smooth path in 2 s from one posture to another: (10 s^3 - 15 s^4 + 6 s^5).

first, last = np.array([0.0, 0.2, 0.4]), np.array([1.5, 1.2, -0.8])
times = np.linspace(0.0, 2.0, 101)
s = times / 2.0
q = first + np.outer(10 * s**3 - 15 * s**4 + 6 * s**5, last - first)
z = np.outer(30 * s**2 - 60 * s**3 + 30 * s**4, last - first) / 2.0
a = np.outer(60 * s - 180 * s**2 + 120 * s**3, last - first) / 4.0

# %% The torques, by the recursive form, and how far the last posture is from limits.

system = robot.system
form = ph.recursive(system)
rows = zip(times, q, z, a, strict=True)
states = [(ph.State(system, t, q_t, z_t), a_t) for t, q_t, z_t, a_t in rows]
torques = np.array([form.inverse_dynamics(state, a_t) for state, a_t in states])
figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
for name, torque in zip(system.coordinate_names, torques.T, strict=True):
    most = np.abs(torque).max()
    print(f"{name}: at most {most:.1f} N m, and {torque[-1]:+.1f} N m at the end")
    axes.plot(times, torque, label=name)
margins = {name: f"{far:.1f} rad" for name, far in states[-1][0].margins().items()}
print("from the nearest limit at the end:", margins)
axes.set(xlabel="time  [s]", ylabel="torque  [N m]")
axes.legend(frameon=False)
print("wrote", ph.results.Picture(figure).save("out/11_robot_from_urdf.png"))
