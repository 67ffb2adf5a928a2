"""Pictures of a sweep: every kind is drawn, and failures are seen in it."""

from __future__ import annotations

import itertools
import re
import warnings

import numpy as np
import pytest

import polhode as ph
from moving import double_pendulum
from polhode.errors import ShowError
from polhode.show.plots.palette import COLOURS
from polhode.show.plots.sweep_picture import BANDS

RED = COLOURS[1]


@pytest.fixture(scope="module")
def swept():
    """Double pendulums, two of which cannot begin."""
    system, rng = double_pendulum(), np.random.default_rng(2)
    q, z = rng.normal(0.5, 0.2, (60, 2)), rng.normal(0, 0.1, (60, 2))
    q[[3, 40]] = np.nan
    states = ph.States(system, 0.0, q, z)
    name = next(iter(system.parameters))
    values = np.linspace(1.0, 1.5, 60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ph.sweep(
            system, states, until=1.0, samples=11, parameters={name: values}
        )


def red_lines(axes) -> list:
    return [line for line in axes.get_lines() if line.get_color() == RED]


def test_histograms_count_the_runs_that_ended_well(swept):
    """The bars of each panel sum to the runs that reached their end."""
    figure = swept.plot().figure
    assert len(figure.axes) == 2
    for axes in figure.axes:
        assert sum(bar.get_height() for bar in axes.patches) == 58
    assert "2 failed" in figure.axes[0].get_title(loc="left")


def test_bands_hold_their_share_of_the_runs(swept):
    """Each band lies within the next wider one, the median within all."""
    axes = swept.plot("elbow", against="t").figure.axes[0]
    boxes = [c.get_paths()[0].get_extents() for c in axes.collections]
    assert len(boxes) == len(BANDS)
    for wide, narrow in itertools.pairwise(boxes):
        assert wide.ymin <= narrow.ymin <= narrow.ymax <= wide.ymax
    median = axes.get_lines()[0].get_ydata()
    whole = swept.q[np.delete(np.arange(60), swept.failed), :, 1]
    assert np.array_equal(median, np.median(whole, axis=0))


def test_bands_are_of_the_runs_that_go_on():
    """Of balls that a floor ends, those in the air are in the bands, at their times."""
    fall = ph.System([ph.Particle("ball", 0.1)], actions=[ph.Weight(9.81)])
    floor = ph.Event("floor", lambda t, state: state["ball"][2], -1, terminal=True)
    q = np.zeros((20, 3))
    q[:, 2] = np.linspace(0.5, 6.0, 20)
    states = ph.States(fall, 0.0, q, np.zeros((20, 3)))
    sweep = ph.sweep(fall, states, until=1.0, events=floor, samples=11)
    assert sweep.t[0, -1] < 0.4  # the first of them comes down early
    line = sweep.plot("ball.z", against="t").figure.axes[0].get_lines()[0]
    times = np.linspace(0.0, 1.0, 11)
    np.testing.assert_allclose(line.get_xdata(), times, atol=1e-12)
    heights = q[:, 2] - 9.81 / 2 * times[:, None] ** 2
    flying = [np.median(row[row > 0]) for row in heights]
    np.testing.assert_allclose(line.get_ydata(), flying, atol=1e-9)


def test_a_cloud_has_a_point_for_each_run(swept):
    """Of outcome by parameter; those that failed are apart, in red."""
    name = next(iter(swept.parameters))
    axes = swept.plot("shoulder", against=name).figure.axes[0]
    assert len(axes.get_lines()[0].get_xdata()) == 58
    (failed,) = red_lines(axes)
    assert np.array_equal(failed.get_xdata(), swept.parameters[name][[3, 40]])


def test_what_cannot_be_drawn_is_refused(swept):
    """Unknown names, time without samples, a parameter over time."""
    with pytest.raises(ShowError, match=r"no 'elbo' to draw(.|\n)*'elbow'"):
        swept.plot("elbo")
    with pytest.raises(ShowError, match="one number for a whole run"):
        swept.plot(next(iter(swept.parameters)), against="t")
    system = double_pendulum()
    once = ph.sweep(system, [system.rest()] * 2, until=0.1)
    with pytest.raises(ShowError, match="only the last state was kept"):
        once.plot(against="t")


def test_the_page_is_one_file_that_asks_for_nothing(swept, tmp_path):
    """No script, no address; its tables say what the sweep says."""
    path = swept.page(tmp_path / "page.html")
    text = path.read_text()
    assert "default-src 'none'" in text
    assert "<script" not in text
    assert not re.findall(r'(?:src|href)="(?!data:)', text)
    assert text.count("data:image/png") == 3
    assert "58 of 60 runs reached their end" in text
    assert swept.failures.rows[0].code in text
    mean = np.delete(swept.final_q[:, 0], swept.failed).mean()
    assert f"{mean:.5g}" in text
