"""Answers to questions about a system: each is drawn, and shows in notebooks."""

from __future__ import annotations

import html
import re
from functools import cache

import numpy as np
import pytest

import polhode as ph
from polhode.answer_table import Answer
from polhode.errors import AnalysisError

pytestmark = pytest.mark.long  # one answer of every kind is asked, which takes a while


@cache
def motion() -> ph.results.Trajectory:
    cart = cart_system()
    start = cart.state(hinge=0.4, speeds={"rail": 0.2})
    return ph.simulate(cart, start, until=1.0)


@cache
def cart_system() -> ph.System:
    return ph.models.cart_pendulum()


def governor() -> ph.System:
    """An arm on a hinge that turns about an upright axle."""
    hub = ph.Body("hub", ph.solids.sphere(mass=0.2, radius=0.1))
    arm = ph.Body("arm", ph.solids.rod(mass=0.5, length=0.8))
    axle = ph.Revolute("axle", ph.World().origin, hub.origin, axis=ph.Z)
    hinge = ph.Revolute("hinge", hub.origin, arm.point(0, 0, 0.4), axis=ph.Y)
    return ph.System([axle, hinge], [ph.Weight(9.81)], name="governor")


def rolling() -> ph.System:
    """A wheel that rolls along a line: x - R theta is kept."""
    cart = ph.Body("cart", ph.solids.box(mass=1.0, x=0.4, y=0.2, z=0.1))
    wheel = ph.Body("wheel", ph.solids.cylinder(mass=0.5, radius=0.3, length=0.1))
    rail = ph.Prismatic("rail", ph.World().origin, cart.origin, axis=ph.X)
    axle = ph.Revolute("axle", cart.origin, wheel.origin, axis=ph.Y)

    def law(x, turn, t):
        return np.array([[1.0, -0.3]]), np.zeros(1)

    row = ph.VelocityRows([rail, axle], law, rows=("roll",), name="ground")
    return ph.System([rail, axle], constraints=[row], name="wheel")


def swung() -> ph.results.Trajectory:
    """A rod between its stops."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8))
    ends = ph.World().origin, rod.point(0, 0, 0.4)
    hinge = ph.Revolute("hinge", *ends, axis=ph.Y, limits=(-1.0, 2.0))
    system = ph.System([hinge], [ph.Weight(9.81)], name="swing")
    return ph.simulate(system, system.state(hinge=0.9), until=0.5)


def crate() -> ph.State:
    """A crate on the floor."""
    world = ph.World()
    box = ph.Body("crate", ph.solids.box(mass=2.0, x=0.4, y=0.4, z=0.2))
    ends = [box.point(x, 0, -0.1) for x in (-0.2, 0.2)]
    plane = ph.Planar("plane", world.origin, box.origin, normal=-ph.Y)
    supports = [
        ph.Support(ph.surfaces.point(end), world.origin, name=name)
        for end, name in zip(ends, ("left", "right"), strict=True)
    ]
    system = ph.System([plane], [ph.Weight(9.81)], supports=supports, name="crate")
    return system.state(plane=(0.0, 0.0, 0.1))


KINDS = (
    *(
        "rests",
        "rest",
        "sweep",
        "branches",
        "one branch",
        "at rest",
    ),
    *(
        "steady",
        "one steady",
        "variation",
        "linear",
        "along",
        "parts",
    ),
    *(
        "spectrum",
        "transfer",
        "matrices",
        "response",
        "modes",
        "verdict",
    ),
    *(
        "reactions",
        "margins",
        "kept",
        "sensitivity",
        "gradient",
        "spread",
    ),
    *(
        "record",
        "told",
        "by parameters",
        "rows",
        "leaves",
        "borne",
    ),
)


@cache
def answers() -> dict[str, object]:
    """One answer of each kind, most of them of one model."""
    cart = cart_system()
    linear = ph.linearise(cart, inputs=["F"])
    rests = ph.equilibria(cart, starts=8)
    blade = ph.models.chaplygin_sleigh()
    names = ["m_B", "l"]
    t = np.linspace(0.1, 1.0, 8)
    top = ph.steady_motions(governor(), {"axle": 6.0}, starts=8)
    return {
        "campbell": ph.campbell(ph.models.rotor(), "spin", [0.0, 50, 100]),
        "feedback": linear.margins("rail", "F"),
        "section": ph.poincare(cart, cart.state(hinge=0.4), at=0.2, until=1.0),
        "optimum": ph.optimise(
            cart,
            {"F": ph.InputShape([0.0, 0.5], -1, 1), "l": (0.5, 1.0)},
            lambda t, state: state["rail"],
            constraints=[ph.goals.AtEnd(lambda t, state: t).at_most(1.0)],
            start=cart.rest(),
            until=0.5,
        ),
        "rests": rests,
        "rest": rests[0],
        "sweep": ph.sweep_equilibria(cart.rest(), {"C": np.linspace(-2, 2, 30)}),
        "branches": (
            all_ways := ph.continuation(
                rests[0], "C", (-2.0, 2.0), step=0.2, branches=False
            )
        ),
        "one branch": all_ways[0],
        "at rest": ph.questions.is_equilibrium(cart.state(hinge=0.4)),
        "steady": top,
        "one steady": top[0],
        "variation": top[0].second_variation(),
        "linear": linear,
        "along": ph.linearise(cart, motion(), inputs=["F"]),
        "parts": linear.parts,
        "spectrum": linear.spectrum,
        "transfer": linear.transfer("rail", "F"),
        "matrices": linear.matrices,
        "response": linear.response([0.5, 1.0, 9.0]),
        "modes": linear.modes(),
        "verdict": linear.stability(),
        "reactions": ph.reaction_table(motion().resampled(t)),
        "margins": ph.questions.limit_margins(swung()),
        "kept": ph.conserved(cart),
        "sensitivity": ph.sensitivity(motion(), names, times=t),
        "gradient": ph.gradient(motion(), lambda t, s: s["hinge"] ** 2, names),
        "spread": ph.uncertainty(motion(), {"l": 0.01}, times=t),
        "record": ph.identify(cart, motion()[0], t, motion().resampled(t).q, ["m_B"]),
        "told": ph.identifiable(cart, names),
        "by parameters": ph.questions.rest_sensitivity(rests[0].state, names),
        "rows": ph.questions.integrability(blade),
        "leaves": ph.questions.integrability(rolling()).integrals,
        "borne": ph.static_rest(crate()),
    }


def leaves(kind):
    """The kinds below one that have none below them: those that are made."""
    below = kind.__subclasses__()
    return [leaf for each in below for leaf in leaves(each)] if below else [kind]


def test_every_kind_of_answer_is_here():
    """What prints as a table and is an answer of the room is asked for above."""
    there = {type(each) for each in answers().values()}
    kinds = [k for k in leaves(Answer) if ".analyse." in k.__module__]
    assert [kind.__name__ for kind in kinds if kind not in there] == []


@pytest.mark.parametrize("name", KINDS)
def test_an_answer_is_one_table_in_text_and_in_html(name):
    """Every cell of the one is in the other; nothing is not a number."""
    each = answers()[name]
    text, table = str(each), each._repr_html_()
    assert table.startswith("<div><strong>")
    assert table.count("<tr>") >= 2
    assert "nan" not in text
    assert "nan" not in table
    for cell in re.findall(r"<t[dh]>([^<]*)</t[dh]>", table):
        assert html.unescape(cell) in text


@pytest.mark.parametrize("name", [*sorted(DRAWN := {
    "rests": (), "steady": (), "sweep": ("hinge",), "branches": ("hinge",),
    "rest": (), "one steady": (), "one branch": ("hinge",), "at rest": (),
    "spread": ("hinge", "speed of rail"),
    "along": (), "transfer": (), "parts": (), "spectrum": (), "variation": (),
    "linear": (), "matrices": (), "response": (), "modes": (), "verdict": (),
    "reactions": ("hinge",), "sensitivity": ("m_B", "l"), "gradient": (),
    "record": (), "told": (), "by parameters": (), "rows": (), "margins": (),
})])  # fmt: skip
def test_an_answer_is_drawn(name, tmp_path):
    """A picture with ink on it, in a file of its own."""
    picture = answers()[name].plot(*DRAWN[name])
    file = picture.save(tmp_path / "answer.png")
    assert file.stat().st_size > 3000
    assert all(axes.has_data() or axes.texts for axes in picture.figure.axes)


def test_what_is_kept_is_drawn_along_a_motion():
    """A line for each integral that the motion should keep."""
    free = ph.models.tennis_racket()
    state = free.state(speeds={free.joints[0].name: [0.1, 3.0, 0.2, 0, 0, 0]})
    moved = ph.simulate(free, state, until=1.0)
    kept = ph.conserved(free)
    lines = kept.plot(moved).figure.axes[0].get_lines()
    assert [line.get_label() for line in lines] == list(kept.names)
    assert max(np.max(line.get_ydata()) for line in lines) < 1e-6


def test_what_rows_keep_of_the_place_is_drawn_level():
    """x - R theta, rolled along: a level line, one a function."""
    wheel = rolling()
    start = wheel.state(speeds={"rail": 0.6, "axle": 2.0})
    moved = ph.simulate(wheel, start, until=1.0)
    (line,) = answers()["leaves"].plot(moved).figure.axes[0].get_lines()
    assert np.ptp(moved.q[:, 0]) > 0.5
    assert np.ptp(line.get_ydata()) < 1e-8


def test_a_steady_motion_goes_on_as_it_is_simulated():
    """Carried along for a turn, places are those of the simulated motion."""
    steady = next(s for s in answers()["steady"] if abs(s.state.q[1]) > 0.1)
    rows = steady.motion(0.5)
    moved = ph.simulate(steady.state.system, steady.state, until=0.5)
    np.testing.assert_allclose(rows.final.q, moved.final.q, atol=1e-8)
    np.testing.assert_allclose(rows.z, np.broadcast_to(rows.z[0], rows.z.shape))
    assert steady.motion().t[-1] == pytest.approx(2 * np.pi / 6.0)
    with pytest.raises(AnalysisError, match="no rows over -1 s"):
        steady.motion(-1.0)


def test_eigenvalues_that_grow_are_drawn_apart():
    """Upside down one eigenvalue is to the right, and has the second colour."""
    cart = cart_system()
    up = ph.linearise(cart, cart.state(hinge=np.pi))
    drawn = up.plot().figure.axes[0].get_lines()
    grows = next(line for line in drawn if line.get_label() == "grows")
    assert np.all(grows.get_xdata() > 0)
    assert len(grows.get_xdata()) == len(up.spectrum.growing)


def test_a_mode_is_watched_as_page_film_and_scene(tmp_path):
    """The page holds the table of modes; the film moves; rows keep to the shape."""
    modes = answers()["modes"]
    text = modes.page(tmp_path / "mode.html", 1).read_text()
    assert html.escape(modes.as_table().title) in text
    assert "Ledger" not in text
    film = modes.film(tmp_path / "mode.gif", 0, periods=1, seconds=1.0)
    assert film.stat().st_size > 5000
    rows = modes.motion(1, size=0.1)
    moved = rows.q - modes.linear.state.q
    ratio = modes.shapes[1][0] / modes.shapes[1][1]
    np.testing.assert_allclose(moved[:, 0], ratio * moved[:, 1], atol=1e-12)
    assert np.max(np.abs(moved)) <= 0.1 * 1.3
    with pytest.raises(AnalysisError, match="no mode number 2"):
        modes.motion(2)


def test_a_mode_is_served_live():
    """The viewer has the frames of the mode, and closes."""
    pytest.importorskip("viser")
    viewer = answers()["modes"].show(0, browser=False)
    assert viewer.scene.times[-1] == 4.0
    viewer.close()
