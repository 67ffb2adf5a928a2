"""Pictures of results."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ShowError
from polhode.formulation.compare import Comparison, Row
from polhode.show.plots.charts import broken, work_precision


def test_a_comparison_draws_every_form_that_applies():
    """Disagreements and operations by name; what does not apply is left out."""
    rows = (
        Row("one", 1, 1, 1e-15, 2e-15, 3e-15, 50, 0.1),
        Row("two", 1, 1, 1e-14, float("nan"), 4e-15, 70, 0.1),
        Row("three", reason="it has loops"),
    )
    left, right = Comparison("pendulum", rows).plot().figure.axes
    assert [word.get_text() for word in left.get_yticklabels()] == ["two", "one"]
    assert [bar.get_width() for bar in right.patches] == [70, 50]
    assert_close(left.lines[0].get_xdata(), [1e-14, 1e-15])
    assert_close(left.lines[1].get_xdata(), [2e-15])


def test_equations_become_a_picture_line_by_line():
    """Terms of an equation stay in order over its lines, and the last ends in = 0."""
    import sympy

    terms = [sympy.Symbol(f"a{k}") * sympy.sin(sympy.Symbol("x")) for k in range(40)]
    lines = broken(sum(terms))
    assert len(lines) > 1
    assert [first for first, _ in lines] == [True] + [False] * (len(lines) - 1)
    assert lines[-1][1].endswith("= 0")
    whole = " ".join(line for _, line in lines)
    assert whole.count("a_{") == 40
    reading = ph.lagrange(ph.models.pendulum()).read({"hinge": "theta"})
    assert reading.picture()._repr_png_().startswith(b"\x89PNG")


def test_equations_end_within_their_picture():
    """A wide equation is set smaller, not cut; fractions are as tall as the rest."""
    picture = ph.lagrange(ph.models.double_pendulum()).read().picture()
    name, *lines = picture.figure.texts
    assert len({line.get_size() for line in lines}) == 1
    assert any(r"\dfrac" in line.get_text() for line in lines)
    right = [line.get_window_extent().x1 for line in (name, *lines)]
    assert max(right) < picture.figure.bbox.width


def test_work_and_precision_has_a_line_a_method():
    """On double logarithmic axes; order two falls with the slope -2."""
    steps = np.array([40, 10, 20])
    picture = work_precision({"second order": [(n, 3.0 / n**2) for n in steps]})
    axes = picture.figure.axes[0]
    x, y = axes.lines[0].get_data()
    assert list(x) == [10, 20, 40]
    slopes = np.diff(np.log(y)) / np.diff(np.log(x))
    assert_close(slopes, [-2.0, -2.0], rtol=1e-12)
    assert axes.get_xscale() == axes.get_yscale() == "log"


def test_an_error_of_zero_has_no_place_on_the_axes():
    """It is refused by the name of its method, not drawn at the edge."""
    with pytest.raises(ShowError, match="the runs of 'exact' cannot be drawn"):
        work_precision({"exact": [(10, 0.0)]})
