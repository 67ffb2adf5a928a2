"""`polhode equations`: the equations of motion, for people or for other programs."""

from __future__ import annotations

from typing import Any, Literal

from polhode.cli.words import Changes, Json, ModelName, Optional

LEGEND = """
p and L are momentum and angular momentum about the world's origin. F and M are force
and moment of an action, R and Q of a joint (opposite on its first body) or constraint.
The closed form may take minutes: --form lagrange."""


def equations(
    model: ModelName,
    /,
    *,
    form: Optional = "",
    language: Literal["text", "latex", "c", "matlab", "json"] = "text",
    set: Changes | None = None,
    operations: float = 5_000_000,
    json: Json = False,
) -> None:
    """Print the equations of motion of a model, each equal to zero.

    Where they are longer than a page, what acts on each body is printed instead, unless
    a form is asked for.
    Examples: polhode equations pendulum; polhode equations heavy_top --form kirchhoff

    Parameters
    ----------
    form
        A formulation: lagrange, kane, hamilton, newton-euler, ... as in compare;
        lagrange where they are short.
    language
        text and latex to read; c and matlab to compile; json for machines.
    operations
        Operations on terms for bringing them to their shortest form: five million
        take some ten seconds. They are counted, so that every machine prints the same.
    """
    from polhode.cli.answers import print_json, say
    from polhode.cli.waiting import waiting
    from polhode.cli.words import chosen, form_of, require_not_negative
    from polhode.show.page.equation_lines import is_easy, usual

    require_not_negative("--operations", operations)
    derive = form_of(form) if form else usual
    is_source = language in ("c", "matlab")
    with waiting(f"Reading the equations of {model}"):
        system = chosen(model, set or ()).system
        is_short = bool(form) or is_source or is_easy(system)
        reading = _reading(system, derive, operations) if is_short else None
        facts = _facts(reading) if is_short else _laws(system)
    if json or language == "json":
        print_json(facts)
    elif reading is not None:
        say(getattr(reading, language)())
    else:
        say("\n".join(facts["latex" if language == "latex" else "laws"]))
        say(LEGEND)


def _reading(system: Any, derive: Any, operations: float) -> Any:
    """The equations, with the forces of contacts where there are supports."""
    if not system.supports:
        return derive(system).read(operations=operations)
    from polhode.formulation.reading.contact_reading import contact_reading

    return contact_reading(system, derive, operations=operations)


def _laws(system: Any) -> dict[str, Any]:
    """What acts on each body, and those energies that are short."""
    supports, system = system.supports, system.without_supports
    from polhode.formulation.reading.energies import short_energies
    from polhode.formulation.shared.body_laws import body_laws

    laws, energies = body_laws(system), short_energies(system)
    return {
        "form": f"laws of bodies, {system.name}",
        "laws": [*str(laws).splitlines(), *energies.texts(), *_pushes(supports)],
        "latex": [*laws.formulas(), *energies.formulas()],
    }


def _pushes(supports: Any) -> list[str]:
    """The laws of contacts in words: too many for equations."""
    if not supports:
        return []
    lines = [f"{support!r} pushes each point:" for support in supports]
    return [*lines, "0 <= g  _|_  N >= 0,  |T| <= mu_s N,  T = -mu_d N v/|v| in slip"]


def _facts(reading: Any) -> dict[str, Any]:
    return {
        "form": reading.name,
        "motion": [str(each) for each in reading.motion],
        "constraints": [str(each) for each in reading.constraints],
        "lagrangian": str(reading.lagrangian),
        "where": {str(name): str(each) for name, each in reading.where},
        "is_shortest": reading.is_shortest,
        "contacts": [
            line for law in getattr(reading, "laws", ()) for line in law.texts()
        ],
    }
