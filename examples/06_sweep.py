"""A sweep: when does a double pendulum turn over? Two thousand runs in one call.

Each run starts at rest from two angles of a grid, and an event ends it as soon as the
lower rod has turned over against the upper one. All runs share one compiled loop, with
a SIMD lane for each and blocks of them over threads.

What surprises: near rest nothing can turn over, for want of energy. Beside that region,
neighbours on the grid turn over at times that have nothing to do with each other.

Run it: python examples/06_sweep.py
"""

import matplotlib.pyplot as plt
import numpy as np

import polhode as ph

# %% A grid of first angles, at rest.

system = ph.models.double_pendulum()
N = 48
shoulder, elbow = np.meshgrid(np.linspace(-3, 3, N), np.linspace(-3, 3, N))
places = np.stack([shoulder.ravel(), elbow.ravel()], axis=1)
starts = ph.States(system, 0.0, places, 0 * places)

# %% The event is traced into the loop: the elbow passes pi on either side.

over = ph.Event("over", lambda t, s: np.pi**2 - s["elbow"] ** 2, -1, terminal=True)
sweep = ph.sweep(system, starts, until=8.0, events=over, rtol=1e-6, atol=1e-6)
events = sweep.events
print(sweep)
print(f"{len(events)} turn over, the first after {events.t.min():.2f} s")

# %% The time at which each one turns over; white where it has not within 8 s.

times = np.full(len(starts), np.nan)
times[events.run] = events.t
figure, axes = plt.subplots(figsize=(5.6, 4.6), layout="constrained")
span = (-3, 3, -3, 3)
image = axes.imshow(times.reshape(N, N), origin="lower", extent=span, cmap="viridis")
axes.set(xlabel="shoulder at first  [rad]", ylabel="elbow at first  [rad]")
figure.colorbar(image, label="lower rod turns over after  [s]")
print("wrote", ph.results.Picture(figure).save("out/06_sweep.png"))
