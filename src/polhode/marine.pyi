# Written by tests/support/stubs.py from the table of public names.
from polhode.actions.marine.buoyancy import Buoyancy as Buoyancy
from polhode.actions.marine.hydrodynamic_drag import HydrodynamicDrag as HydrodynamicDrag
from polhode.actions.marine.propeller import Propeller as Propeller

HOMES: dict[str, str]
