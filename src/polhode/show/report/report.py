"""`motion.report(path)`: a motion on paper, as .pdf, .md or .html."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polhode.errors import ShowError
from polhode.show.output_file import require_writable, writing
from polhode.show.report.content import chapters_of, modes, reactions, summary
from polhode.show.report.markdown_text import markdown_text
from polhode.show.report.typst_document import (
    report_pdf,
    require_typst,
    write_pictures,
)

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

KINDS = (".pdf", ".md", ".html")


def report(
    motion: Trajectory,
    path: Any,
    *,
    plots: Sequence[str] | None = None,
    equations: Any = True,
    compare: Any = None,
    frames: int | None = None,
    follow: Any = None,
    axes: str = "world",
    theme: str | None = None,
    beside: Trajectory | None = None,
) -> Path:
    """Write a report: model, drawing, equations, curves, ledger, reactions, modes.

    A .pdf has all of it on pages, a .md has its pictures in a folder of the same name
    beside it, and a .html is the page of the motion, which alone takes the keywords.
    """
    own = {"plots": plots, "equations": equations, "compare": compare}
    own |= {"frames": frames, "follow": follow, "axes": axes, "theme": theme}
    own |= {"beside": beside}
    to = Path(path)
    kind = to.suffix.lower()
    require_kind(to)
    if kind == ".html":
        from polhode.show.page.page import page

        more = [reactions(motion), modes(motion)]
        return Path(str(page(motion, to, chapters=more, **own)))
    places = inspect.signature(report).parameters
    if given := [word for word, value in own.items() if value != places[word].default]:
        raise ShowError(
            f"a report as {kind} takes no {', '.join(given)}.",
            "Those are keywords of a page.",
            "Leave them out, or end the name in .html.",
        )
    name, words, chapters = motion.system.name, summary(motion), chapters_of(motion)
    if kind == ".pdf":
        content = report_pdf(name, words, chapters)
    else:
        folder = to.with_suffix("")
        folder.mkdir(parents=True, exist_ok=True)
        write_pictures(folder, chapters)
        content = markdown_text(name, words, chapters, folder.name).encode("utf-8")
    with writing(to) as aside:
        aside.write_bytes(content)
    return to


def require_kind(to: Path) -> None:
    """Refuse what no report can be, before anything is made for it."""
    if to.is_dir():
        raise ShowError(
            f"{str(to)!r} is a folder, not a file for a report.",
            "A report is one file.",
            "Give its name too: report.pdf.",
        )
    if to.suffix.lower() not in KINDS:
        raise ShowError(
            f"a report cannot be written as {to.name!r}.",
            "The end of the name says of which kind the file is.",
            f"End it in {', '.join(KINDS)}.",
        )
    if to.suffix.lower() == ".pdf":
        require_typst()
    require_writable(to)
