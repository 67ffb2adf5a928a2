"""One motion as one page: 3D replay, curves, equations, ledger, model, provenance.

The page is one file that asks for nothing from outside: its policy forbids every
request, and allows no script but its own, by its hash. Names are escaped.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polhode.errors import ShowError
from polhode.show.drawing.scene import Scene, framed, scene_of
from polhode.show.page.data import page_data, plots_of
from polhode.show.page.sections import (
    chapter_section,
    comparison_section,
    equations_section,
    model_section,
)
from polhode.show.paper import require_writable, writing
from polhode.show.report import content
from polhode.show.report.blocks import Chapter

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

# As traced, of the programs in the table of all forms: compiled in some 20 s. Counted
# and not timed, so that a page says the same wherever it is made.
OPERATIONS = 600_000
SCRIPTS = ("algebra", "shapes", "painter", "stage", "plots", "page")
CONTROLS = """<div class="card theatre">
<canvas id="stage" aria-label="the motion in three dimensions"></canvas>
<div id="labels"></div><div id="switches"></div><div id="chosen" hidden></div>
<p id="apology" hidden></p>
<div class="bar"><button id="play" aria-label="play">►</button>
<input id="slider" type="range" min="0" max="1" step="any" value="0" aria-label="time">
<span id="clock"></span><select id="speed" aria-label="speed"></select>
<button id="home" title="back to the first view">view</button></div>
</div>"""


def page(
    motion: Trajectory,
    path: Any = None,
    *,
    plots: Sequence[str] | None = None,
    equations: Any = True,
    compare: Any = OPERATIONS,
    frames: int | None = None,
    chapters: Sequence[Chapter] = (),
    follow: str | None = None,
) -> Path | InlinePage:
    """Write a motion as one HTML file that opens anywhere, and return its path.

    Without a path it is an `InlinePage`, which a notebook shows where it is made.

    plots      names of curves: "hinge", "hinge.speed", "rod.position", "energy"
    equations  True reads those that were integrated where they are short, else the laws
               of bodies and energies; or Equations, or a Reading
    compare    how many operations, as traced, the programs in the table of all forms
               may have; some 30 000 take a second. It says what was left out, and is
               not begun for more than 12 speeds; True for all of them however long
               it takes, False for none; or a `Comparison`
    frames     how many; by default 60 a second, 601 at most
    chapters   more cards below the ledger, as a report has them
    follow     a body that the observer goes along with, in the world's axes
    """
    if path is not None:
        require_place(Path(path))
    rows = framed(motion, frames)
    curves = plots_of(motion, rows, plots)
    scene = scene_of(rows, follow=follow)
    sections = [
        equations_section(motion, equations),
        chapter_section(content.ledger(motion)),
        *map(chapter_section, chapters),
        comparison_section(motion.system, compare),
        model_section(motion.system, scene, motion.table),
        chapter_section(content.provenance(motion)),
    ]
    text = written(scene, curves, motion, sections)
    return InlinePage(text) if path is None else put(text, path)


@dataclass(frozen=True)
class InlinePage:
    """The text of a page; a notebook shows it in a frame of its own.

    The frame may run the page's script, and reaches neither the notebook nor the net.
    """

    text: str = field(repr=False)
    height: int = 640  # pixels

    def _repr_html_(self) -> str:
        inside = html.escape(self.text, quote=True)
        style = f"width:100%;height:{int(self.height)}px;border:0"
        return (
            '<iframe class="polhode-page" title="motion" sandbox="allow-scripts"'
            f' style="{style}" srcdoc="{inside}"></iframe>'
        )

    def save(self, path: Any) -> Path:
        """Write it as a file."""
        return put(self.text, path)


def put(text: str, path: Any) -> Path:
    """Write a page where it is wanted, whole or not at all."""
    place = Path(path)
    require_place(place)
    with writing(place) as aside:
        aside.write_text(text, encoding="utf-8")
    return place


def require_place(place: Path) -> None:
    """Refuse a place that takes no page.

    Tried by writing: a page may take a minute, and should not be lost at its end.
    """
    if place.is_dir():
        raise ShowError(
            f"{str(place)!r} is a folder, not a file for a page.",
            "A page is one file.",
            "Give its name too: motion.page('out/motion.html').",
        )
    require_writable(place)


def written(
    scene: Scene, curves: list[dict[str, Any]], motion: Any, sections: list[str]
) -> str:
    """The text of the page."""
    script = '(() => {\n"use strict";\n' + "\n".join(map(asset, SCRIPTS)) + "\n})();"
    style = asset("page", "css")
    name = html.escape(scene.name)
    plots = "\n".join(
        f'<section class="card" id="plot-{k}"><h2>{html.escape(each["title"])}</h2>'
        "</section>"
        for k, each in enumerate(curves)
    )
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy(script, style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{name} · Polhode</title>
<style>{style}</style></head>
<body><header><h1>{name}</h1><p>{html.escape(content.summary(motion))}</p></header>
<main>
{CONTROLS}
<div class="grid">
{plots}
</div>
{sections[0]}
<div class="columns">
{"".join(sections[1:])}
</div>
</main>
<script type="application/json" id="data">{page_data(scene, curves)}</script>
<script>{script}</script>
</body></html>
"""


def _policy(script: str, style: str) -> str:
    """Nothing may be fetched; one script and one style, by their hashes, may act."""
    return (
        f"default-src 'none'; script-src '{source_hash(script)}'; "
        f"style-src '{source_hash(style)}'; base-uri 'none'; form-action 'none'"
    )


def source_hash(text: str) -> str:
    """A script or style as the policy of a page names it."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def asset(name: str, kind: str = "js") -> str:
    """The text of a script or style that pages have in them."""
    folder = files("polhode.show.page") / "assets"
    return (folder / f"{name}.{kind}").read_text(encoding="utf-8")
