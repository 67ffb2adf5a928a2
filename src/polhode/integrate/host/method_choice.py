"""Which method a run takes, and in words why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from polhode.errors import IntegrationError, IntegrationWarning
from polhode.integrate.field.sparse_jacobian import has_sparse_matrix
from polhode.integrate.kernel.stiffness import Decay
from polhode.integrate.methods.mechanical.gear_gupta_leimkuhler import (
    GearGuptaLeimkuhler,
)
from polhode.integrate.methods.mechanical.generalised_alpha import GeneralisedAlpha
from polhode.integrate.methods.mechanical.rattle import Rattle
from polhode.integrate.methods.method import Method, is_method
from polhode.integrate.methods.projection import Unprojected
from polhode.integrate.methods.registry import IMPLICIT, SPARSE
from polhode.integrate.methods.runge_kutta.dormand_prince import DormandPrince
from polhode.integrate.methods.runge_kutta.radau import RTOL as STIFF_RTOL
from polhode.integrate.methods.runge_kutta.radau import RadauIIA
from polhode.integrate.methods.tolerance import RTOL
from polhode.system.rolled.size import refuse_dense
from polhode.tracebacks import warn

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations

# Their steps end where the constraints hold.
HOLDING = (GearGuptaLeimkuhler, GeneralisedAlpha, Rattle)


# Speeds up to which Newton's matrix of a step is solved: it is dense, whatever holds
# the bodies together.
NEWTON = 200
# A decay by so much in one step is the most that explicit methods follow.
STABLE = 3.3


def refuse_dense_steps(equations: Equations, method: Any) -> None:
    """Refuses a method that solves for all velocities of very many bodies at once."""
    inner = getattr(method, "method", method)
    name, is_sparse = type(inner).__name__, has_sparse_matrix(equations)
    if name not in IMPLICIT or (is_sparse and name in SPARSE):
        return
    how = "Take an explicit method, such as ph.methods.DormandPrince()"
    if is_sparse:
        how += ", or for what is stiff ph.methods.RadauIIA(), whose matrix is sparse"
    refuse_dense(
        equations.system, f"Newton's matrix of {inner.name}", NEWTON, how + "."
    )


class ChosenMethod(NamedTuple):
    """The method of a run, and in words which it is and what it keeps."""

    method: Method
    note: str


def picked(
    equations: Equations, method: Method | None, rtol: Any, atol: Any
) -> ChosenMethod:
    """The method, and in words which it is and what it keeps.

    Without one, order 5 with steps of its own choice serves every kind of system that
    is not stiff, and constraints are kept by projection. Where a run begins stiff see
    `suited`; one that becomes so is told by its outcome.
    """
    if method is not None and (rtol is not None or atol is not None):
        raise IntegrationError(
            f"{method!r} was given together with rtol or atol.",
            "A method has its own tolerances or its own step.",
            "Give them to the method: ph.methods.DormandPrince(rtol=...).",
        )
    if method is not None and not is_method(method):
        raise IntegrationError(
            f"{method!r} is not a method of integration.",
            "A method is a thing that can attempt a step, with its tolerances or step.",
            "Give ph.methods.DormandPrince(...), ph.methods.RungeKutta4(step=...) or"
            " their kin.",
        )
    refuse_dense_steps(equations, method)
    chosen = method or DormandPrince(RTOL if rtol is None else rtol, atol)
    words = [chosen.name if method else f"{chosen.name} (picked)"]
    return ChosenMethod(chosen, ", ".join([*words, *_kept(equations, chosen)]))


def suited(
    equations: Equations, pick: ChosenMethod, rtol: Any, atol: Any, decay: Decay
) -> ChosenMethod:
    """What was picked, or an implicit method in its place where a run begins stiff."""
    is_dense = equations.system.speeds > NEWTON and not has_sparse_matrix(equations)
    if decay.is_often and (is_dense or not decay.is_stiff):
        _warn_of_pace(equations, pick, decay, is_dense)
    if not decay.is_stiff or is_dense:
        return pick
    chosen = RadauIIA(STIFF_RTOL if rtol is None else rtol, atol)
    times = decay.rate / decay.motion
    words = (
        f"{chosen.name} (picked: something decays in {1 / decay.rate:.2g} s,"
        f" {times:.0e} times as quick as the motion)"
    )
    return ChosenMethod(chosen, ", ".join([words, *_kept(equations, chosen)]))


def _warn_of_pace(
    equations: Equations, pick: ChosenMethod, decay: Decay, is_dense: bool
) -> None:
    """Say of a large system that an explicit method goes at the pace of a decay."""
    system = equations.system
    if system.speeds <= NEWTON:
        return
    repair = "ph.methods.RadauIIA() is for what is stiff"
    if is_dense:
        repair = (
            f"implicit methods are dense for it, and made for up to {NEWTON} speeds, of"
            f" {system.speeds} here; soften what is stiff, or hold it by a constraint"
        )
    warn(
        f"in {system.name!r} something decays in {1 / decay.rate:.2g} s, and"
        f" {pick.method.name} steps at its pace: some"
        f" {decay.rate * decay.duration / STABLE:.0e} steps. If that is too many,"
        f" {repair}.",
        IntegrationWarning,
    )


def _kept(equations: Equations, method: Method) -> list[str]:
    """What the steps of a method keep of a system, beside its motion."""
    system = equations.system
    if not system.constraints:
        return ["unit quaternions"] if system.coordinates != system.speeds else []
    if isinstance(method, Unprojected):
        return ["constraints left to drift"]
    if isinstance(method, HOLDING):
        return ["constraints solved for in each step"]
    return ["constraints kept by projection"]
