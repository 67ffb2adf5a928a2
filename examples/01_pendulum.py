"""A damped pendulum: its equation, its motion, and a proof that all forms agree.

The model is described once, without coordinates. Three questions are then asked of it:
the equation of motion as a textbook prints it, a motion with its energy ledger, and the
table in which every classical form of the equations is compared with the others.

What surprises: the damper takes 3.38 J although only 1.96 J of potential energy were
there at the start. Potential energy counts from the hinge, and it went below zero.

Run it: python examples/01_pendulum.py
"""

import polhode as ph
from polhode import Parameter, Y, Z

# %% The model. A parameter is a number with a name, and equations are printed in names.

m, l = Parameter("m", 1.2), Parameter("l", 0.8)
g, c = Parameter("g", 9.81), Parameter("c", 0.02)
rod = ph.Body("rod", ph.solids.rod(mass=m, length=l, along=Z))
hinge = ph.Revolute("theta", ph.World().origin, rod.point(0, 0, l / 2), axis=Y)
actions = [ph.Weight(g), ph.Damper(hinge, c)]
pendulum = ph.System([hinge], actions=actions, name="pendulum")

# %% Its equation, by Lagrange.

print(ph.lagrange(pendulum).read())

# %% Its motion from 2 rad, audited: what changes in energy must be work.

motion = ph.simulate(pendulum, pendulum.state(theta=2.0), until=10.0)
print(motion.ledger())

# %% Every form of the equations, each derived on its own, at random states.

print(ph.compare(pendulum))

# %% A picture: the angle and the energies. In a notebook it shows itself.

print("wrote", motion.plot("theta", "energy").save("out/01_pendulum.png"))
