"""The written parts of a page: equations, ledger, comparison, model, provenance."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.answer_table import AnswerTable
from polhode.answer_table import note_html as note
from polhode.formulation.compare import Comparison, compare
from polhode.show.page.equation_lines import FEW, equation_text
from polhode.show.page.mathml import mathml
from polhode.show.report import content
from polhode.show.report.blocks import Block, Chapter, Grid, Words

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.show.drawing.scene import Scene
    from polhode.system.system import System

LONG = 18  # rows of a table beyond which it is scrolled
COMPARABLE = 12  # speeds beyond which forms are compared only when they are asked for


def section(title: str, body: str, kind: str = "") -> str:
    """A card of the page; `body` is HTML already."""
    return (
        f'<section class="card {kind}"><h2>{html.escape(title)}</h2>{body}</section>\n'
    )


def table(heads: Sequence[str], lines: Sequence[Sequence[Any]]) -> str:
    """A table; everything in it is escaped."""
    return AnswerTable("", heads, lines).grid_html(most=len(lines))


# --------------------------------------------------------------------- equations


def equations_section(motion: Trajectory, asked: Any) -> str:
    """The equations as MathML: those integrated, or given, or a reading of them."""
    if asked is False or asked is None:
        return ""
    source = None if asked is True else asked
    form = motion.equations if motion.system.speeds <= FEW else None
    formulas, words = equation_text(motion.system, source, form=form)
    body = "".join(f'<div class="equation">{mathml(each)}</div>' for each in formulas)
    return section("Equations of motion", body + note(words), "wide")


# ---------------------------------------------------------------------- chapters


def chapter_section(chapter: Chapter) -> str:
    """A chapter of the report as a card; pictures are those of the page itself."""
    body = "".join(map(_block, chapter.blocks))
    return section(chapter.title, body) if body else ""


def _block(block: Block) -> str:
    if isinstance(block, Grid) and not block.heads:
        rows = "".join(
            f'<tr><td>{html.escape(a)}</td><td class="left">{html.escape(b)}</td></tr>'
            for a, b in block.lines
        )
        return f'<table class="facts"><tbody>{rows}</tbody></table>'
    if isinstance(block, Grid):
        whole = table(block.heads, block.lines)
        kind = "long" if len(block.lines) > LONG else "short"
        return f'<div class="{kind}">{whole}</div>'
    if isinstance(block, Words) and block.mood != "note":
        return f'<p class="{block.mood}">{html.escape(block.text)}</p>'
    return note(block.text) if isinstance(block, Words) else ""


# -------------------------------------------------------------------- comparison


def comparison_section(system: System, asked: Any) -> str:
    """All forms side by side: a table given, or made within so many operations."""
    title = "All formulations, side by side"
    if asked is None or asked == 0:  # False, too
        return ""
    is_short = not isinstance(asked, bool | Comparison) and np.isfinite(asked)
    if is_short and system.speeds > COMPARABLE:
        words = f"Not made: the forms of {system.speeds} equations take long to derive."
        return section(title, note(f"{words} motion.page(path, compare=True) waits."))
    comparison = asked if isinstance(asked, Comparison) else _comparison(system, asked)
    heads = ("formulation", "unknowns", "disagreement", "after a motion", "operations")
    lines = [
        (
            row.name,
            row.unknowns,
            f"{row.disagreement:.1e}",
            "–" if np.isnan(row.motion) else f"{row.motion:.1e}",
            row.operations,
        )
        for row in comparison.applied
    ]
    refused = [row.name for row in comparison.rows if row.reason]
    which = "These" if comparison.left_out else "All"
    words = f"{which} forms agree within {comparison.worst:.1e}."
    if len(lines) == 1 and comparison.left_out:
        words = "One form was made."
    if refused:
        words += f" Not for this system: {', '.join(refused)}."
    if comparison.left_out:
        words += f" Not made, as too many operations: {', '.join(comparison.left_out)}."
    return section(title, table(heads, lines) + note(words))


def _comparison(system: System, asked: Any) -> Any:
    """A comparison of the system, made once; a whole one serves for a short one."""
    known = system.compiled.get("comparison")
    operations = np.inf if asked is True else float(asked)
    if known is None or (known.left_out and operations == np.inf):
        known = system.compiled["comparison"] = compare(system, operations=operations)
    return known


# ------------------------------------------------------------------------- model


def model_section(system: System, scene: Scene, values: Any = None) -> str:
    """The chapter of the model, and what is drawn larger than it is."""
    chapter = content.model(system, values)
    larger = [
        Words(f"{each.name} is drawn {each.magnified:.2g} times larger.")
        for each in scene.bodies
        if each.magnified > 1
    ]
    return chapter_section(chapter._replace(blocks=[*chapter.blocks, *larger]))
