"""The page: one file, nothing from outside, every name escaped."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
import sympy

import polhode as ph
from closeness import assert_close
from polhode.errors import FileError, ShowError
from polhode.formulation.shared.body_laws import body_laws
from polhode.lowering.reading.sympy_reader import to_latex
from polhode.show.page.equation_lines import equation_text
from polhode.show.page.mathml import mathml
from polhode.show.page.page import require_place
from polhode.show.page.sections import chapter_section, comparison_section
from polhode.show.report.blocks import Chapter, Grid

NASTY = "<img src=x onerror=alert(1)>"


class Reader(HTMLParser):
    """Tags, attributes and the text of elements, as a browser would part them."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.inside = [], [], {}
        self.open = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.inside.setdefault(tag, []).append("")
        self.open = tag

    def handle_endtag(self, tag):
        self.open = None

    def handle_data(self, data):
        if self.open:
            self.inside[self.open][-1] += data


def pendulum(name="pendulum", rod="rod"):
    body = ph.Body(rod, ph.solids.rod(mass=1.2, length=0.8))
    hinge = ph.Revolute("hinge", ph.World().origin, body.point(0, 0, 0.4), axis=ph.Y)
    return ph.System([hinge], actions=[ph.Weight(9.81)], name=name)


@pytest.fixture(scope="module")
def motion():
    system = pendulum(NASTY, f"</script>{NASTY}")
    return ph.simulate(system, system.state(hinge=2.0), until=2.0)


@pytest.fixture(scope="module")
def text(motion, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "new folder" / "motion.html"
    assert motion.page(path, compare=1) == path
    return path.read_text(encoding="utf-8")


def test_names_are_text_and_never_markup(text):
    """A name that is an image with a script makes neither image nor script."""
    reader = Reader(text)
    assert reader.tags.count("script") == 2
    assert "img" not in reader.tags
    assert not [name for name, _ in reader.attributes if name.startswith("on")]
    assert NASTY in reader.inside["title"][0]


def test_nothing_outside_is_asked_for(text):
    """No address, no style attribute, and a policy that allows two hashes only."""
    reader = Reader(text)
    named = {name for name, _ in reader.attributes}
    assert not named & {"src", "href", "action", "srcset", "style", "xlink:href"}
    (policy,) = (
        v for k, v in reader.attributes if k == "content" and "default-src" in v
    )
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        body = reader.inside[tag][-1]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not re.findall(r"https?://(?!www\.w3\.org/)", text)


def test_the_data_are_those_of_the_motion(text, motion):
    """Tracks, read back, are the body's places at the page's times."""
    (data,) = json.loads(Reader(text).inside["script"][0])["stages"]
    times = np.frombuffer(base64.b64decode(data["times"]), "<f8")
    (body,) = data["bodies"]
    track = np.frombuffer(base64.b64decode(body["track"]), "<f4").reshape(-1, 7)
    rows = motion.resampled(times)
    places = rows[body["name"]].position - np.array(data["middle"])
    assert_close(track[:, 4:], places, atol=1e-6)
    angle = 2 * np.arctan2(track[:, 2], track[:, 0])  # about Y
    turn = np.exp(1j * rows.q[:, 0])
    assert_close(np.abs(np.exp(1j * angle) - turn), 0 * times, atol=1e-5)


def test_a_second_motion_stands_beside_at_the_same_scale(motion, tmp_path):
    """Two stages of one size, curves of both, and the ledger of the second."""
    other = ph.simulate(motion.system, motion.system.state(hinge=0.3), until=1.0)
    path = motion.page(
        tmp_path / "two.html",
        beside=other,
        equations=False,
        compare=False,
        theme="dark",
    )
    page = path.read_text()
    reader = Reader(page)
    data = json.loads(reader.inside["script"][0])
    first, second = data["stages"]
    assert first["size"] == second["size"]
    curves = data["plots"][0]["series"]
    assert [(each["stage"], each["name"]) for each in curves] == [
        (0, "hinge (1)"),
        (1, "hinge (2)"),
    ]
    assert reader.tags.count("canvas") == 2
    assert "Ledger (2)" in reader.inside["h2"]
    assert '<html lang="en" data-theme="dark">' in page


def test_equations_ledger_model_and_provenance_are_there(text, motion):
    """Each part of the page says what it is for."""
    reader = Reader(text)
    heads = " ".join(reader.inside["h2"])
    for word in (
        "Equations of motion",
        "Ledger",
        "Model",
        "Provenance",
        "energy [J]",
        "All form",
    ):
        assert word in heads
    assert reader.tags.count("math") == 2
    assert "The energy balances" in text
    assert ph.__version__ in text
    assert re.search(r"\b[0-9a-f]{64}\b", text)
    assert "hinge" in "".join(reader.inside["mtext"])


def test_only_the_curves_that_were_asked_for(motion, tmp_path):
    """Names of `motion.plot`; a wrong one is refused with the nearest right one."""
    short = {"equations": False, "compare": False}
    for asked in (["hinge.speed"], "hinge.speed"):
        path = motion.page(tmp_path / "a.html", plots=asked, **short)
        data = json.loads(Reader(path.read_text()).inside["script"][0])
        assert [plot["title"] for plot in data["plots"]] == ["hinge.speed [rad/s]"]
    with pytest.raises(ShowError, match="hinje"):
        motion.page(tmp_path / "b.html", plots=["hinje"])
    assert not (tmp_path / "b.html").exists()


def test_a_folder_is_no_page(motion, tmp_path):
    """The path must name a file."""
    with pytest.raises(ShowError, match="is a folder"):
        motion.page(tmp_path)


def test_a_place_that_takes_no_page_is_refused_before_it_is_made(
    motion, tmp_path, monkeypatch
):
    """Nothing is reckoned for a page that would be lost, and nothing is left behind."""
    monkeypatch.setattr(
        "polhode.show.page.page.motion_of_frames", lambda *_: pytest.fail("begun")
    )
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="what should be its folder is a file"):
        motion.page(tmp_path / "file" / "it.html")
    require_place(tmp_path / "new" / "it.html")
    assert list((tmp_path / "new").iterdir()) == []


def test_the_comparison_is_shown_when_given():
    """Forms that apply in rows, the others by name."""
    from polhode.formulation.compare import Comparison, Row

    rows = (Row("Kane", 2, 2, 1e-15, 0.0, 2e-15, 77), Row("Routh", reason="no"))
    text = comparison_section(pendulum(), Comparison("pendulum", rows))
    assert "<td>Kane</td><td>2</td><td>1.0e-15</td>" in text
    assert "agree within 2.0e-15. Not for this system: Routh." in text
    for nothing in (False, None, 0, 0.0):
        assert comparison_section(pendulum(), nothing) == ""


def test_what_was_not_made_is_said(motion):
    """With one operation allowed one form is in the table, and the rest are named."""
    text = comparison_section(motion.system, 1)
    assert "<td>recursive</td>" in text
    assert "Not made, as too many operations: Gauss, d&#x27;Alembert, Lagrange" in text
    assert text.count("<tr>") == 2
    assert comparison_section(motion.system, 1) == text  # made once


def test_forms_of_a_large_system_are_compared_only_when_asked(motion):
    """Beyond twelve speeds the page says how to have the table."""
    bodies = [ph.Particle(f"p{k}", 1.0) for k in range(5)]
    text = comparison_section(ph.System(bodies, name="cloud"), 600_000)
    assert "Not made: the forms of 15 equations take long" in text
    assert "compare=True" in text


@pytest.mark.parametrize("nasty", [r"\text{<b>x</b>}", r"\text{&lt;b&gt;}", "<script>"])
def test_formulas_hold_no_markup_but_their_own(nasty):
    """What LaTeX brings as text stays text."""
    tags = Reader(mathml(nasty)).tags
    assert all(tag.startswith("m") for tag in tags)


def test_names_of_several_letters_are_words():
    """A coordinate 'hinge' is one word with two dots, not h i n g e."""
    made = mathml(r"\ddot{hinge} l + hinge_{wx}^{2} + \sin{\left(q \right)}")
    assert made.count("<mtext>hinge</mtext>") == 2
    assert "<mi>sin</mi>" in made


def test_dots_stand_above_their_letters():
    """As accents browsers set them into low letters; a hat is one."""
    dotted, hatted = mathml(r"\dot{z}"), mathml(r"\hat{z}")
    assert 'accent="false"' in dotted
    assert 'accent="true"' in hatted


@pytest.mark.parametrize("name", ["arm", "rattleback", "ellipsoid_in_fluid"])
def test_models_of_long_equations_show_their_laws(name):
    """Where the closed form is no reading matter, every body's law is on the page."""
    system = ph.models.GALLERY[name]()
    formulas, words = equation_text(system)
    assert len(formulas) >= 6
    assert max(map(len, formulas)) < 1200
    assert any(r"\dot{\mathbf{L}}" in each for each in formulas)
    assert "momentum" in words
    for each in formulas:
        assert mathml(each).startswith("<math")


def test_rates_of_names_that_end_in_d_have_one_dot():
    """The rate of `second` is not the second rate of `secon`."""
    system = ph.models.GALLERY["spherical_pendulum"]()
    text = " ".join(equation_text(system).formulas)
    assert r"\dot{cross}_{second}" in text
    assert "secon}" not in text


def test_a_wide_sum_stands_in_lines_of_whole_terms():
    """Broken, it is the same sum; a short one stays as it is."""
    system = ph.models.GALLERY["gyroscope"]()
    first, *_, last = equation_text(system).formulas
    assert first.startswith(r"\begin{split} L = &")
    assert first.count(r"\\ & +") >= 3
    assert last.endswith("= 0")
    assert "split" not in last
    assert mathml(first).count("<mtr>") == first.count(r"\\") + 1


def test_names_with_spaces_are_words_apart_from_factors():
    """A parameter 'mass of wheel 1' has an index; products of words can be told."""
    mass, turn = sympy.Symbol("wheel 1_mass"), sympy.Symbol("slide FL")
    made = mathml(to_latex(3 * turn**2 * mass * sympy.cos(turn))).replace("\xa0", " ")
    assert "\\" not in made
    assert "<msub><mtext>wheel 1</mtext><mrow><mtext>mass</mtext></mrow></msub>" in made
    thin = '<mspace width="0.167em" />'
    assert made.count(thin) == 3
    assert f"{thin}<mi>cos</mi>" in made


def test_laws_of_many_terms_stand_in_lines():
    """No line of a law is wider than a page; all its terms are there."""
    formulas = body_laws(ph.models.GALLERY["car"]()).formulas(3)
    body = formulas[1]
    assert body.startswith(r"\begin{split}")
    lines = body.split(r"\\")
    assert max(line.count(r"\mathbf") for line in lines) <= 6
    assert body.count("spring of slide") == 4


def test_a_long_table_is_scrolled(motion):
    """Twenty parameters do not make the page longer."""
    block = Grid(("name", "value"), [(f"p{k}", "1") for k in range(30)])
    assert chapter_section(Chapter("Model", [block])).count('class="long"') == 1
    few = Grid(("name", "value"), [("p", "1")])
    assert 'class="long"' not in chapter_section(Chapter("Model", [few]))
