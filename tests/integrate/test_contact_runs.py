"""Runs with supports in sweeps, files, with events and inputs: the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import IntegrationWarning, NoMotion

METHOD = ph.methods.DormandPrince(rtol=1e-9)


def bouncing(e: float = 0.5) -> ph.System:
    """A particle that strikes, slides and sticks; a spring ties it to a driven cart."""
    cart, world = ph.Particle("cart", 1.0), ph.World()
    ball = ph.Particle("ball", 1.0)
    floor = ph.Support(ph.surfaces.point(ball.mass_centre), world.origin,
                       friction=ph.Coulomb(0.3), restitution=e,
                       name="floor")  # fmt: skip
    slide = ph.Prismatic("slide", world.point(0, 1, 0), cart.mass_centre, axis=ph.X)
    spring = ph.Spring(ball.mass_centre, cart.mass_centre, 0.5)
    motor = ph.Motor(slide, 0.0, name="motor")
    return ph.System([slide, ball], [ph.Weight(9.81), spring, motor],
                     supports=[floor], name="bouncing")  # fmt: skip


SYSTEM = bouncing()


def starts(count: int) -> list[ph.State]:
    draw = np.random.default_rng(3).uniform
    return [
        SYSTEM.state(ball=(0, 0, draw(0, 0.4)), speeds={"ball": (draw(-2, 2), 0.3, 0)})
        for _ in range(count)
    ]


@pytest.fixture(scope="module")
def motion() -> ph.results.Trajectory:
    return ph.simulate(SYSTEM, starts(1)[0], until=1.5, method=METHOD)


def kinds(events: ph.results.Events) -> list[tuple[float, str, str]]:
    return [(e.t, e.kind, e.point) for e in events]


@pytest.mark.row("D-03")
def test_runs_of_a_sweep_have_the_bits_of_runs_alone(motion):
    """States, times and kinds of all switches, impacts and their impulses."""
    some = starts(9)
    swept = ph.sweep(SYSTEM, some, until=1.5, method=METHOD)
    assert len(swept.failed) == 0
    for k in (0, 4, 8):
        alone = ph.simulate(SYSTEM, some[k], until=1.5, method=METHOD)
        assert np.array_equal(alone.q[-1], swept.final_q[k])
        assert np.array_equal(alone.z[-1], swept.final_z[k])
        assert kinds(alone.events) == kinds(swept.events.of(k))
        impulses = [record.impulse[0] for record in swept.events.impacts(k)]
        own = [hit.impulse for hit in alone["floor"].impacts]
        assert np.array_equal(impulses, own)
    assert kinds(motion.events) == kinds(swept.events.of(0))
    assert {"touches", "settles", "slides"} <= {e.kind for e in motion.events}


def test_a_sweep_keeps_samples_and_tells_of_runs_that_cannot_begin(motion):
    """One start inside the floor is a value; the others run to their samples."""
    times = np.linspace(0.0, 1.5, 5)
    some = [starts(1)[0], SYSTEM.state(ball=(0, 0, -0.01))]
    with pytest.warns(IntegrationWarning, match="0.01 m inside 'world'"):
        swept = ph.sweep(SYSTEM, some, until=1.5, method=METHOD, samples=times)
    assert swept.failed.tolist() == [1]
    assert np.array_equal(swept.q[0, -1], motion.q[-1])
    assert np.max(np.abs(swept.q[0] - motion.resampled(times).q)) < 1e-12


@pytest.mark.long
def test_a_run_goes_on_from_its_file_bit_for_bit(motion, tmp_path):
    """Cut in the middle of its bounces; modes, impacts and ledger are the whole's."""
    path = tmp_path / "run.nc"
    with pytest.warns(IntegrationWarning, match="limit of steps"):
        ph.simulate(SYSTEM, starts(1)[0], until=1.5, method=METHOD, limit=9, to=path)
    whole = ph.resume(path, SYSTEM, limit=10**6)
    read = ph.load_motion(path).of(SYSTEM)
    copy = tmp_path / "copy.nc"
    motion.save(copy)
    for other in (whole, read, ph.load_motion(copy).of()):
        assert np.array_equal(other.t, motion.t)
        assert np.array_equal(other.q, motion.q)
        assert kinds(other.events) == kinds(motion.events)
        assert np.array_equal(other["floor"].status, motion["floor"].status)
        assert np.array_equal(other["floor"].push, motion["floor"].push)
        ledger = other.ledger()
        assert np.max(np.abs(ledger.balance)) <= ledger.promise


@pytest.mark.long
def test_events_and_inputs_go_with_contacts():
    """A reset decides contacts anew; a motor and a sampled input drive the rest."""
    turns = ph.Event("turns", lambda t, state: state.speed("ball")[2], direction=-1)

    def lift(t, state):
        x, y, z = state["ball"]
        return state.changed(ball=(x, y, z + 0.1))

    lifts = ph.Event("lifts", lambda t: t - 1.0, reset=lift)
    inputs = {"motor": ph.Sampled(lambda t, state: 0.5 * np.sin(8 * t), 0.05)}
    start = starts(1)[0]
    motion = ph.simulate(SYSTEM, start, until=1.6, method=METHOD, inputs=inputs,
                         events=[turns, lifts])  # fmt: skip
    assert motion.outcome.is_complete
    assert len(motion.events["lifts"]) == 1
    assert len(motion.events["turns"]) >= 3
    after = [e.kind for e in motion.events["floor"] if e.t >= 1.0]
    assert after[0] == "opens"
    assert "touches" in after
    assert motion["floor"].gap.min() > -1e-12
    slides = motion["slide"].speeds
    assert np.ptp(slides) > 1e-3


@pytest.mark.long
def test_painleve_in_the_middle_of_a_run_is_named():
    """A reset into a state without motion ends the run there, in words."""
    rod, world = ph.Body("rod", ph.solids.rod(mass=1.0, length=2.0)), ph.World()
    plane = ph.Planar("plane", world.origin, rod.origin, normal=-ph.Y)
    foot = ph.Support(ph.surfaces.point(rod.point(0, 0, -1)), world.origin,
                      friction=ph.Coulomb(1.5), name="foot")  # fmt: skip
    system = ph.System([plane], [ph.Weight(9.81)], supports=[foot])
    place = (1.1 - np.pi / 2, np.cos(1.1), np.sin(1.1))

    def turned(t, state):
        return state.changed(plane=place, speeds={"plane": (0.0, -1.0, 0.0)})

    kick = ph.Event("kick", lambda t: t - 0.01, reset=turned)
    start = system.state(plane=place, speeds={"plane": (0.0, 1.0, 0.0)})
    with pytest.warns(IntegrationWarning, match="no push keeps it out"):
        motion = ph.simulate(system, start, until=1.0, events=kick)
    assert motion.outcome.code == "CONTACT"
    assert isinstance(motion.cause, NoMotion)
    assert motion.t[-1] == 0.01


def test_an_audited_sweep_books_what_contacts_take(motion):
    """Friction on the way and impacts at switches, as the ledger of a run alone."""
    swept = ph.sweep(SYSTEM, starts(3), until=1.5, method=METHOD, audited=True)
    assert np.max(np.abs(swept.ledger.balance)) < 1e-8
    work, own = swept.ledger.work, motion.ledger().work
    once = ("impacts of floor", "friction of floor", "settling")
    taken = sum(own[name][-1] for name in once if name in own)
    assert work["impacts"][0] + work["friction of floor"][0] == pytest.approx(taken)
