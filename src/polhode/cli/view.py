"""`polhode view`: a motion in a live 3D scene, on this machine only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from polhode.cli.words import Changes, Json, ModelName, Optional, Span


def view(
    subject: str,
    model: ModelName = "",
    /,
    *,
    until: float | None = None,
    set: Changes | None = None,
    browser: bool = True,
    out: Path | None = None,
    look: Optional = "",
    follow: Optional = "",
    axes: Optional = "world",
    theme: Optional = "light",
    json: Json = False,
) -> None:
    """Show a motion in the browser, until Ctrl-C; or write it as a film or a picture.

    Examples: polhode view heavy_top; polhode view motion.nc --out motion.gif

    Parameters
    ----------
    subject
        A model, or the file of a motion; of a motion under laws written in Python
        its model follows.
    until
        Time at which the motion ends, s.
    browser
        Open a window; without it go to the address that is printed.
    out
        A .gif or .mp4 of the bodies as they move, or a .png, .svg or .pdf of them at
        five times, instead of the window.
    look
        With --out: front, back, side, left, top or corner, or azimuth and elevation in
        degrees, -60,20.
    follow
        A body that the observer goes along with.
    axes
        Of the observer that follows: world, body, rtn or lvlh.
    theme
        light or dark.
    """
    from polhode.cli.answers import print_json, say
    from polhode.cli.words import motion_of

    motion = motion_of(subject, model, set or (), Span(until))
    if out is not None:
        seen = _observer(follow, axes, theme)
        _write(motion, out, {**seen, **_view(look)}, json)
        return
    viewer = motion.show(browser=browser, **_observer(follow, axes, theme))
    if json:
        print_json({"url": viewer.url})
    else:
        say(f"{viewer.url}\nCtrl-C ends it.")
    viewer.wait()


def _observer(follow: str, axes: str, theme: str) -> dict[str, Any]:
    return {"follow": follow or None, "axes": axes, "theme": theme}


def _view(look: str) -> dict[str, Any]:
    if not look:
        return {}
    return {"view": tuple(look.split(",")) if "," in look else look}


def _write(motion: Any, out: Path, wishes: dict[str, Any], json: bool) -> None:
    from polhode.cli.answers import say_path
    from polhode.cli.waiting import waiting

    is_film = out.suffix.lower() in (".gif", ".mp4")
    with waiting("Drawing"):
        path = (
            motion.film(out, **wishes)
            if is_film
            else motion.picture(**wishes).save(out)
        )
    say_path("film" if is_film else "picture", path, json)
