"""All methods by name: for files, `ph.resume`, the command line and `ph.methods`.

Only the module of the method that is asked for is imported.
"""

from __future__ import annotations

import importlib
from typing import Any

from polhode.errors import FileError

# The name of a class -> the module beside this one that defines it. In this order
# methods are listed to people: first those that choose their steps.
METHODS = {
    "DormandPrince": "runge_kutta.dormand_prince",
    "DormandPrince8": "runge_kutta.dop853",
    "Calvo7": "runge_kutta.calvo",
    "Taylor": "taylor",
    "RungeKutta4": "runge_kutta.rk4",
    "ImplicitMidpoint": "runge_kutta.implicit_midpoint",
    "GaussLegendre4": "runge_kutta.gauss_legendre",
    "GaussLegendre6": "runge_kutta.gauss_legendre",
    "RadauIIA": "runge_kutta.radau",
    "SemiImplicitEuler": "mechanical.semi_implicit_euler",
    "StormerVerlet": "mechanical.stormer_verlet",
    "GeneralisedAlpha": "mechanical.generalised_alpha",
    "GearGuptaLeimkuhler": "mechanical.gear_gupta_leimkuhler",
    "Rattle": "mechanical.rattle",
    "Variational": "mechanical.variational",
    "EnergyMomentum": "mechanical.energy_momentum",
    "MuntheKaas4": "lie_group.rkmk",
    "CrouchGrossman4": "lie_group.crouch_grossman",
    "CommutatorFree4": "lie_group.commutator_free",
    "CommutatorFree5": "lie_group.commutator_free",
    "CommutatorFree6": "lie_group.commutator_free_six",
    "MoserVeselov": "mechanical.moser_veselov",
    "Moreau": "mechanical.moreau",
}
# Those that solve each step by Newton's iteration, with a matrix of all velocities.
IMPLICIT = {
    *("ImplicitMidpoint", "GaussLegendre4", "GaussLegendre6", "RadauIIA"),
    *("GeneralisedAlpha", "GearGuptaLeimkuhler", "Rattle", "Variational"),
    *("EnergyMomentum", "MoserVeselov"),
}
# Of these, those whose matrix is had by its few entries where a system is large.
SPARSE = {"GaussLegendre4", "GaussLegendre6", "RadauIIA"}
# Those between whose explicit steps switches of contacts are located.
LOCATES_SWITCHES = {"DormandPrince", "DormandPrince8", "Calvo7"}
# Those that step x as a column of numbers, whatever each is: states of controllers too.
STEPS_COLUMNS = {*LOCATES_SWITCHES, "RadauIIA", "RungeKutta4", "Taylor"}
# Methods made of other methods: a model file does not name them, a stored run may.
WRAPPERS = {"Composed": "composed", "Unprojected": "projection"}


def known_method(name: str) -> Any:
    """The class of a method; None where there is none of this name."""
    module = (METHODS | WRAPPERS).get(name)
    if module is None:
        return None
    home = importlib.import_module(f"polhode.integrate.methods.{module}")
    return getattr(home, name)


def method_from(told: dict[str, Any]) -> Any:
    """The method that the header of a file tells of: its kind and its settings."""
    found, settings = known_method(str(told["kind"])), told["settings"]
    if found is None:
        raise FileError(
            f"this version has no method {told['kind']!r}.",
            "The file was written with a method of another version, or of a user.",
            "Give the method: ph.resume(path, system, method=...).",
        )
    return found(**{name: _value(value) for name, value in settings.items()})


def _value(value: Any) -> Any:
    """A setting: numbers and texts as they are, a method by its kind."""
    if isinstance(value, list):
        return tuple(_value(entry) for entry in value)
    if isinstance(value, dict):
        inner = {name: entry for name, entry in value.items() if name != "kind"}
        return method_from({"kind": value["kind"], "settings": inner})
    return value
