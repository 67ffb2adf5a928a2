"""A tower on ground that shakes, and the mass on its top that keeps it still.

Run it: python examples/03_a_tower_and_its_absorber.py
"""

# %% The ground, the top of the tower and a small mass on springs, along one line.

import numpy as np

import polhode as ph


def tower(absorber: float, damping: float) -> ph.System:
    """Ground (5 t), top (2 t, 1 Hz) and an absorber of some mass, tuned to the top."""
    masses = {"ground": 5000.0, "top": 2000.0, "absorber": absorber}
    rate = 2 * np.pi
    before, joints, actions = ph.World().origin, [], []
    for name, mass in masses.items():
        body = ph.Body(name, ph.solids.box(mass=mass, x=1.0, y=1.0, z=1.0))
        joints.append(ph.Prismatic(f"x {name}", before, body.origin, axis=ph.X))
        before = body.origin
    _, top, small = joints
    actions.append(ph.JointSpring(top, 2000.0 * rate**2))
    actions.append(ph.JointDamper(top, 2 * 0.01 * rate * 2000.0))
    actions.append(ph.JointSpring(small, absorber * rate**2))
    actions.append(ph.JointDamper(small, damping))
    actions.append(ph.Motor(joints[0], 0.0, name="quake"))
    return ph.System(joints, actions, name="tower")


# %% Base excitation: how much of the ground's motion reaches the top.


def passed_on(system: ph.System, hertz: np.ndarray) -> np.ndarray:
    """|top / ground| at some frequencies."""
    seen = {
        "ground": lambda t, state: state["x ground"],
        "top": lambda t, state: state["x ground"] + state["x top"],
    }
    linear = ph.linearise(system, inputs=["quake"], outputs=seen)
    return np.abs(linear.response(2 * np.pi * hertz).ratio("top", "ground"))


hertz = np.linspace(0.5, 1.5, 401)
bare = passed_on(tower(1e-6, 1e-9), hertz)
print(f"alone, the top moves {bare.max():.1f} times as far as the ground")

# %% A tuned mass damper of 5 % of the mass: two low peaks instead of a high one.

small = tower(100.0, 2 * 0.13 * 100.0 * 2 * np.pi)
held = passed_on(small, hertz)
print(f"with the absorber, {held.max():.1f} times")
print(ph.linearise(small).modes())
