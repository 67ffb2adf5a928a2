# Written by tests/support/stubs.py from the table of public names.
from polhode.actions.marine.buoyancy import Buoyancy as Buoyancy
from polhode.actions.marine.hydrodynamic_drag import HydrodynamicDrag as HydrodynamicDrag
from polhode.actions.marine.propeller import Propeller as Propeller
from polhode.matter.submerged import submerged as submerged
from polhode.matter.submerged import with_added_mass as with_added_mass

HOMES: dict[str, str]
