"""Reactions along motions: any point, any axes, peaks, and what is not determined."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from polhode.errors import AnalysisError
from polhode.formulation.questions.reactions import free_reactions

M, L, G = 1.2, 0.8, 9.81


@cache
def swung() -> ph.results.Trajectory:
    """A rod let go level, through its lowest place."""
    swing = ph.models.pendulum(M, L)
    return ph.simulate(swing, swing.state(hinge=np.pi / 2), until=1.0, rtol=1e-11)


@cache
def table() -> ph.results.ReactionTable:
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


def test_any_frame_and_any_point_will_do():
    """In a gauge turned by 0.3 on the rod, and about a point of the world."""
    rod, world = swung().system.bodies[0], swung().system.tree.world
    own = ph.reaction_table(swung(), axes=rod)
    gauge = ph.Rotation.from_axis_angle(
        ph.Y, 0.3, of=ph.theory.Frame("gauge"), seen_from=rod.frame
    )
    found = ph.reaction_table(swung(), axes=gauge)
    turned = own.forces["hinge"] @ gauge.matrix
    assert np.allclose(found.forces["hinge"], turned, rtol=0, atol=1e-12)
    assert np.max(np.abs(turned - own.forces["hinge"])) > 1.0
    assert found.axes == "gauge"
    still = ph.Rotation.from_axis_angle(
        ph.Y, 0.3, of=ph.theory.Frame("desk"), seen_from=world.frame
    )
    aside = world.point(0, 0, 1.5)
    found = ph.reaction_table(swung(), at=aside, axes=still)
    couple = np.cross([0, 0, -1.5], table().forces["hinge"]) @ still.matrix
    assert np.allclose(found.torques["hinge"], couple, rtol=0, atol=1e-9)


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


def test_a_couple_of_rounding_is_not_drawn():
    """A hinge without friction has no couple about its axis: no panel has it."""
    (force,) = table().plot("hinge").figure.axes
    assert max(np.ptp(line.get_ydata()) for line in force.get_lines()) > 10.0


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
    # The plane is x, z: what the hinges do across it, and couples, is not determined.
    for name, flags in found.loose.items():
        assert flags.tolist() == [True, False, True, False, True, False], name
    text = repr(found)
    assert "0*" in text
    assert "* the least of what the motion leaves open; its rows: D: row 1" in text
    # Other loads of the same motion: what is determined stays, the rest need not.
    more = free_reactions(motion.equations, motion[0], found.loads.undetermined, {})
    for name in found.names:
        added = np.array([[*each[name].torque, *each[name].force] for each in more])
        assert np.max(np.abs(added[:, ~found.loose[name]])) < 1e-9
        assert np.all(np.max(np.abs(added[:, found.loose[name]]), axis=0) > 1e-3)
    about_hinge = ph.reaction_table(motion, at=motion.system.bodies[0].origin)
    assert about_hinge.loose["A"].tolist() == [True, False, True, False, True, False]


def test_nothing_is_loose_where_nothing_is_redundant():
    """A pendulum's hinge is determined, all six of it."""
    assert not np.any(table().loose["hinge"])
    assert "*" not in repr(table())
