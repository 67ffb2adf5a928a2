"""`polhode report`: one page with the motion, its equations and its ledger."""

from __future__ import annotations

from pathlib import Path

from polhode.cli.words import Changes, Json, ModelName, Span


def report(
    subject: str,
    model: ModelName = "",
    /,
    *,
    out: Path = Path("report.html"),
    until: float | None = None,
    set: Changes | None = None,
    compare: float = 600_000,
    json: Json = False,
) -> None:
    """Write a motion as one HTML file that opens anywhere, without a network.

    Examples: polhode report double_pendulum; polhode report motion.nc

    Parameters
    ----------
    subject
        A model, or the file of a motion; of a motion under laws written in Python
        its model follows.
    out
        The HTML file.
    until
        Time at which the motion ends, s.
    compare
        Operations of the programs in the table of all forms: 30 000 take about a
        second. 0 leaves the table out, inf makes all of it.
    """
    from polhode.cli.answers import say_path
    from polhode.cli.waiting import waiting
    from polhode.cli.words import motion_of, require_not_negative
    from polhode.show.page.page import require_place

    require_not_negative("--compare", compare)
    require_place(out)
    motion = motion_of(subject, model, set or (), Span(until))
    with waiting("Writing the page: equations, ledger, all forms"):
        page = motion.page(out, compare=compare)
    say_path("page", page, json)
