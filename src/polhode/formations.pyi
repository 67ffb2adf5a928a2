# Written by tests/support/stubs.py from the table of public names.
from polhode.formation.double_integrator import DoubleIntegrator as DoubleIntegrator
from polhode.formation.double_integrator import double_integrator as double_integrator
from polhode.formation.orbit import Orbit as Orbit
from polhode.formation.relative import relative_equations as relative_equations
from polhode.formation.relative_orbit import RelativeOrbit as RelativeOrbit
from polhode.formation.relative_orbit import relative_orbit as relative_orbit
from polhode.formation.tree import formation_tree as formation_tree
from polhode.formation.tree import in_tree as in_tree

HOMES: dict[str, str]
