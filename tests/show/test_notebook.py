"""What notebooks show: numbers of the noun, and names as text only."""

from __future__ import annotations

import html
import re
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest

import polhode as ph
from polhode.formulation.compare import Comparison, Row
from shown import AWKWARD, cart_motion


class Reader(HTMLParser):
    """Tags that are opened and closed, attributes, and the text between."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.words, self.attributes = [], set(), [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


# Named here, so that nothing is simulated when tests are collected.
NOUNS = ("system", "equations", "trajectory", "ledger", "rotation", "comparison")


@cache
def nouns():
    """One of each kind, all with names that HTML would take for its own."""
    motion = cart_motion()
    a, b = ph.theory.Frame("<script>x</script>"), ph.theory.Frame('"b" & <i>')
    row = Row("<u>form</u>", 1, 1, 1e-15, float("nan"), 2e-15)
    not_this = Row("other", reason="no <em>")
    return {
        "system": motion.system,
        "equations": ph.lagrange(motion.system),
        "trajectory": motion,
        "ledger": motion.ledger(),
        "rotation": ph.Rotation.from_axis_angle([0, 0, 1], 0.5, of=a, seen_from=b),
        "comparison": Comparison("<s>", (row, not_this)),
    }


ALLOWED = {"div", "strong", "table", "thead", "tbody", "tr", "th", "td", "p"}


@pytest.mark.parametrize("kind", NOUNS)
def test_a_noun_is_well_formed_and_its_names_are_text(kind):
    """Tags close in order; only tags of ours are there, whatever names say."""
    reader = Reader(nouns()[kind]._repr_html_())
    assert not reader.open
    assert reader.tags <= {*ALLOWED, "details", "summary"}
    assert set(reader.attributes) <= {"class"}


def test_a_system_names_its_bodies_joints_and_actions():
    """All of them, the awkward name as it is written."""
    words = Reader(cart_motion().system._repr_html_()).words
    assert AWKWARD in words
    assert {"bob", "rail", "hinge", "Revolute"} <= set(words)
    assert any("weight" in word for word in words)


def test_a_trajectory_shows_its_ends_and_extremes():
    """First, last, least and most of each coordinate."""
    motion = cart_motion()
    words = Reader(motion._repr_html_()).words
    place = words.index("hinge, rad")
    angle = motion.q[:, 1]
    shown = [float(word) for word in words[place + 1 : place + 5]]
    wanted = [angle[0], angle[-1], angle.min(), angle.max()]
    assert np.allclose(shown, wanted, rtol=1e-5)


def test_a_ledger_shows_the_work_of_each_action():
    """The damper has taken what the table says."""
    ledger = cart_motion().ledger()
    words = Reader(ledger._repr_html_()).words
    place = words.index("work of damper of rail, J")
    assert float(words[place + 2]) == pytest.approx(ledger.work["damper of rail"][-1])
    assert float(words[place + 2]) < 0


def test_a_rotation_shows_its_matrix_by_rows():
    """cos, -sin in the first row: columns are the frame's axes."""
    words = Reader(nouns()["rotation"]._repr_html_()).words
    numbers = words[words.index("z") + 1 :][:3]
    assert [float(x) for x in numbers] == pytest.approx([np.cos(0.5), -np.sin(0.5), 0])
    assert any("0.5 rad about (0, 0, 1)" in word for word in words)


def test_a_comparison_says_what_does_not_apply_and_why():
    """The reason is there, escaped; no number is made of what is not one."""
    text = nouns()["comparison"]._repr_html_()
    assert html.escape("no <em>") in text
    assert "<td>many</td>" in text


def test_equations_are_typeset_by_the_notebook():
    """A reading is LaTeX between dollars, aligned at the equals signs."""
    latex = ph.lagrange(ph.models.pendulum()).read({"hinge": "theta"})._repr_latex_()
    assert latex.startswith(r"$$\begin{aligned}")
    assert r"\ddot{\theta}" in latex
    assert latex.endswith(r"&= 0\end{aligned}$$")


def test_a_page_without_a_path_is_shown_in_a_frame(tmp_path):
    """Escaped whole into the frame; saved, it is the page that a path gives."""
    start = ph.models.start("double_pendulum")
    motion = ph.simulate(start.system, start, until=0.5)
    settings = {"equations": False, "compare": False, "frames": 5}
    inline = motion.page(**settings)
    frame = inline._repr_html_()
    inside = re.search(r'srcdoc="([^"]*)"', frame)
    assert html.unescape(inside[1]) == inline.text
    assert 'sandbox="allow-scripts"' in frame
    whole = motion.page(tmp_path / "page.html", **settings)
    assert inline.save(tmp_path / "saved.html").read_bytes() == whole.read_bytes()


def test_equations_are_mathml_in_a_notebook():
    """The same equations as in LaTeX, without a backslash."""
    found = ph.lagrange(ph.models.pendulum()).read()._repr_html_()
    assert found.count("<math") == 1
    assert "\\" not in found
