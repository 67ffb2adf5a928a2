"""`polhode section`: where motions pass, for one value of a parameter or many."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from polhode.cli.words import Changes, Json, ModelName, Optional, field_or
from polhode.errors import CommandError


def section(
    model: ModelName,
    /,
    *,
    every: float | None = None,
    zero: Optional = "",
    until: float | None = None,
    after: float | None = None,
    over: Optional = "",
    out: Path | None = None,
    set: Changes | None = None,
    json: Json = False,
) -> None:
    """A Poincare section of a motion, or a bifurcation diagram over a parameter.

    Examples: polhode section double_pendulum --zero elbow --until 30 --out s.png;
    polhode section pendulum --zero hinge --until 10 --over m=1:2:5

    Parameters
    ----------
    every
        Seconds from pass to pass: the period of what drives the model. This and the
        rest may stand in [section] of a model file.
    zero
        Instead: a formula that passes zero upwards, such as elbow or hinge - 1.
    until
        Time at which motions end, s.
    after
        What comes before this time is left out, s.
    over
        A parameter and its values, name=from:to:count: a bifurcation diagram.
    out
        A .png, .svg or .pdf of the diagram.
    """
    import polhode as ph
    from polhode.cli.answers import print_json, say, say_path
    from polhode.cli.waiting import waiting
    from polhode.cli.words import chosen, laws_of

    found = chosen(model, set or ())
    fields = found.questions.get("section", {})
    at = _passing(found.system, every, zero, fields)
    end = field_or(until, found.run, "until", "--until 30")
    late = float(fields.get("after", 0.0) if after is None else after)
    given: dict[str, Any] = {"at": at, "until": float(end), "after": late}
    given |= laws_of(found)
    name, values = _over(over, fields)
    with waiting(f"Passes of {found.system.name}"):
        if name:
            answer = ph.bifurcation(found.system, found.start, name, values, **given)
        else:
            answer = ph.poincare(found.system, found.start, **given)
    if json:
        print_json({"columns": answer.heads, "passes": answer.rows})
    else:
        say(str(answer))
    if out is not None:
        say_path("picture", answer.plot().save(out), json)


def _passing(system: Any, every: float | None, zero: str, fields: Any) -> Any:
    """The period, or the event of a formula."""
    import polhode as ph
    from polhode.files.questions import quantity_law

    if every is not None and zero:
        raise CommandError(
            "--every and --zero cannot be given together.",
            "A motion is looked at once a period, or where a formula passes zero.",
            "Give one of them.",
        )
    formula = zero or ("" if every is not None else fields.get("zero", ""))
    if formula:
        law = quantity_law(system, formula)
        return ph.Event(formula, lambda t, state: law(t, state), direction=1)
    return float(field_or(every, fields, "every", "--every 2 or --zero hinge"))


def _over(over: str, fields: Any) -> tuple[str, Any]:
    from polhode.files.questions import numbers_from

    if not over:
        return fields.get("over", ""), fields.get("values")
    name, equals, row = over.partition("=")
    if not equals:
        raise CommandError(
            f"--over {over!r} has no values.", repair="Write --over m=1:2:5."
        )
    return name.strip(), numbers_from(row)
