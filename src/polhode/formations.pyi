# Written by tests/support/stubs.py from the table of public names.
from polhode.formation.closed_forms import anomaly_after as anomaly_after
from polhode.formation.closed_forms import hill as hill
from polhode.formation.closed_forms import hill_transition as hill_transition
from polhode.formation.closed_forms import tschauner_hempel as tschauner_hempel
from polhode.formation.double_integrator import DoubleIntegrator as DoubleIntegrator
from polhode.formation.double_integrator import double_integrator as double_integrator
from polhode.formation.keeping import formation_keeping as formation_keeping
from polhode.formation.orbit import Orbit as Orbit
from polhode.formation.relative import relative_equations as relative_equations
from polhode.formation.relative_orbit import RelativeOrbit as RelativeOrbit
from polhode.formation.relative_orbit import relative_orbit as relative_orbit
from polhode.formation.tree import formation_tree as formation_tree
from polhode.formation.tree import in_tree as in_tree

HOMES: dict[str, str]
