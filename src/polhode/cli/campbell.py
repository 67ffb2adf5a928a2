"""`polhode campbell`: frequencies of a rotor over its speed, critical speeds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from polhode.cli.words import Changes, Json, ModelName, Optional, Several, field_or


def campbell(
    model: ModelName,
    /,
    *,
    spin: Optional = "",
    speeds: Optional = "",
    order: Several | None = None,
    lateral: Optional = "",
    out: Path | None = None,
    set: Changes | None = None,
    json: Json = False,
) -> None:
    """Frequencies over the speed of a rotor about rest, and its critical speeds.

    Examples: polhode campbell rotor --spin spin --speeds 0:300:31;
    polhode campbell rotor --spin spin --speeds 0:300:31 --order 1 --order 2 --out c.png

    Parameters
    ----------
    spin
        The joint that turns. This and the rest may stand in [campbell] of a model file.
    speeds
        Its speeds, rad/s: from:to:count, or a list 0,100,200.
    order
        A multiple of the speed at which something shakes it; 1 without it. May be
        repeated.
    lateral
        Two coordinates across the shaft, x,y: whirl with and against it is told apart.
    out
        A .png, .svg or .pdf of the diagram.
    """
    import polhode as ph
    from polhode.cli.answers import print_json, say, say_path
    from polhode.cli.waiting import waiting
    from polhode.cli.words import chosen
    from polhode.files.questions import numbers_from

    found = chosen(model, set or ())
    fields = found.questions.get("campbell", {})
    joint = field_or(spin, fields, "spin", "--spin spin")
    row = field_or(
        speeds and numbers_from(speeds), fields, "speeds", "--speeds 0:300:31"
    )
    orders = [float(each) for each in order or fields.get("orders", (1.0,))]
    pair: Any = tuple(lateral.split(",")) if lateral else fields.get("lateral")
    with waiting(f"Frequencies of {found.system.name}"):
        answer = ph.campbell(found.system, joint, row, orders=orders, lateral=pair)
    if json:
        lines = [each._asdict() for each in answer.criticals]
        print_json({"speeds": answer.speeds, "criticals": lines})
    else:
        say(str(answer))
    if out is not None:
        say_path("picture", answer.plot().save(out), json)
