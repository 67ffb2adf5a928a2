"""Angles that look like degrees bring a question; plots show degrees on request."""

from __future__ import annotations

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import NumericalWarning

SWING = ph.models.pendulum()


@pytest.mark.parametrize("angle", [90, 45.0, -180, 360, 30])
def test_a_hinge_at_ninety_is_asked_about(angle):
    """The warning says what the number is in degrees."""
    words = f"{angle:g} degrees is {np.radians(angle):.5g}"
    with pytest.warns(NumericalWarning, match=words):
        SWING.state(hinge=angle)


@pytest.mark.parametrize("angle", [1.5708, 3.0, 15.0, 100.5, 31.4159])
def test_radians_pass_without_a_word(angle):
    """Also several turns, and small whole numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SWING.state(hinge=angle)


def test_lengths_are_no_angles():
    """A slide of 90 m is 90 m."""
    ball = ph.Particle("ball", 1.0)
    system = ph.System([ball])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        system.state(ball=(90.0, 45.0, 0.0))


def test_a_joint_along_a_motion_is_an_array():
    """NumPy and matplotlib take it; so do rows of it."""
    motion = ph.simulate(SWING, SWING.state(hinge=0.5), until=0.5)
    hinge = motion["hinge"]
    assert_close(np.degrees(hinge), np.degrees(motion.q[:, 0]), rtol=0)
    assert len(hinge) == len(motion)
    assert hinge[0] == 0.5
    figure, axes = plt.subplots()
    (line,) = axes.plot(motion.t, hinge)
    assert_close(line.get_ydata(), motion.q[:, 0], rtol=0)
    plt.close(figure)


def test_plots_in_degrees():
    """The unit and the numbers both change; others stay as they are."""
    motion = ph.simulate(SWING, SWING.state(hinge=0.5), until=0.5)
    figure = motion.plot("hinge", "hinge.speed", "energy", degrees=True).figure
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert "deg" in labels[0]
    assert "deg/s" in labels[1]
    assert "J" in labels[2]
    first = figure.axes[0].lines[0].get_ydata()[0]
    assert_close(first, np.degrees(0.5))
