"""`polhode gallery`: the built-in models, each with a line; or one of them."""

from __future__ import annotations

from typing import Any

from polhode.cli.words import Json, Optional


def gallery(name: Optional = "", /, *, json: Json = False) -> None:
    """List the built-in models, or tell of one: parameters, start, a surprise.

    Examples: polhode gallery; polhode gallery heavy_top; polhode gallery crane.toml

    Parameters
    ----------
    name
        A model, of the gallery or of a file; without it, all of the gallery.
    """
    if name:
        _tell(name, json)
        return
    import polhode as ph
    from polhode.cli.answers import print_json, say

    lines = {each: ph.models.line(each) for each in ph.models.GALLERY}
    if json:
        print_json(lines)
        return
    width = max(map(len, lines))
    for each, line in lines.items():
        say(f"{each:{width}}  {line}")


def _tell(name: str, json: bool) -> None:
    import polhode as ph
    from polhode.cli.answers import print_json, print_table, say, state_rows
    from polhode.cli.words import chosen

    found, known = chosen(name), name.lower().replace("-", "_").replace(" ", "_")
    system = found.system
    if json:
        print_json(_facts(known, found))
        return
    if known in ph.models.GALLERY:
        say(f"{ph.models.story(known)}\n")
    say(f"{system!r}\n")
    rows = [(n, f"{float(v):g}") for n, v in system.parameters.items()]
    print_table("Parameters, for --set", ("", ""), rows)
    say()
    print_table("Start, for --set", ("", "", ""), state_rows(found.start))
    say(f"\nNext: polhode report {name}, or polhode view {name}.")


def _facts(name: str, found: Any) -> dict[str, Any]:
    """The same for machines."""
    import polhode as ph

    system, start, facts = found.system, found.start, {}
    if name in ph.models.GALLERY:
        facts = {"line": ph.models.line(name), "surprise": ph.models.surprise(name)}
    return {
        "name": system.name,
        **facts,
        "parameters": system.parameters,
        "coordinates": dict(zip(system.coordinate_names, start.q, strict=True)),
        "speeds": dict(zip(system.speed_names, start.z, strict=True)),
    }
