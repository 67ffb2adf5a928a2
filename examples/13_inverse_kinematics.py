"""Inverse kinematics: the tip of an arm follows a circle, within the joints' limits.

Each posture is looked for from the one before it, so that the arm does not jump from
one of its solutions to another. The rates of the joints come from the Jacobian.

What surprises: the tip moves at constant speed, and the joints do not: the elbow turns
back twice on the way round.

Run it: python examples/13_inverse_kinematics.py
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import polhode as ph

system = ph.load_urdf(Path(__file__).with_name("arm.urdf")).system
arm = ph.kinematics(system)
fore = next(body for body in system.bodies if body.name == "fore")
tip = arm.frame(fore.point(0, 0, 0.4))

turns = np.linspace(0.0, 2 * np.pi, 121)
posture, path, rates = system.state(shoulder=0.8, elbow=0.8), [], []
for turn in turns:
    place = (0.5, 0.2 * np.cos(turn), 0.5 + 0.2 * np.sin(turn))
    found = ph.inverse_kinematics(system, {tip: place}, posture)
    posture = found.state
    along = [0.0, -0.2 * np.sin(turn), 0.2 * np.cos(turn)]
    path.append(found.q)
    rates.append(np.linalg.solve(tip.jacobian(found.q)[3:], along))
q, rates = np.array(path), np.array(rates)
slope = np.gradient(q, turns, axis=0)
print("all reached:", found.is_reached, "after", found.iterations, "iterations at last")
print("closes to 1e-9 rad:", bool(np.max(np.abs(q[-1] - q[0])) < 1e-9))
print("rates are slopes to 1 %:", bool(np.max(np.abs(slope - rates)[1:-1]) < 0.01))
figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
axes.plot(turns, q, label=system.coordinate_names)
axes.set(xlabel="turn of the circle  [rad]", ylabel="joint  [rad]")
axes.legend(frameon=False)
print("wrote", ph.results.Picture(figure).save("out/13_inverse_kinematics.png"))
