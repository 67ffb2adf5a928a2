"""Shapes of arrays in kernels, by name.

Type checkers read them, and the tests of geometry, joints and formulations hold every
call against them. Nothing imports this module at run time: jaxtyping is needed by those
who develop Polhode alone. Leading axes `...` are a batch; a letter is one number
throughout a call.
"""

from __future__ import annotations

import jax
import numpy as np
from jaxtyping import Real

Array = np.ndarray | jax.Array

Columns3 = Real[Array, "... 3"]
Matrices3 = Real[Array, "... 3 3"]
Quaternions = Real[Array, "... 4"]
Matrices4 = Real[Array, "... 4 4"]
Matrices34 = Real[Array, "... 3 4"]
Matrices43 = Real[Array, "... 4 3"]
Columns6 = Real[Array, "... 6"]  # twists, wrenches, screws: angular part first
Matrices6 = Real[Array, "... 6 6"]

Links = Real[Array, "links 3 3"]  # of a chain, each in the axes of the one before
LinkColumns = Real[Array, "links 3"]

JointColumn = Real[Array, "nq"]  # coordinates q of a joint
Speeds = Real[Array, "nz"]
Matrix3 = Real[Array, "3 3"]
Column3 = Real[Array, "3"]
Column6 = Real[Array, "6"]
ReactionBasis = Real[Array, "6 constraints"]  # a basis of wrenches, as columns
Residual = Real[Array, "constraints"]
Pair = Real[Array, "2"]

BodyColumns = Real[Array, "bodies 6"]
BodyMatrices = Real[Array, "bodies 6 6"]
MassMatrix = Real[Array, "k k"]
GeneralisedForces = Real[Array, "k"]
ConstraintRows = Real[Array, "m k"]
RowColumn = Real[Array, "m"]
RowMatrix = Real[Array, "m m"]
