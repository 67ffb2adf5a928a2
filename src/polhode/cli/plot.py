"""`polhode plot`: curves of a motion in a picture."""

from __future__ import annotations

from pathlib import Path

from polhode.cli.words import Changes, Json, ModelName, Several, Span


def plot(
    subject: str,
    model: ModelName = "",
    /,
    *,
    what: Several | None = None,
    against: str = "t",
    out: Path = Path("plot.png"),
    until: float | None = None,
    theme: str = "light",
    set: Changes | None = None,
    json: Json = False,
) -> None:
    """Draw quantities of a motion over time, or against each other.

    Examples: polhode plot pendulum --what hinge --what hinge.speed;
    polhode plot motion.nc pendulum --what hinge.speed --against hinge

    Parameters
    ----------
    subject
        A model, or the file of a motion; of a motion under laws written in Python
        its model follows.
    what
        Quantities by name: hinge, hinge.speed, rod.position, energy. May be repeated.
    against
        What they are drawn against: t, or a quantity.
    out
        A .png, .svg or .pdf file.
    until
        Time at which the motion ends, s.
    theme
        light or dark.
    """
    from polhode.cli.answers import say_path
    from polhode.cli.waiting import waiting
    from polhode.cli.words import motion_of

    motion = motion_of(subject, model, set or (), Span(until))
    names = what or [joint.name for joint in motion.system.joints if joint.coordinates]
    with waiting("Drawing"):
        path = motion.plot(*names, against=against, theme=theme).save(out)
    say_path("picture", path, json)
