"""Plots: what was asked is drawn, with its unit, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Text

import polhode as ph
from closeness import assert_close
from polhode.errors import ShowError
from polhode.show.plots.palette import DARK, LIGHT
from polhode.show.plots.quantities import known_names, series_of
from shown import AWKWARD, cart_motion

PNG = b"\x89PNG\r\n\x1a\n"


def lines_of(axes):
    """The lines of a panel that are data: not marks of events or of starts."""
    return [line for line in axes.lines if len(line.get_xdata()) > 2]


def test_a_coordinate_is_drawn_with_its_name_and_unit():
    """The line of `motion.plot("hinge")` is the hinge's angle at the times it names."""
    motion = cart_motion()
    axes = motion.plot("hinge").figure.axes[0]
    assert axes.get_ylabel() == "hinge  [rad]"
    assert axes.get_xlabel() == "time  [s]"
    (line,) = lines_of(axes)
    t, angle = line.get_data()
    assert len(t) >= 1000
    assert_close(angle[::97], motion.resampled(t[::97]).q[:, 1], rtol=1e-12)


def test_units_have_panels_of_their_own_that_share_the_time():
    """Metres and radians are not drawn on one scale; two lengths are."""
    motion = cart_motion()
    names = ("rail", "hinge", f"{AWKWARD}.position.x", "rail.speed")
    panels = motion.plot(*names).figure.axes
    assert [len(lines_of(panel)) for panel in panels] == [2, 1, 1]
    assert [panel.get_ylabel().rpartition("[")[2] for panel in panels] == [
        "m]",
        "rad]",
        "m/s]",
    ]
    assert panels[0].get_shared_x_axes().joined(panels[0], panels[2])


def test_the_position_of_the_cart_is_the_coordinate_of_its_rail():
    """Bodies and joints are asked by name, and say the same of one motion."""
    motion = cart_motion()
    (rail,) = series_of(motion, "rail")
    (x,) = series_of(motion, f"{AWKWARD}.position.x")
    assert_close(x.values, rail.values, rtol=1e-14)


def test_a_phase_portrait_is_speed_over_place():
    """`motion.plot("hinge.speed", against="hinge")` has both names and both units."""
    motion = cart_motion()
    axes = motion.plot("hinge.speed", against="hinge").figure.axes[0]
    assert axes.get_xlabel() == "hinge  [rad]"
    assert axes.get_ylabel() == "speed of hinge  [rad/s]"
    place, speed = lines_of(axes)[0].get_data()
    assert_close([place[0], speed[0]], [1.0, 0.0], atol=1e-12)
    assert_close(place[-1], motion.q[-1, 1], rtol=1e-12)


def test_energy_is_the_sum_of_its_parts_and_the_ledger_has_every_work():
    """T + V is drawn with T and V; the damper's work and the balance are there."""
    motion = cart_motion()
    kinetic, potential, energy = series_of(motion, "energy")
    assert_close(kinetic.values + potential.values, energy.values, rtol=1e-12)
    labels = [line.label for line in series_of(motion, "ledger")]
    assert "work of damper of rail" in labels
    assert labels[-1] == "unaccounted energy"
    panels = motion.plot("ledger").figure.axes
    assert [len(lines_of(panel)) for panel in panels] == [3, 1]
    assert panels[0].get_ylabel() == "energy  [J]"


def test_a_legend_does_not_say_the_axis_again():
    """The force of a hinge has its name on the axis, and x, y, z beside the lines."""
    (axes,) = cart_motion().plot("hinge.force").figure.axes
    assert axes.get_ylabel() == "force of hinge  [N]"
    assert [word.get_text() for word in axes.get_legend().get_texts()] == [
        "x",
        "y",
        "z",
    ]


def test_a_reaction_is_what_the_motion_says():
    """The force of a joint is drawn component by component, in newtons."""
    motion = cart_motion()
    force = motion.joint("hinge").reaction.force
    lines = series_of(motion, "hinge.force")
    assert {line.unit for line in lines} == {"N"}
    assert_close(np.stack([line.values for line in lines], axis=1), force, rtol=1e-14)


def test_every_known_name_can_be_asked():
    """What the error offers is what works."""
    motion = cart_motion()
    for name in known_names(motion):
        assert all(np.all(np.isfinite(s.values)) for s in series_of(motion, name))


def test_an_unknown_name_gets_a_suggestion():
    """A typo is answered with the nearest name and the whole list."""
    with pytest.raises(ShowError, match=r"Did you mean 'hinge'\?") as refusal:
        cart_motion().plot("hing")
    assert "'cart' has no 'hing' to plot." in str(refusal.value)


def test_against_several_quantities_is_refused():
    """A curve has one quantity along its axis."""
    with pytest.raises(ShowError, match="it is 3 quantities"):
        cart_motion().plot("hinge", against="bob.position")


def test_a_picture_is_a_file_with_the_same_bytes_each_time(tmp_path):
    """PNG, SVG and PDF are written where asked; nothing of the hour is in them."""
    picture = cart_motion().plot("hinge")
    for kind, first in ((".png", PNG), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        one = picture.save(tmp_path / "new" / f"one{kind}").read_bytes()
        two = picture.save(tmp_path / f"two{kind}").read_bytes()
        assert one.startswith(first)
        assert one == two
    assert picture._repr_png_().startswith(PNG)


def test_a_picture_of_an_unknown_kind_is_refused(tmp_path):
    """The end of the name must say one of the kinds."""
    with pytest.raises(ShowError, match=r"cannot be written as 'a.bmp'"):
        cart_motion().plot("hinge").save(tmp_path / "a.bmp")


def limited() -> ph.System:
    """A hinge whose motor can give 2 N m."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
    hinge = ph.Revolute(
        "hinge",
        ph.World().origin,
        rod.point(0, 0, 0.5),
        axis=ph.Y,
        effort_limits=(-2.0, 2.0),
    )
    motor = ph.Motor(hinge, lambda t, q, z: 5.0 * q[0] + 0.0 * t, name="drive")
    return ph.System([hinge], [ph.Weight(9.81), motor], name="limited")


@pytest.mark.parametrize("inputs", [{}, {"drive": ph.Sampled(lambda t, s: 5.0, 0.1)}])
def test_a_plot_of_a_motor_shows_what_acted(inputs):
    """Within its limits; what was requested is a line of its own."""
    system = limited()
    motion = ph.simulate(system, system.state(hinge=1.0), until=0.3, inputs=inputs)
    acted, requested = series_of(motion, "drive")
    assert np.max(np.abs(acted.values)) == 2.0
    assert requested.values[0] == 5.0
    assert requested.label == "drive, requested"
    assert acted.unit == "N m"
    assert motion.plot("drive") is not None


def test_a_plot_on_dark_paper_has_no_light_colour_left():
    """Paper, text, curves: each is the one that stands for it, and readable on it."""
    start = ph.models.start("double_pendulum")
    motion = ph.simulate(start.system, start, until=0.5)
    light, dark = (motion.plot(theme=word).figure for word in ("light", "dark"))
    assert to_hex(dark.get_facecolor()) == DARK.paper
    for one, other in zip(light.axes, dark.axes, strict=True):
        tints = [[to_hex(line.get_color()) for line in a.lines] for a in (one, other)]
        assert tints == [[*LIGHT.colours[:2]], [*DARK.colours[:2]]]
        assert to_hex(other.yaxis.label.get_color()) == DARK.ink
    text = [t for t in dark.findobj(Text) if t.get_text()]
    assert {to_hex(t.get_color()) for t in text} <= {DARK.ink, DARK.faint}


def test_a_theme_that_is_none_is_refused():
    """By name."""
    start = ph.models.start("pendulum")
    motion = ph.simulate(start.system, start, until=0.1)
    with pytest.raises(ShowError, match="no theme 'dusk'"):
        motion.plot(theme="dusk")


def test_names_of_plots_are_measured():
    """One line is (n,), several are columns; what has times of its own is refused."""
    cart = ph.models.cart_pendulum()
    held = {"couple": ph.Sampled(lambda t, state: -2.0 * state.speed("hinge"), dt=0.1)}
    motion = ph.simulate(cart, cart.state(hinge=0.5), until=1.0, inputs=held)
    np.testing.assert_array_equal(motion.measured("hinge.speed"), motion.z[:, 1])
    body = motion.system.bodies[-1].name
    places = motion.measured(f"{body}.position")
    np.testing.assert_array_equal(places, motion[body].position)
    with pytest.raises(ph.PolhodeError, match="times of its own"):
        motion.measured("couple")
    with pytest.raises(ph.PolhodeError, match="speed"):
        motion.measured("hinge.sped")
