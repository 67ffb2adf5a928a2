"""The formulations by name, in the order of the comparison table."""

from __future__ import annotations

from collections.abc import Callable

from polhode.formulation.boltzmann_hamel import boltzmann_hamel
from polhode.formulation.dalembert import dalembert
from polhode.formulation.equations import Equations
from polhode.formulation.gauss import gauss
from polhode.formulation.gibbs_appell import gibbs_appell
from polhode.formulation.hamilton import hamilton
from polhode.formulation.hybrid import hybrid
from polhode.formulation.kane import kane
from polhode.formulation.kirchhoff import kirchhoff
from polhode.formulation.lagrange import lagrange
from polhode.formulation.lagrange_first_kind import lagrange_first_kind
from polhode.formulation.lie_poisson import lie_poisson
from polhode.formulation.maggi import maggi
from polhode.formulation.newton_euler import newton_euler
from polhode.formulation.recursive.recursive import recursive
from polhode.formulation.routh import routh
from polhode.formulation.spatial_forms.spatial_form import spatial_form_numbered
from polhode.formulation.udwadia_kalaba import udwadia_kalaba

FORMULATIONS: dict[str, Callable[..., Equations]] = {
    "recursive": recursive,
    "Gauss": gauss,
    "d'Alembert": dalembert,
    "Lagrange, second kind": lagrange,
    "Kane": kane,
    "Gibbs-Appell": gibbs_appell,
    "Boltzmann-Hamel": boltzmann_hamel,
    "Hamilton": hamilton,
    "Lie-Poisson": lie_poisson,
    "Routh": routh,
    "Maggi": maggi,
    "Udwadia-Kalaba": udwadia_kalaba,
    "Lagrange, first kind": lagrange_first_kind,
    "Kirchhoff": kirchhoff,
    "Newton-Euler": newton_euler,
    "hybrid": hybrid,
    "spatial form 1": spatial_form_numbered(1),
    "spatial form 2": spatial_form_numbered(2),
    "spatial form 3": spatial_form_numbered(3),
    "spatial form 4": spatial_form_numbered(4),
}
