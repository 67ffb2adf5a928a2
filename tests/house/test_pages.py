"""Pages written when the documentation is built: API, gallery, verification manual."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

import polhode
from polhode.models import GALLERY
from source_tree import ROOT

DOCS = ROOT / "docs"


def loaded(name):
    """A module of the documentation's own; they import each other."""
    if str(DOCS) not in sys.path:
        sys.path.append(str(DOCS))
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_public_name_has_its_entry(tmp_path):
    """Each is on the page of its room, with its signature and its docstring."""
    pages = loaded("api_pages")
    pages.write_api(tmp_path)
    listed = (tmp_path / "index.md").read_text(encoding="utf-8")
    for name, module in polhode.PUBLIC.items():
        room = name if name in pages.NAMESPACES else pages.room_of(name, module)
        text = (tmp_path / f"{room}.md").read_text(encoding="utf-8")
        assert f"ph.{name}" in text, name
        assert name in pages.NAMESPACES or f"\n## {name}\n" in text, name
        assert f"\n{room}\n" in listed, room
    simulate = (tmp_path / "integrate.md").read_text(encoding="utf-8")
    assert "ph.simulate(\n    model: System | Equations,\n" in simulate


def test_every_argument_is_explained():
    """By the docstring of its callable, or by a line on the pages; no line is idle."""
    told = loaded("api_arguments")
    assert told.unexplained() == []
    assert told.unused() == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Its `mass`, kg.", True),
        ("mass   kg", True),
        ("Masses of all.", False),
        ("A body.\n\n>>> body(mass=2.0)", False),
    ],
)
def test_an_argument_is_named_by_prose(text, named):
    """An example shows how it is given, not what it is; another word is not it."""
    assert loaded("api_arguments").is_named("mass", text) is named


def test_pages_tell_arguments_and_link(tmp_path):
    """What a docstring leaves out is in a list; names that it mentions are links."""
    pages = loaded("api_pages")
    pages.write_api(tmp_path)
    actions = (tmp_path / "actions.md").read_text(encoding="utf-8")
    assert "\n- `on`: a joint, or the first point\n" in actions
    assert "](#api--coulomb)" in (tmp_path / "constraints.md").read_text("utf-8")


@pytest.mark.parametrize("name", GALLERY)
def test_a_model_tells_what_surprises(name):
    """The docstring of its file has a first line and a surprise, for its page."""
    head, _, surprise = loaded("gallery_pages").told(name)
    assert head.endswith(".")
    assert len(surprise.split()) > 4


def test_no_two_models_surprise_alike():
    """Models that share a file have a fact each."""
    facts = [polhode.models.surprise(name) for name in GALLERY]
    assert len(set(facts)) == len(facts)


def test_a_page_of_the_gallery_has_picture_equations_and_code(tmp_path):
    """One model, from its docstring to its typeset equation."""
    pages = loaded("gallery_pages")
    pages.write_gallery(tmp_path, ["pendulum"])
    text = (tmp_path / "pendulum.md").read_text(encoding="utf-8")
    assert (tmp_path / "pendulum.png").read_bytes().startswith(b"\x89PNG")
    assert "![pendulum, drawn at five times](pendulum.png)" in text
    assert "**The further it swings the longer it takes" in text
    assert text.count("$$") == 4  # the Lagrangian, and one equation
    assert r"\ddot{\text{hinge}}" in text
    assert "ph.models.start('pendulum')" in text


def test_a_page_of_the_manual_has_statement_answers_and_model(tmp_path):
    """One problem, from its source to its plot; the index counts what there is."""
    loaded("verification_pages").write_verification(tmp_path, ["simple_pendulum"])
    text = (tmp_path / "simple_pendulum.md").read_text(encoding="utf-8")
    assert text.startswith("# A simple pendulum released from the horizontal\n")
    assert "IFToMM, Library of computational benchmark problems (2014)" in text
    assert "```python\nG = 9.81\n\ndef simple_pendulum()" in text
    assert "ph.Revolute(" in text
    assert "![x, m: ours and expected](simple_pendulum_x__m.png)" in text
    picture = tmp_path / "simple_pendulum_x__m.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    listed = (tmp_path / "index.md").read_text(encoding="utf-8")
    assert "**1 problems from 1 sources.**" in listed
    assert "](simple_pendulum.md) | IFToMM" in listed


def test_every_form_has_its_theory():
    """A page of docs/theory names the function of each formulation of the table."""
    from polhode.formulation.registry import FORMULATIONS

    theory = "".join(p.read_text("utf-8") for p in (DOCS / "theory").glob("*.md"))
    for name, form in FORMULATIONS.items():
        word = "spatial_form" if name.startswith("spatial form") else form.__name__
        assert f"ph.{word}" in theory, name


@pytest.mark.long
def test_the_documentation_builds_without_a_warning_or_an_address(tmp_path):
    """Sphinx's warnings are errors, and no page fetches anything from outside."""
    pytest.importorskip("sphinx")
    words = [sys.executable, str(DOCS / "build.py"), "--models", "pendulum"]
    words += ["--problems", "simple_pendulum,double_pendulum"]
    words += ["--out", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    html = tmp_path / "html"
    assert (html / "gallery" / "pendulum.html").exists()
    for page in html.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for mark in ('src="http', '<link rel="stylesheet" href="http', "cdn."):
            assert mark not in text, page
