"""The equations by which a model moves: as they are, or made of a system, once.

A system without supports moves by the recursive form. One with supports moves by
equations that know the modes of its contacts, whose switches are located; a method that
steps over contacts answers for them itself and takes the equations without them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from polhode.errors import IntegrationError, ModelError
from polhode.formulation.contact.mode_forces import contact_equations, knows_modes
from polhode.formulation.contact.questions import require_order
from polhode.formulation.equations import Equations
from polhode.formulation.recursive.recursive import recursive
from polhode.integrate.methods.mechanical.moreau import Moreau
from polhode.integrate.methods.method import Method
from polhode.integrate.methods.registry import LOCATES_SWITCHES
from polhode.matter.parameter import at
from polhode.supports.polytope_pairs import OnPolytope
from polhode.supports.restitution import Poisson, Stronge
from polhode.system.contacts import names, pads, refuse_supports
from polhode.system.system import System

MOST_POINTS = 8  # that may touch: every combination of their modes is a motion


def equations_of(
    model: System | Equations, method: Method | None = None, impacts: str = ""
) -> Equations:
    """Equations as they are, or those by which a system moves, made once.

    Of a system with supports a method must answer for the contacts; with `impacts`, the
    order in which several strike, contacts are located.
    """
    if isinstance(model, Equations):
        if impacts and knows_modes(model):
            return exact_equations(model, method, impacts)
        return model
    if not isinstance(model, System):
        raise ModelError(
            f"{model!r} cannot be simulated.",
            "Only a system, or equations of one, has a motion.",
            "Give a ph.System, or what ph.kane(system) and its kin return.",
        )
    if model.supports and impacts and not isinstance(method, Moreau):
        return exact_equations(model, method, impacts)
    if model.supports:
        return _equations_for_steps(model, method)
    return model.remembered("motion", lambda: recursive(model))


def is_exact(model: Any, method: Method | None) -> bool:
    """Whether switches of contacts are located: a method that steps over has none."""
    if isinstance(model, System):
        return bool(model.supports) and not isinstance(method, Moreau)
    return isinstance(model, Equations) and knows_modes(model)


def exact_equations(model: Any, method: Method | None, order: str) -> Equations:
    """The equations of a system whose contacts are located; refused where they cannot.

    `order` is that in which several contacts strike.
    """
    system = model if isinstance(model, System) else model.system
    require_order(order)
    _require_few(system)
    if method is not None and type(method).__name__ not in LOCATES_SWITCHES:
        raise IntegrationError(
            f"{method.name} cannot run {system.name!r}, which has supports.",
            "Switches of contacts are located between steps of an explicit method.",
            "Leave the method out, or give ph.methods.DormandPrince or"
            " ph.methods.DormandPrince8.",
        )
    return contact_equations(system)


def _require_few(system: System) -> None:
    for support in system.supports:
        if isinstance(support.candidates, OnPolytope):
            raise ModelError(
                f"{support.name!r} cannot be located: it is of a"
                f" {support.surface.shape} on a {support.on.shape}.",
                "Where they touch jumps from corner to corner and edge to edge as they"
                " slide and turn.",
                "Take steps over contacts: method=ph.methods.Moreau(step=1e-3).",
            )
    count = len(names(system))
    if count > MOST_POINTS:
        raise ModelError(
            f"{system.name!r} has {count} points that may touch; located one by one"
            f" are at most {MOST_POINTS}.",
            "Every combination of open, sliding and sticking points is a motion of its"
            " own.",
            "Give fewer corners (ph.surfaces.hull with those that can touch), or take"
            " steps over contacts: method=ph.methods.Moreau(step=1e-3).",
        )


def _equations_for_steps(model: System, method: Method | None) -> Equations:
    """Those of a system without its supports, for which the method answers."""
    if not isinstance(method, Moreau):
        refuse_supports(model, "A method for smooth motion")
    _refuse_dry_joints(model)
    _refuse_phases(model)

    def known() -> Equations:
        smooth = recursive(model.without_supports)
        return replace(smooth, system=model, knows_contacts=True)

    return model.remembered("stepped motion", known)


def _refuse_phases(model: System) -> None:
    """Refuse laws of restitution by the halves of an impact, which steps do not have.

    A plain number, or a law without friction, is Newton's as well.
    """
    for support in model.supports:
        given = getattr(support, "restitution", None)  # brakes have none
        if not isinstance(given, Stronge | Poisson):
            continue
        if support.friction is not None and at(given.restitution) != 0:
            raise ModelError(
                f"Moreau's scheme cannot take {given!r} of {support.name!r}.",
                "That law compares the compression of an impact with its restitution;"
                " a step has one impulse for both, and with friction the number alone"
                " would be another law.",
                f"Give ph.contact.Newton({at(given.restitution):g}), or leave the"
                " method out: contacts are then located, and impacts have two halves.",
            )


def _refuse_dry_joints(model: System) -> None:
    dry = [names(model)[p.candidate] for p in pads(model) if p.edge is not None]
    if dry:
        raise ModelError(
            f"a method that steps over contacts does not know {dry[0]!r}, a dry joint.",
            "It is pressed by what its joint carries, which follows from accelerations;"
            " a step over contacts has none.",
            "Leave the method out, give ph.Brake with the load that it has, or"
            " ph.JointFriction with ph.contact.Regularised among the actions.",
        )
