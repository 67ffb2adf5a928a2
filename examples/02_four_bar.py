"""A four-bar linkage: a loop that closes itself, and the curve that its coupler draws.

Three hinges make a chain; the fourth one ends at a body that already has its place, and
so it becomes a constraint by itself. The crank is thrown and goes round and round.

What surprises: a hinge that closes a planar loop brings five equations, and only two of
them are needed. The other three say again that the loop is flat, so the motion is
unique and some of the reactions are not.

Run it: python examples/02_four_bar.py
"""

import numpy as np

import polhode as ph

# %% Crank, coupler, rocker. The shortest bar goes all the way round (Grashof).


def bar(name: str, length: float) -> ph.Body:
    """A bar of 1 kg/m from its origin along X."""
    rod = ph.solids.rod(mass=length, length=length, along=ph.X)
    return ph.Body(name, ph.solids.placed(rod, (length / 2, 0, 0)))


world = ph.World()
crank, coupler, rocker = bar("crank", 1.0), bar("coupler", 2.0), bar("rocker", 1.5)
hinges = [
    ph.Revolute("A", world.origin, crank.origin, axis=-ph.Y),
    ph.Revolute("B", crank.point(1.0, 0, 0), coupler.origin, axis=-ph.Y),
    ph.Revolute("C", coupler.point(2.0, 0, 0), rocker.origin, axis=-ph.Y),
    ph.Revolute("D", rocker.point(1.5, 0, 0), world.point(2.0, 0, 0), axis=-ph.Y),
]
linkage = ph.System(hinges, [ph.Weight(9.81)], name="four-bar")
print(linkage)

# %% A state must close the loop: `assemble` finds the nearest one that does.

start = ph.assemble(linkage, {"A": 0.5}, speeds={"A": 2 * np.pi}).state
print(ph.mobility(linkage, start))

# %% Some turns of the crank. Nothing takes energy away, and the loop stays closed.

motion = ph.simulate(linkage, start, until=2.0)
ledger = motion.ledger()
is_closed = ledger.constraint_violation.max() < 1e-9
print(f"the loop is open by less than 1e-9 m: {is_closed}")
print(f"energy kept to 1e-6 J: {np.abs(ledger.balance).max() < 1e-6}")
rate = motion["A"].speeds
print(f"the crank turns at {rate.min():.2f} to {rate.max():.2f} rad/s")

# %% The mechanism at five times of a turn, with the paths of the middles of its bars.

print("wrote", motion.picture(np.linspace(0.0, 1.0, 5)).save("out/02_four_bar.png"))
