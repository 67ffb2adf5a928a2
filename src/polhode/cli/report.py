"""`polhode report`: one page with the motion, its equations and its ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from polhode.cli.words import Changes, ModelName, Span

Flag = Annotated[bool, Parameter(negative=())]


def report(
    subject: str,
    model: ModelName = "",
    /,
    *,
    out: Path = Path("report.html"),
    until: float | None = None,
    set: Changes | None = None,
    compare: Flag = False,
) -> None:
    """Write a motion as one HTML file that opens anywhere, without a network.

    Examples: polhode report double_pendulum; polhode report motion.nc pendulum

    Parameters
    ----------
    subject
        A model, or the file of a motion, followed by the model that made it.
    out
        The HTML file.
    until
        Time at which the motion ends, s.
    compare
        Add the table of all forms; takes a minute or more.
    """
    from polhode.cli.answers import say
    from polhode.cli.words import motion_of

    motion = motion_of(subject, model, set or (), Span(until))
    say(f"The page is in {motion.page(out, compare=compare)}.")
