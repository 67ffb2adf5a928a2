# Written by tests/support/stubs.py from the table of public names.
from polhode.matter.quantities.functions import arctan as arctan
from polhode.matter.quantities.functions import cos as cos
from polhode.matter.quantities.functions import exp as exp
from polhode.matter.quantities.functions import log as log
from polhode.matter.quantities.functions import sin as sin
from polhode.matter.quantities.functions import sqrt as sqrt
from polhode.matter.quantities.functions import tan as tan
from polhode.matter.quantities.functions import tanh as tanh

HOMES: dict[str, str]
