"""Reactions along motions: any point, any axes, peaks, and what is not determined."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from polhode.errors import AnalysisError

M, L, G = 1.2, 0.8, 9.81


@cache
def swung() -> ph.Trajectory:
    """A rod let go level, through its lowest place."""
    swing = ph.models.pendulum(M, L)
    return ph.simulate(swing, swing.state(hinge=np.pi / 2), until=1.0, rtol=1e-11)


@cache
def table() -> ph.ReactionTable:
    """Its reactions in the axes of the world."""
    return ph.reaction_table(swung())


def test_a_rod_pulls_its_hinge_as_known():
    """Along the rod 5/2 m g cos a, across it m g/4 sin a, let go from level."""
    own = ph.reaction_table(swung(), axes="rod")
    a = swung().q[:, 0]
    force = own.forces["hinge"]
    assert np.allclose(force[:, 2], 2.5 * M * G * np.cos(a), rtol=0, atol=1e-6)
    assert np.allclose(np.abs(force[:, 0]), M * G / 4 * np.abs(np.sin(a)), atol=1e-6)
    assert np.allclose(force[:, 1], 0, atol=1e-12)
    assert own.axes == "rod"


def test_the_table_is_what_the_joint_says():
    """All rows agree with motion["hinge"].reaction, in the world's axes."""
    both = swung()["hinge"].reaction
    assert np.allclose(table().forces["hinge"], both.force, rtol=0, atol=1e-10)
    assert np.allclose(table().torques["hinge"], both.torque, rtol=0, atol=1e-10)


def test_about_another_point_the_couple_is_that_of_the_force():
    """About the rod's middle the hinge's couple is r x F; the force stays."""
    rod = swung().system.bodies[0]
    moved = ph.reaction_table(swung(), at=rod.mass_centre, axes=rod)
    force = moved.forces["hinge"]
    arm = np.array([0, 0, L / 2])  # from the middle to the hinge, in the rod's axes
    assert np.allclose(moved.torques["hinge"], np.cross(arm, force), rtol=0, atol=1e-9)
    assert np.max(np.abs(moved.torques["hinge"])) > 0.5


PEAKS = "peak force, N  at t, s  peak couple, N m  at t, s"


def test_peaks_and_envelopes_are_those_of_the_rows():
    """The largest force is at the lowest place: 5/2 m g; its row says when."""
    peak = table().peak_force("hinge")
    lowest = np.argmin(np.abs(swung().q[:, 0]))
    assert abs(peak.size / (2.5 * M * G) - 1) < 1e-3
    assert abs(peak.t - swung().t[lowest]) < 0.05
    least, most = table().envelope("hinge")["force z"]
    assert most == np.max(table().forces["hinge"][:, 2])
    assert least == np.min(table().forces["hinge"][:, 2])
    assert table().peak_torque("hinge").size < 1e-9
    lines = repr(table()).splitlines()
    assert lines[0] == "ReactionTable('pendulum', axes of 'world')"
    assert lines[1].split() == PEAKS.split()
    assert lines[2].split() == ["hinge", f"{peak.size:.6g}", f"{peak.t:.6g}", "0"]
    # Then envelopes: couples are nothing beside the forces at the rod's length.
    assert lines[4].split()[-3:] == ["0", "0", "0"]
    assert f"{least:.6g} to {most:.6g}" in lines[4]


def test_unknown_names_are_refused():
    """Joints and bodies are asked by their own names."""
    with pytest.raises(AnalysisError, match="no reaction of 'elbow'"):
        table().peak_force("elbow")
    with pytest.raises(AnalysisError, match="no body 'arm' to write reactions"):
        ph.reaction_table(swung(), axes="arm")


@pytest.mark.long
def test_redundant_supports_say_what_is_not_determined():
    """A planar four-bar with spatial hinges shares its loads in no unique way."""
    system = ph.models.four_bar()
    motion = ph.simulate(system, system.rest(), until=0.2, samples=3)
    found = ph.reaction_table(motion)
    assert found.shared
    assert "not determined by the motion" in repr(found)
