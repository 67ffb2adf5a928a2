"""`polhode report`: the motion on paper, or as one page."""

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
    """Write a motion as an HTML page that opens anywhere, as PDF or as Markdown.

    Model, drawing, equations, curves, ledger, reactions with envelopes, and modes.

    Examples: polhode report double_pendulum; polhode report motion.nc --out report.pdf

    Parameters
    ----------
    subject
        A model, or the file of a motion; of a motion under laws written in Python
        its model follows.
    out
        A .html, .pdf or .md file; Markdown has its pictures in a folder beside it.
    until
        Time at which the motion ends, s.
    compare
        Of a page: operations of the programs in the table of all forms; 30 000 take
        about a second. 0 leaves the table out, inf makes all of it.
    """
    from polhode.cli.answers import say_path
    from polhode.cli.waiting import waiting
    from polhode.cli.words import motion_of, require_not_negative
    from polhode.show.report.report import require_kind

    require_not_negative("--compare", compare)
    require_kind(out)
    motion = motion_of(subject, model, set or (), Span(until))
    is_page = out.suffix.lower() == ".html"
    wishes = {"compare": compare} if is_page else {}
    with waiting("Writing the report: equations, ledger, reactions, modes"):
        path = motion.report(out, **wishes)
    say_path("page" if is_page else "report", path, json)
