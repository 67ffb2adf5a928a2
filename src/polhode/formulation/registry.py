"""The formulations by name, in the order of the comparison table."""

from __future__ import annotations

from collections.abc import Callable

from polhode.formulation.boltzmann_hamel import boltzmann_hamel
from polhode.formulation.equations import Equations
from polhode.formulation.gauss import gauss
from polhode.formulation.gibbs_appell import gibbs_appell
from polhode.formulation.hamilton import hamilton
from polhode.formulation.hybrid import hybrid
from polhode.formulation.kane import kane
from polhode.formulation.kirchhoff import kirchhoff
from polhode.formulation.lagrange import lagrange
from polhode.formulation.lagrange_first_kind import lagrange_first_kind
from polhode.formulation.newton_euler import newton_euler
from polhode.formulation.recursive.recursive import recursive
from polhode.formulation.udwadia_kalaba import udwadia_kalaba

FORMULATIONS: dict[str, Callable[..., Equations]] = {
    "recursive": recursive,
    "Gauss": gauss,
    "Lagrange, second kind": lagrange,
    "Kane": kane,
    "Gibbs-Appell": gibbs_appell,
    "Boltzmann-Hamel": boltzmann_hamel,
    "Hamilton": hamilton,
    "Udwadia-Kalaba": udwadia_kalaba,
    "Lagrange, first kind": lagrange_first_kind,
    "Kirchhoff": kirchhoff,
    "Newton-Euler": newton_euler,
    "hybrid": hybrid,
}
