"""`polhode equations`: the equations of motion, for people or for other programs."""

from __future__ import annotations

from typing import Any, Literal

from polhode.cli.words import Changes, Json, ModelName


def equations(
    model: ModelName,
    /,
    *,
    form: str = "lagrange",
    language: Literal["text", "latex", "c", "matlab", "json"] = "text",
    set: Changes | None = None,
    seconds: float = 10.0,
    json: Json = False,
) -> None:
    """Print the equations of motion of a model, each equal to zero.

    Examples: polhode equations pendulum; polhode equations heavy_top --form kirchhoff

    Parameters
    ----------
    form
        A formulation: lagrange, kane, hamilton, newton-euler, ... as in compare.
    language
        text and latex to read; c and matlab to compile; json for machines.
    seconds
        Time allowed for bringing them to their shortest form, s.
    """
    from polhode.cli.answers import print_json, say
    from polhode.cli.words import chosen, form_of, require_not_negative

    require_not_negative("--seconds", seconds)
    found = form_of(form)(chosen(model, set or ()).system)
    reading = found.read(seconds=seconds)
    if json or language == "json":
        print_json(_facts(reading))
        return
    texts = {"latex": "latex", "c": "c", "matlab": "matlab", "text": "text"}
    say(getattr(reading, texts[language])())


def _facts(reading: Any) -> dict[str, Any]:
    return {
        "form": reading.name,
        "motion": [str(each) for each in reading.motion],
        "constraints": [str(each) for each in reading.constraints],
        "lagrangian": str(reading.lagrangian),
        "is_shortest": reading.is_shortest,
    }
