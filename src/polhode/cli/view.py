"""`polhode view`: a motion in a live 3D scene, on this machine only."""

from __future__ import annotations

from polhode.cli.words import Changes, Json, ModelName, Span


def view(
    subject: str,
    model: ModelName = "",
    /,
    *,
    until: float | None = None,
    set: Changes | None = None,
    browser: bool = True,
    json: Json = False,
) -> None:
    """Show a motion in the browser, until Ctrl-C.

    Examples: polhode view heavy_top; polhode view motion.nc

    Parameters
    ----------
    subject
        A model, or the file of a motion; of a motion under laws written in Python
        its model follows.
    until
        Time at which the motion ends, s.
    browser
        Open a window; without it go to the address that is printed.
    """
    from polhode.cli.answers import print_json, say
    from polhode.cli.words import motion_of

    motion = motion_of(subject, model, set or (), Span(until))
    viewer = motion.show(browser=browser)
    if json:
        print_json({"url": viewer.url})
    else:
        say(f"{viewer.url}\nCtrl-C ends it.")
    viewer.wait()
