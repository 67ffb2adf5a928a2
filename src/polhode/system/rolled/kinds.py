"""Kinds of constraints of which one code serves all alike.

Their kernels read their own numbers and their own bodies and joints alone.
"""

from __future__ import annotations

from polhode.constraints.distance import Distance
from polhode.constraints.gear import Gear
from polhode.constraints.holonomic import PointOn
from polhode.constraints.loop import Loop

ALIKE = (Loop, PointOn, Distance, Gear)
