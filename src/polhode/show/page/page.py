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
from polhode.show.drawing.scene import Scene, motion_of_frames, scene_of
from polhode.show.output_file import require_writable, writing
from polhode.show.page.data import page_data, plots_of
from polhode.show.page.sections import (
    chapter_section,
    comparison_section,
    equations_section,
    model_section,
)
from polhode.show.plots.palette import theme_of
from polhode.show.report import content
from polhode.show.report.blocks import Chapter

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

# As traced, of the programs in the table of all forms: compiled in some 20 s. Counted
# and not timed, so that a page says the same wherever it is made.
OPERATIONS = 600_000
SCRIPTS = (
    *("algebra", "shapes", "painter", "theme", "stage", "plots", "handling", "page"),
)
CONTROLS = """<div class="bar"><button id="play" aria-label="play">►</button>
<input id="slider" type="range" min="0" max="1" step="any" value="0" aria-label="time">
<span id="clock"></span><select id="speed" aria-label="speed"></select>
<select id="follow" aria-label="camera"><option value="">still camera</option></select>
<button id="home" title="back to the first view">view</button>
<button id="theme" title="light or dark"></button>
<button id="help" title="keys" aria-label="keys">?</button></div>
<div id="switches"></div>"""


def page(
    motion: Trajectory,
    path: Any = None,
    *,
    plots: Sequence[str] | None = None,
    equations: Any = True,
    compare: Any = None,
    frames: int | None = None,
    chapters: Sequence[Chapter] = (),
    follow: Any = None,
    axes: str = "world",
    theme: str | None = None,
    beside: Trajectory | None = None,
) -> Path | InlinePage:
    """Write a motion as one HTML file that opens anywhere, and return its path.

    Without a path it is an `InlinePage`, which a notebook shows where it is made.

    plots      names of curves: "hinge", "hinge.speed", "rod.position", "energy"
    equations  True reads those that were integrated where they are short, else the laws
               of bodies and energies; or Equations, or a Reading
    compare    how many operations, as traced, the programs in the table of all forms
               may have; 30 000, which take about a second, if left out. It says what
               was not compared, and is not begun for more than 12 speeds; True for
               all of them however long it takes, False for none; or a `Comparison`
    frames     how many; by default 60 a second, 601 at most
    chapters   more cards below the ledger, as a report has them
    follow     a body that the observer goes along with, by name, or a
               `ph.space.LocalFrame`
    axes       of the observer that follows: "world", "body", "rtn" or "lvlh"
    theme      "light" or "dark"; without one, what the reader's system prefers. The
               page has a button for it
    beside     another motion, replayed to the right of this one by the same clock and
               from the same side; its curves are dashed
    """
    if path is not None:
        require_place(Path(path))
    motions = [motion] if beside is None else [motion, beside]
    framings = [motion_of_frames(each, frames) for each in motions]
    curves = plots_of(list(zip(motions, framings, strict=True)), plots)
    scenes = [scene_of(rows, follow=follow, axes=axes) for rows in framings]
    others = zip(motions[1:], scenes[1:], strict=True)
    sections = [
        equations_section(motion, equations),
        chapter_section(content.ledger(motion)),
        *map(chapter_section, chapters),
        comparison_section(motion.system, OPERATIONS if compare is None else compare),
        model_section(motion.system, scenes[0], motion.table),
        chapter_section(content.provenance(motion)),
        *(part for other, scene in others for part in _beside(motion, other, scene)),
    ]
    text = page_text(scenes, curves, motions, sections, theme)
    return InlinePage(text) if path is None else write_page(text, path)


def _beside(motion: Trajectory, other: Trajectory, scene: Scene) -> list[str]:
    """The cards of a second motion: its ledger, and its model where it is another."""
    ledger = content.ledger(other)
    cards = [chapter_section(ledger._replace(title=f"{ledger.title} (2)"))]
    if other.system is not motion.system:
        cards.append(model_section(other.system, scene, other.table))
    return cards


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
        return write_page(self.text, path)


def write_page(text: str, path: Any) -> Path:
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


def page_text(
    scenes: Sequence[Scene],
    curves: list[dict[str, Any]],
    motions: Sequence[Any],
    sections: list[str],
    theme: str | None = None,
) -> str:
    """The text of the page."""
    script = '(() => {\n"use strict";\n' + "\n".join(map(asset, SCRIPTS)) + "\n})();"
    style = asset("page", "css")
    name = html.escape(" and ".join(dict.fromkeys(scene.name for scene in scenes)))
    chosen = "" if theme is None else f' data-theme="{theme_of(theme).name}"'
    plots = "\n".join(
        f'<section class="card" id="plot-{k}"><h2>{html.escape(each["title"])}</h2>'
        "</section>"
        for k, each in enumerate(curves)
    )
    summary = html.escape("; ".join(content.summary(motion) for motion in motions))
    return f"""<!DOCTYPE html>
<html lang="en"{chosen}><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy(script, style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>{name} · Polhode</title>
<style>{style}</style></head>
<body><header><h1>{name}</h1><p>{summary}</p></header>
<main>
{_theatre(scenes)}
<div class="grid">
{plots}
</div>
{sections[0]}
<div class="columns">
{"".join(sections[1:])}
</div>
</main>
<script type="application/json" id="data">{page_data(scenes, curves)}</script>
<script>{script}</script>
</body></html>
"""


def _theatre(scenes: Sequence[Scene]) -> str:
    """A stage for each scene, and the controls below, beside nothing that moves."""
    stages = []
    for k, scene in enumerate(scenes):
        end = f"-{k}" if k else ""
        about = f"{html.escape(scene.name)} in three dimensions"
        caption = f"<figcaption>{k + 1}  {html.escape(scene.name)}</figcaption>"
        stages.append(
            f'<figure><canvas id="stage{end}" aria-label="{about}"></canvas>'
            f'<div class="labels" id="labels{end}"></div>'
            f"{caption if len(scenes) > 1 else ''}</figure>"
        )
    return (
        f'<div class="card theatre"><div class="stages">{"".join(stages)}'
        '<div id="chosen" hidden></div><dl id="keys" hidden></dl>'
        f'<p id="apology" hidden></p></div>\n{CONTROLS}</div>'
    )


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
