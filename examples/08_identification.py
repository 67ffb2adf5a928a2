"""Identification: parameters of a pendulum from a noisy record, and how sure they are.

Before anything is measured, `ph.identifiable` says what a record can tell at all. Then
a record of the angle, with noise, gives the length and the damping with their standard
deviations, and `ph.uncertainty` carries these into a forecast.

What surprises: a pendulum with 1 % more mass and 0.5 % less length and gravity moves in
the same way under the same torques. No record of it can tell the three apart.

Run it: python examples/08_identification.py
"""

import numpy as np

import polhode as ph

# %% A damped pendulum, and what a record of its motion could tell.

m, l, g = ph.Parameter("m", 1.2), ph.Parameter("l", 0.8), ph.Parameter("g", 9.81)
rod = ph.Body("rod", ph.solids.rod(mass=m, length=l))
hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, l / 2), axis=ph.Y)
actions = [ph.Weight(g), ph.Damper(hinge, ph.Parameter("c", 0.05))]
system = ph.System([hinge], actions, name="pendulum")
print(ph.identifiable(system))

# %% A record: twenty angles in 2 s, each with an error of 0.05 rad.

start, times = system.state(hinge=1.0), np.linspace(0.1, 2.0, 20)
true = ph.simulate(system, start, until=2.0, samples=times).q
record = true + 0.05 * np.random.default_rng(7).normal(size=true.shape)

# %% Guess wrongly, and find length and damping.

found = ph.identify(system, start, times, record, {"l": 0.7, "c": 0.02})
print(found)

# %% A forecast six times as long as the record, in a band of two deviations.

better = system.with_(found.values)
motion = ph.simulate(better, better.state(hinge=1.0), until=12.0)
deviations = dict(zip(found.values, np.sqrt(np.diag(found.covariance)), strict=True))
forecast = ph.uncertainty(motion, deviations, times=np.linspace(0.0, 12.0, 400))
print(f"after 12 s: +- {forecast['hinge'][-1]:.4f} rad")
print("wrote", forecast.plot("hinge").save("out/08_identification.png"))
