# Written by tests/support/stubs.py from the table of public names.
from polhode.analyse.optimisation.goal import AtEnd as AtEnd
from polhode.analyse.optimisation.goal import AtTime as AtTime
from polhode.analyse.optimisation.goal import Bound as Bound
from polhode.analyse.optimisation.goal import Integral as Integral
from polhode.analyse.optimisation.goal import Peak as Peak

HOMES: dict[str, str]
