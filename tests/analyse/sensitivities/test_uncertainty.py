"""What is uncertain of a system, carried on by its motion: linearly and by samples."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import AnalysisError

pytestmark = pytest.mark.long  # compiling takes longer than a quick suite has

TIMES = np.linspace(0.0, 2.0, 5)


@cache
def swung() -> ph.results.Trajectory:
    swing = ph.models.pendulum()
    return ph.simulate(swing, swing.state(hinge=1.0), until=2.0, rtol=1e-10)


def test_to_first_order_and_by_samples_are_one_spread():
    """Small spreads: both agree within the error of so many samples."""
    spreads = {"l": 0.004, "g": 0.02, "first hinge": 0.005}
    correlations = [[1.0, 0.6, 0.0], [0.6, 1.0, 0.0], [0.0, 0.0, 1.0]]
    asked = {"correlations": correlations, "times": TIMES}
    smooth = ph.uncertainty(swung(), spreads, **asked)
    drawn = ph.uncertainty(swung(), spreads, samples=800, seed=4, **asked)
    assert_close(drawn["hinge"], smooth["hinge"], rtol=0.1)
    assert_close(drawn["speed of hinge"], smooth["speed of hinge"], rtol=0.1)
    assert_close(drawn.mean, smooth.mean, atol=2e-3)
    apart = ph.uncertainty(swung(), spreads, times=TIMES)
    assert apart["hinge"][-1] > 1.2 * smooth["hinge"][-1]  # g/l varies less together
    assert_close(smooth["hinge"][0], 0.005, rtol=1e-9)
    assert "first hinge +- 0.005" in repr(drawn)
    assert "800 samples" in repr(drawn)


def test_a_free_swing_is_uncertain_as_its_frequency_is():
    """Small swings: d th/d l = A sin(w t) w t/(2 l): the band opens with time."""
    swing = ph.models.pendulum()
    motion = ph.simulate(swing, swing.state(hinge=1e-4), until=2.0, rtol=1e-11)
    found = ph.uncertainty(motion, {"l": 0.008}, times=TIMES)
    w = np.sqrt(1.5 * 9.81 / 0.8)
    slope = 1e-4 * np.abs(np.sin(w * TIMES)) * w * TIMES / (2 * 0.8)
    assert_close(found["hinge"], 0.008 * slope, atol=1e-12)


def test_large_spreads_need_samples():
    """A swing that may go over the top: to first order the band is another one."""
    swing = ph.models.pendulum()
    motion = ph.simulate(swing, swing.state(hinge=3.0), until=2.0)
    asked = {"first hinge": 0.2}
    smooth = ph.uncertainty(motion, asked, times=TIMES)["hinge"][-1]
    drawn = ph.uncertainty(motion, asked, samples=200, times=TIMES)["hinge"][-1]
    assert abs(drawn / smooth - 1) > 0.3


def test_a_band_is_drawn_about_the_mean():
    """Two standard deviations to each side, a panel for each that is asked."""
    found = ph.uncertainty(swung(), {"l": 0.01}, times=TIMES)
    panels = found.plot("hinge", "speed of hinge").figure.axes
    assert [axes.get_ylabel() for axes in panels] == ["hinge  [rad]", "speed of hinge"]
    band = panels[0].collections[0].get_paths()[0].vertices[:, 1]
    assert np.isclose(np.max(band), np.max(found.mean[:, 0] + 2 * found["hinge"]))


def test_what_is_no_spread_is_refused():
    """Unknown names, negative spreads, bad correlations, one sample, other inputs."""
    with pytest.raises(AnalysisError, match="has no parameter 'first elbow'"):
        ph.uncertainty(swung(), {"first elbow": 0.1})
    with pytest.raises(AnalysisError, match="are no standard deviations"):
        ph.uncertainty(swung(), {"l": -0.1})
    two, bad = {"l": 0.1, "g": 0.1}, [[1.0, 2.0], [2.0, 1.0]]
    with pytest.raises(AnalysisError, match="are no correlations of 2 spreads"):
        ph.uncertainty(swung(), two, correlations=bad)
    with pytest.raises(AnalysisError, match="1 samples have no spread"):
        ph.uncertainty(swung(), {"l": 0.1}, samples=1)
    bars = ph.models.four_bar()
    held = ph.simulate(bars, bars.rest(), until=0.1)
    with pytest.raises(AnalysisError, match="cannot be drawn by first A"):
        ph.uncertainty(held, {"first A": 0.01}, samples=8)
    with pytest.raises(AnalysisError, match="no 'elbow' to be uncertain of"):
        _ = ph.uncertainty(swung(), {"l": 0.1}, times=TIMES)["elbow"]
