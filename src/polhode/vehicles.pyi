# Written by tests/support/stubs.py from the table of public names.
from polhode.actions.vehicles.tyre import Tyre as Tyre
from polhode.actions.vehicles.tyre_laws import FialaTyre as FialaTyre
from polhode.actions.vehicles.tyre_laws import LinearTyre as LinearTyre
from polhode.actions.vehicles.tyre_laws import MagicFormula as MagicFormula
from polhode.constraints.vehicles.ackermann import Ackermann as Ackermann
from polhode.constraints.vehicles.ackermann import ackermann_angles as ackermann_angles

HOMES: dict[str, str]
