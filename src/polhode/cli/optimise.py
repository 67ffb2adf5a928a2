"""`polhode optimise`: numbers of a model that make a goal of its motion least."""

from __future__ import annotations

from typing import Any

from polhode.cli.codes import BAD_NEWS, WELL
from polhode.cli.words import Changes, Json, ModelName, Optional, Several, field_or
from polhode.errors import CommandError


def optimise(
    model: ModelName,
    /,
    *,
    vary: Several | None = None,
    least: Optional = "",
    most: Optional = "",
    keep: Several | None = None,
    until: float | None = None,
    solver: str = "SLSQP",
    set: Changes | None = None,
    json: Json = False,
) -> int:
    """Search for parameters and first states that make a goal of the motion least.

    Examples: polhode optimise pendulum --vary "first speed of hinge=0:3" --most hinge
    --until 0.3; polhode optimise pendulum --vary l=0.5:2 --least "hinge ** 2"
    --keep "peak of hinge <= 2.1" --until 0.5

    Parameters
    ----------
    vary
        A variable and its bounds, name=low:high: a parameter, first hinge, first speed
        of hinge, until. May be repeated. This and the rest may stand in [optimise] of
        a model file.
    least
        The goal: a formula of t, coordinates (hinge), speeds (hinge.speed) and
        parameters at the end; or integral of ..., or peak of ....
    most
        Instead: a goal that is to be greatest.
    keep
        A bound, such as peak of hinge <= 0.5, with <=, >= or ==. May be repeated.
    until
        Time at which the motion ends, s.
    solver
        SLSQP, trust-constr, L-BFGS-B or ipopt.
    """
    import polhode as ph
    from polhode.cli.answers import print_json, say
    from polhode.cli.waiting import waiting
    from polhode.cli.words import chosen, laws_of
    from polhode.files.questions import bound_from

    found = chosen(model, set or ())
    fields = found.questions.get("optimise", {})
    pairs = dict(map(_pair, vary or ())) or fields.get("variables")
    variables = field_or(pairs, {}, "variables", "--vary m=0.5:2")
    texts = keep or fields.get("keep", ())
    bounds = {text: bound_from(found.system, text) for text in texts}
    end = float(field_or(until, found.run, "until", "--until 3"))
    goal = _goal(found.system, least, most, fields)
    with waiting(f"Optimising {found.system.name}"):
        answer = ph.optimise(
            found.system,
            variables,
            goal,
            start=found.start,
            until=end,
            constraints=bounds,
            solver=solver,
            **laws_of(found),
        )
    if json:
        values = {name: answer[name] for name in variables}
        facts = {"variables": values, "objective": answer.value}
        print_json({**facts, "converged": answer.is_converged})
    else:
        say(str(answer))
    return WELL if answer.is_converged else BAD_NEWS


def _goal(system: Any, least: str, most: str, fields: Any) -> Any:
    """The goal that is made least; of one that is to be greatest, the negative."""
    from dataclasses import replace

    from polhode.files.questions import goal_from

    if least and most:
        raise CommandError(
            "--least and --most cannot be given together.",
            "One number of the motion is searched for.",
            "Give one of them.",
        )
    if not least and not most:
        least, most = fields.get("least", ""), fields.get("most", "")
    if most and not least:
        goal: Any = goal_from(system, most)
        law = goal.function
        return replace(goal, function=lambda *given: -law(*given))
    return goal_from(system, field_or(least, {}, "least", '--least "peak of hinge"'))


def _pair(text: str) -> tuple[str, tuple[float, float]]:
    name, _, ends = text.rpartition("=")
    low, _, high = ends.partition(":")
    try:
        if name.strip():
            return name.strip(), (float(low), float(high))
    except ValueError:
        pass
    raise CommandError(
        f"--vary {text!r} bounds no variable.",
        repair="Write name=low:high with numbers in SI units: --vary m=0.5:2.",
    )
