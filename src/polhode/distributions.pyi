# Written by tests/support/stubs.py from the table of public names.
from polhode.integrate.field.distribution import Choice as Choice
from polhode.integrate.field.distribution import Normal as Normal
from polhode.integrate.field.distribution import Uniform as Uniform

HOMES: dict[str, str]
