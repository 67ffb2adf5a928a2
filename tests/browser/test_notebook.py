"""A notebook that was executed, as a reader without the net sees it."""

from __future__ import annotations

import html

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.browser

CELLS = (
    "import polhode as ph\nstart = ph.models.start('double_pendulum')\n"
    "motion = ph.simulate(start.system, start, until=2.0)",
    "motion.show()",
    "motion.page(compare=False)",
    "ph.lagrange(ph.models.pendulum()).read()",
)


@pytest.fixture(scope="module")
def outputs():
    """What each cell shows, as HTML."""
    book = nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_code_cell, CELLS)])
    NotebookClient(book, timeout=240, kernel_name="python3").execute()
    found = [cell.outputs for cell in book.cells]
    assert found[0] == []
    return [each[0]["data"]["text/html"] for each in found[1:]]


@pytest.mark.parametrize("cell", [0, 1], ids=["show", "page"])
def test_a_motion_plays_inside_the_notebook(outputs, watched, tmp_path, cell):
    """The frame draws, its clock moves, and it asks nothing of the net."""
    place = tmp_path / "notebook.html"
    place.write_text(f"<!DOCTYPE html><html><body>{outputs[cell]}</body></html>")
    watched.page.goto(place.as_uri())
    frame = watched.page.frame_locator("iframe.polhode-page")
    frame.locator("#stage").wait_for()
    before = frame.locator("#clock").inner_text()
    frame.locator("#slider").evaluate(
        "s => { s.value = s.max; s.dispatchEvent(new Event('input')); }"
    )
    assert frame.locator("#clock").inner_text() != before
    assert frame.locator("#apology").is_hidden()
    # A frame of other origin: the notebook's document cannot be reached from inside.
    assert not frame.locator("#stage").evaluate(
        "() => { try { return !!parent.document.body; } catch { return false; } }"
    )
    assert watched.errors == []
    outside = [u for u in watched.requests if not u.startswith(("file:", "about:"))]
    assert outside == []


def test_equations_are_set_without_a_script(outputs, watched, tmp_path):
    """MathML with a height of its own, and no LaTeX in sight."""
    place = tmp_path / "equations.html"
    place.write_text(f"<!DOCTYPE html><html><body>{outputs[2]}</body></html>")
    watched.page.goto(place.as_uri())
    formula = watched.page.locator("math").first
    assert formula.bounding_box()["height"] > 10
    assert "\\" not in html.unescape(watched.page.locator("body").inner_text())
