"""`polhode gallery`: the built-in models, each with a line; or one of them."""

from __future__ import annotations

import inspect

from polhode.cli.words import Json, Optional


def gallery(name: Optional = "", /, *, json: Json = False) -> None:
    """List the built-in models, or tell of one: parameters, start, a surprise.

    Examples: polhode gallery; polhode gallery heavy_top

    Parameters
    ----------
    name
        A model of the gallery; all of them without it.
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
    from polhode.cli.answers import print_json, print_table, say, state_rows
    from polhode.cli.words import chosen

    found = chosen(name)
    system = found.system
    if json:
        print_json({"name": system.name, "parameters": system.parameters})
        return
    say(_story(name))
    say(f"\n{system!r}\n")
    rows = [(n, f"{float(v):g}") for n, v in system.parameters.items()]
    print_table("Parameters, for --set", ("", ""), rows)
    say()
    print_table("Start, for --set", ("", "", ""), state_rows(found.start))
    say(f"\nNext: polhode report {name}, or polhode view {name}.")


def _story(name: str) -> str:
    """What the file of a model says of it, sketch and surprise."""
    import polhode as ph

    function = ph.models.GALLERY[name.lower().replace("-", "_").replace(" ", "_")]
    module = inspect.getmodule(function)
    return inspect.getdoc(module) or ""
