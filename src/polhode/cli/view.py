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
        With --out: a body that the observer goes along with.
    """
    from polhode.cli.answers import print_json, say
    from polhode.cli.words import motion_of

    motion = motion_of(subject, model, set or (), Span(until))
    if out is not None:
        _write(motion, out, _wishes(look, follow), json)
        return
    viewer = motion.show(browser=browser)
    if json:
        print_json({"url": viewer.url})
    else:
        say(f"{viewer.url}\nCtrl-C ends it.")
    viewer.wait()


def _wishes(look: str, follow: str) -> dict[str, Any]:
    wishes: dict[str, Any] = {"follow": follow} if follow else {}
    if look:
        wishes["view"] = tuple(look.split(",")) if "," in look else look
    return wishes


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
