"""A Monte Carlo as one page: how runs ended, where, and what it follows from.

One file without a script that asks for nothing from outside; pictures are in it.
"""

from __future__ import annotations

import base64
import html
import math
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.show.page.page import asset, require_place, source_hash, write_page
from polhode.show.page.sections import note, section, table
from polhode.show.plots.picture import Picture
from polhode.show.plots.sweep_picture import Quantity, quantities, sweep_picture
from polhode.version import __version__

if TYPE_CHECKING:
    from polhode.integrate.results.sweep_result import Sweep

QUANTILES = (0.01, 0.05, 0.5, 0.95, 0.99)
MOST_OUTCOMES, MOST_CAUSES = 8, 4  # that are drawn; tables have them all
DPI = 110


def sweep_page(
    sweep: Sweep, path: Any, *, outcomes: Sequence[str] | None = None
) -> Path:
    """Write a sweep as one HTML file that opens anywhere, and return its path.

    outcomes   names of what is of interest: coordinates, "speed of hinge"; by default
               all coordinates and speeds, of which the first are drawn
    """
    require_place(Path(path))
    known = quantities(sweep)
    varied = [name for name, own in known.items() if own.values.ndim == 1]
    asked = list(outcomes or [name for name in known if name not in varied])
    drawn = tuple(asked[:MOST_OUTCOMES])
    parts = [_summary(sweep), _figures(sweep, drawn, varied)]
    parts.append(_table_of_ends(sweep, [known[name] for name in asked]))
    if varied:
        causes = [known[name] for name in varied]
        parts.append(_causes(sweep, [known[name] for name in asked], causes))
    parts += [_failures(sweep), _provenance(sweep)]
    return write_page(_page_text(sweep, parts), path)


def _page_text(sweep: Sweep, parts: list[str]) -> str:
    style = asset("page", "css")
    name = html.escape(sweep.system.name)
    policy = (
        f"default-src 'none'; img-src data:; style-src '{source_hash(style)}';"
        " base-uri 'none'; form-action 'none'"
    )
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{name}, {len(sweep)} runs · Polhode</title>
<style>{style}</style></head>
<body><header><h1>{name}</h1><p>{len(sweep)} runs to {sweep.until:g} s</p></header>
<main>
{parts[0]}
{parts[1]}
{parts[2]}
<div class="columns">
{"".join(parts[3:])}
</div>
</main>
</body></html>
"""


def _summary(sweep: Sweep) -> str:
    failed, runs = len(sweep.failed), len(sweep)
    done = runs - failed
    low, high = _interval(done, runs)
    steps = f"{int(np.sum(sweep.accepted)):,} steps were taken."
    # Digits by which the ends of the interval differ, the same for both.
    digits = max(1, 1 - math.floor(math.log10(100 * (high - low))))
    share, least, most = (f"{100 * p:.{digits}f}" for p in (done / runs, low, high))
    text = f"{done} of {runs} runs reached their end: {share} %"
    text += f" (95 % interval {least} to {most} %). {steps}"
    return section("How runs ended", note(text), "wide")


def _interval(done: int, runs: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share: sound at none and at all, too."""
    z, p = 1.959964, done / runs
    middle, span = p + z * z / (2 * runs), p * (1 - p) / runs + (z / (2 * runs)) ** 2
    scale = 1 + z * z / runs
    return (middle - z * span**0.5) / scale, (middle + z * span**0.5) / scale


def _figures(sweep: Sweep, drawn: tuple[str, ...], varied: list[str]) -> str:
    figures = []
    if sweep.t.shape[1] > 1:
        words = "Over time: the median, half, 90 % and 98 % of the runs"
        figures.append((words, sweep_picture(sweep, drawn, against="t")))
    figures.append(("At the end", sweep_picture(sweep, drawn)))
    for name in varied[:MOST_CAUSES]:
        words = f"At the end, by {name}"
        figures.append((words, sweep_picture(sweep, drawn, against=name)))
    cards = [section(title, _image(picture, title)) for title, picture in figures]
    return f'<div class="columns">{"".join(cards)}</div>'


def _image(picture: Picture, words: str) -> str:
    data = base64.b64encode(picture.content(".png", DPI)).decode("ascii")
    about = f'class="plot" alt="{html.escape(words)}"'
    return f'<img {about} src="data:image/png;base64,{data}">'


def _table_of_ends(sweep: Sweep, own: list[Quantity]) -> str:
    whole = np.ones(len(sweep), bool)
    whole[sweep.failed] = False
    heads = ("", "mean", "deviation", *(f"{100 * p:g} %" for p in QUANTILES))
    lines = []
    for each in own:
        values = each.last[whole]
        if len(values):
            edges = np.quantile(values, QUANTILES)
            numbers = (values.mean(), values.std(), *edges)
            lines.append((each.label, *(f"{v:.5g}" for v in numbers)))
    body = table(heads, lines) + note("Of the runs that reached their end.")
    return section("Where runs ended", body, "wide")


def _causes(sweep: Sweep, own: list[Quantity], causes: list[Quantity]) -> str:
    """Spearman's rank correlation of each outcome with each parameter."""
    whole = np.ones(len(sweep), bool)
    whole[sweep.failed] = False
    lines = []
    for each in own:
        found = [_rank_correlation(each.last[whole], c.last[whole]) for c in causes]
        lines.append((each.name, *(f"{value:+.3f}" for value in found)))
    body = table(("", *(cause.name for cause in causes)), lines)
    body += note("Spearman's rank correlation: 1 rises, -1 falls, 0 neither.")
    return section("What it follows from", body)


def _rank_correlation(x: np.ndarray, y: np.ndarray) -> float:
    if len(x) < 3 or not np.ptp(x) or not np.ptp(y):
        return float("nan")
    from scipy.stats import spearmanr

    return float(spearmanr(x, y).statistic)


def _failures(sweep: Sweep) -> str:
    found = sweep.failures
    if not len(found):
        return section("Failures", note("No run failed."))
    lines = [(f.code, f.count, f.first) for f in found]
    body = table(("why", "runs", "first"), lines)
    for failure in found:
        body += note(f"Run {failure.first}: {failure.sentence}")
    return section("Failures", body)


def _provenance(sweep: Sweep) -> str:
    import jax

    versions = f"{platform.python_version()}, {jax.__version__}, {np.__version__}"
    lines = [
        ("Polhode", __version__),
        ("Python, JAX, NumPy", versions),
        ("runs, samples of each", f"{sweep.t.shape[0]}, {sweep.t.shape[1]}"),
        ("parameters varied", ", ".join(sweep.parameters) or "none"),
    ]
    rows = "".join(
        f'<tr><td>{html.escape(a)}</td><td class="left">{html.escape(b)}</td></tr>'
        for a, b in lines
    )
    return section("Provenance", f'<table class="facts"><tbody>{rows}</tbody></table>')
