"""Reports: the same chapters as PDF, Markdown and HTML, and formulas in typst."""

from __future__ import annotations

from functools import cache

import pytest

import polhode as ph
from polhode.errors import ShowError
from polhode.show.report.blocks import Grid
from polhode.show.report.content import chapters_of, summary
from polhode.show.report.typst_document import report_pdf, typst_text
from polhode.show.report.typst_math import typst_math

TITLES = ["Model", "Equations of motion", "Curves", "Ledger", "Reactions"]
TITLES += ["Small motions", "Provenance"]


@cache
def motion() -> ph.results.Trajectory:
    start = ph.models.start("pendulum")
    return ph.simulate(start.system, start, until=1.0)


@cache
def chapters():
    return chapters_of(motion())


def test_a_report_has_every_chapter_and_the_same_bytes_each_time(tmp_path):
    """PDF by typst; Markdown with its pictures beside it."""
    pytest.importorskip("typst")
    given = ("pendulum", summary(motion()), chapters())
    content = report_pdf(*given)
    assert content.startswith(b"%PDF")
    assert content == report_pdf(*given)
    assert [chapter.title for chapter in chapters()][1:] == TITLES
    path = motion().report(tmp_path / "swing.md")
    text = path.read_text(encoding="utf-8")
    for title in TITLES:
        assert f"## {title}\n" in text
    pictures = [line for line in text.splitlines() if line.startswith("![")]
    assert len(pictures) >= 4
    for line in pictures:
        assert (tmp_path / line.rpartition("(")[2].rstrip(")")).is_file()


def test_the_numbers_of_a_report_are_those_of_the_answers():
    """The frequency of small motions and the largest reaction are in its tables."""
    by_title = {chapter.title: chapter for chapter in chapters()}
    w = ph.linearise(motion().system).modes().frequencies[0]
    grids = [b for b in by_title["Small motions"].blocks if isinstance(b, Grid)]
    assert grids[0].lines[0][2] == f"{w:.6g}"
    peak = ph.reaction_table(motion()).peak_force("hinge")
    grids = [b for b in by_title["Reactions"].blocks if isinstance(b, Grid)]
    assert grids[0].lines[0][1] == f"{peak.size:.6g}"


@pytest.mark.parametrize(
    ("latex", "wanted"),
    [
        (r"\frac{a}{b}", "frac(a, b)"),
        (r"x_{1}^{2}", "x_(1)^(2)"),
        (r"\dot{q} = \sqrt{k}", "dot(q) = sqrt(k)"),
        (r"\left(a + b\right)^{2}", "lr(paren.l a + b paren.r)^(2)"),
        (r"\text{a,b}", 'upright("a,b")'),
    ],
)
def test_formulas_keep_their_meaning(latex, wanted):
    """Each construct of LaTeX is that of typst."""
    assert typst_math(latex).replace("lr(lr(", "lr(").replace("))^", ")^") == wanted


@pytest.mark.long
@pytest.mark.parametrize("name", ["four_bar", "heavy_top", "rolling_disc", "ladder"])
def test_formulas_of_models_are_set(name):
    """typst takes every equation that a report of a model has."""
    typst = pytest.importorskip("typst")
    from polhode.show.page.equation_lines import equation_text

    formulas = equation_text(ph.models.GALLERY[name]()).formulas
    text = "\n\n".join(f"$ {typst_math(each)} $" for each in formulas)
    assert typst.compile(text.encode(), format="pdf").startswith(b"%PDF")


def test_names_stay_text():
    """What typst or Markdown would read as markup is printed as it is."""
    from polhode.show.report.blocks import Chapter, Words
    from polhode.show.report.markdown_text import markdown_text

    odd = '#panic("x") *bold* | $a$ \\ "q"'
    given = [Chapter(odd, [Words(odd), Grid((odd,), [(odd,)])])]
    pytest.importorskip("typst")
    assert report_pdf(odd, odd, given).startswith(b"%PDF")
    assert "#panic" not in typst_text(odd, odd, given).replace('\\"', "").replace(
        '"#panic', ""
    )
    assert "*bold*" not in markdown_text(odd, odd, given, "x").replace("\\*", "")


def test_a_report_of_another_kind_is_refused(tmp_path):
    """Before anything is made."""
    with pytest.raises(ShowError, match=r"cannot be written as 'a\.doc'"):
        motion().report(tmp_path / "a.doc")
    with pytest.raises(ShowError, match="takes no compare"):
        motion().report(tmp_path / "a.md", compare=0)
