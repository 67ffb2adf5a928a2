"""Many runs in one call: the bits of each alone, bounded memory, parts on disk."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from held import bob_on_a_rod
from moving import double_pendulum, four_bar, heavy_top
from polhode.errors import FileError, IntegrationError, IntegrationWarning
from polhode.integrate import sweep
from polhode.integrate.host import batch_loop
from strategies_system import cart_pendulum


def raised(count: int) -> ph.States:
    """Double pendulums from states of chance."""
    rng, system = np.random.default_rng(5), double_pendulum()
    q, z = rng.uniform(-2, 2, (count, 2)), rng.uniform(-1, 1, (count, 2))
    return ph.States(system, 0.0, q, z)


def test_a_run_in_a_sweep_is_the_run_alone(monkeypatch):
    """Final states and samples have the bits of simulate, in any slab or chunk."""
    system, states = double_pendulum(), raised(37)
    wish = {"until": 3.0, "rtol": 1e-8}
    alone = [ph.simulate(system, states[k], **wish) for k in (0, 9, 36)]
    for slab, room in ((16384, 128), (5, 128), (37, 7)):
        monkeypatch.setattr(sweep, "SLAB", slab)
        monkeypatch.setattr(batch_loop, "ROOM", room)
        found = ph.sweep(system, states, **wish)
        assert len(found) == 37
        for motion, k in zip(alone, (0, 9, 36), strict=True):
            assert np.array_equal(found.final_q[k], motion.q[-1])
            assert np.array_equal(found.final_z[k], motion.z[-1])
            assert found.accepted[k] == motion.outcome.accepted
            assert found.outcome(k) == motion.outcome
    times = np.linspace(0, 3, 23)
    sampled = ph.sweep(system, states, **wish, samples=times)
    motions = ph.simulate(system, states, **wish, samples=times)
    assert np.array_equal(sampled.q, motions.q)
    assert np.array_equal(sampled.z, motions.z)
    one = ph.sweep(system, states[9], **wish)
    assert np.array_equal(one.final_q[0], alone[1].q[-1])


def test_threads_change_no_bit(monkeypatch):
    """One thread and two give the same bits."""
    from polhode.integrate.host import batch_kernel
    from polhode.lowering.compile import compile as plain

    found = []
    for threads in (1, 2):
        system = ph.System(*double_pendulum().given, name="again")
        monkeypatch.setattr(
            batch_kernel,
            "compile",
            lambda *a, n=threads, **k: plain(*a, threads=n, **k),
        )
        states = raised(600)
        own = ph.States(system, 0.0, states.q, states.z)
        found.append(ph.sweep(system, own, until=1.0))
    assert np.array_equal(found[0].q, found[1].q)
    assert np.array_equal(found[0].z, found[1].z)


@pytest.mark.long
def test_samples_between_steps_are_on_their_manifold():
    """Unit quaternions to rounding, the bits of simulate; backwards too."""
    top = heavy_top()
    rng = np.random.default_rng(1)
    q = np.tile(top.neutral(), (6, 1))
    states = ph.States(top, 0.0, q, rng.uniform(-3, 3, (6, 3)))
    for until in (1.0, -1.0):
        found = ph.sweep(top, states, until=until, samples=9)
        assert np.max(np.abs(np.linalg.norm(found.q, axis=2) - 1)) < 1e-15
        motions = ph.simulate(top, states, until=until, samples=9)
        assert np.array_equal(found.q, motions.q)


@pytest.mark.long
def test_samples_may_end_before_the_run():
    """It goes on to its end, as `simulate` does: no limit has stopped it."""
    system, states = double_pendulum(), raised(2)
    wish = {"until": 2.0, "samples": [0.3, 1.1]}
    found, motion = (
        ph.sweep(system, states, **wish),
        ph.simulate(system, states, **wish),
    )
    assert found.outcome(1).sentence == motion[1].outcome.sentence
    assert np.array_equal(found.q[1], motion[1].q)


def test_values_of_parameters_are_runs_that_balance():
    """One state, many masses: the bits of each alone, and the damper's work of each."""
    system = cart_pendulum()
    masses = np.linspace(0.2, 3.0, 5)
    start, wish = system.state(pivot=1.0, track=0.3), {"until": 2.0}
    found = ph.sweep(
        system, start, **wish, parameters={"bob.mass": masses}, audited=True
    )
    alone = ph.simulate(system, start, **wish, parameters={"bob.mass": masses})
    ledger = found.ledger
    for k in (0, 4):
        assert np.array_equal(found.final_q[k], alone[k].q[-1])
        assert np.array_equal(found.final_z[k], alone[k].z[-1])
        known = alone[k].ledger()
        assert ledger.work["damper"][k] < -1e-3
        assert np.isclose(ledger.work["damper"][k], known.work["damper"][-1], rtol=1e-9)
        assert np.isclose(ledger.kinetic[k, 1], known.kinetic[-1], rtol=1e-9)
        assert np.allclose(ledger.momentum[k, 1], known.momentum[-1], atol=1e-9)
    assert np.max(np.abs(ledger.balance)) < 1e-7 * np.max(ledger.kinetic)
    table = found.to_xarray()
    assert np.array_equal(table["bob.mass"], masses)
    assert dict(table.sizes)["run"] == 5


@pytest.mark.long
def test_a_sweep_goes_by_any_form():
    """Equations with velocities of their own give the same states."""
    system = double_pendulum()
    found = ph.sweep(ph.hamilton(system), raised(3), until=1.0)
    known = ph.sweep(system, raised(3), until=1.0)
    assert np.allclose(found.final_q, known.final_q, rtol=0, atol=1e-7)
    assert np.allclose(found.final_z, known.final_z, rtol=0, atol=1e-7)


@pytest.mark.long
def test_a_sweep_of_loops_keeps_them_closed():
    """Constrained systems go as any other."""
    system = four_bar()
    start = system.consistent(
        ph.State(system, 0.0, system.rest().q, np.full(system.speeds, 0.7))
    )
    found = ph.sweep(system, [start, start], until=1.0, rtol=1e-8, samples=5)
    motion = ph.simulate(system, start, until=1.0, rtol=1e-8, samples=5)
    assert np.array_equal(found.q[1], motion.q)


@pytest.mark.long
def test_what_is_left_to_drift_drifts_in_a_sweep_too():
    """A method without projection has the bits of the run alone."""
    system, way = bob_on_a_rod(), ph.methods.Unprojected(ph.methods.RungeKutta4(0.02))
    start = system.state(bob=(1.0, 0, 0))
    found = ph.sweep(system, [start, start], until=2.0, method=way)
    alone = ph.simulate(system, start, until=2.0, method=way)
    assert np.array_equal(found.final_q[1], alone.q[-1])
    assert abs(np.linalg.norm(found.final_q[1]) - 1) > 1e-9


def test_a_run_that_fails_is_a_value():
    """It keeps its last state, says why, and the others go on; no row lacks numbers."""
    import jax.numpy as jnp

    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
    hinge = ph.Revolute("angle", ph.World().origin, rod.origin, axis=ph.Y)
    law = ph.Motor(hinge, lambda t, q, z: jnp.sqrt(1.0 - q[0]))
    system = ph.System([hinge], [law], name="pulled")
    q = np.array([[0.9], [-50.0], [-60.0]])
    states = ph.States(system, 0.0, q, 0 * q)
    with pytest.warns(IntegrationWarning, match="1 of 3 runs stopped; run 0: 'pulled'"):
        found = ph.sweep(system, states, until=0.7, samples=8)
    assert list(found.failed) == [0]
    assert found.outcome(0).code == "FORCE"
    assert "motor of angle" in found.outcome(0).sentence
    assert found.t[0, -1] < 0.7 == found.t[1, -1]
    assert np.all(np.isfinite(found.q))
    assert np.all(np.isfinite(found.z))
    with pytest.warns(IntegrationWarning, match="limit of steps"):
        ph.sweep(double_pendulum(), raised(2), until=50.0, limit=200)


def test_a_sweep_on_disk_is_the_sweep_in_memory(tmp_path, monkeypatch):
    """Parts hold what memory holds; those that are missing are made, others are not."""
    monkeypatch.setattr(sweep, "SLAB", 8)
    system, states = double_pendulum(), raised(21)
    wish = {"until": 1.0, "samples": 3, "audited": True}
    memory = ph.sweep(system, states, **wish)
    stored = ph.sweep(system, states, **wish, to=tmp_path / "a")
    assert np.array_equal(stored.whole().q, memory.q)
    assert np.array_equal(stored.whole().ledger.kinetic, memory.ledger.kinetic)
    assert [len(part) for part in stored] == [8, 8, 5]
    assert len(stored.failed) == 0
    middle = tmp_path / "a" / "part-00000008.nc"
    others = {p: p.stat().st_mtime_ns for p in tmp_path.glob("a/part*") if p != middle}
    middle.unlink()
    again = ph.sweep(system, states, **wish, to=tmp_path / "a")
    assert np.array_equal(again.whole().q, memory.q)
    assert all(p.stat().st_mtime_ns == when for p, when in others.items())
    content = bytearray(middle.read_bytes())
    content[-40] ^= 1
    middle.write_bytes(content)
    with pytest.raises(FileError, match="is damaged"):
        again.whole()
    with pytest.raises(FileError, match="has another sweep in it"):
        ph.sweep(system, raised(20), **wish, to=tmp_path / "a")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "letter.txt").write_text("dear")
    with pytest.raises(FileError, match="other files in it"):
        ph.sweep(system, states, **wish, to=tmp_path / "b")
    with pytest.raises(FileError, match="It is a file; a sweep is a folder"):
        ph.sweep(system, states, **wish, to=tmp_path / "b" / "letter.txt")
    with pytest.raises(FileError, match="is no path of a file"):
        ph.sweep(system, states, **wish, to=3)


def test_an_interrupted_sweep_gives_what_is_done(monkeypatch):
    """Ctrl-C: all runs so far, each with its status."""
    monkeypatch.setattr(batch_loop, "ROOM", 8)

    def press(progress):
        raise KeyboardInterrupt

    with pytest.warns(IntegrationWarning, match="was interrupted at t ="):
        found = ph.sweep(double_pendulum(), raised(5), until=5.0, watch=press)
    assert len(found) == 5
    assert 0 < found.t[0, -1] < 5.0
    states = raised(2)
    mixed = ph.States(states.system, [0.0, 1.0], states.q, states.z)
    with pytest.raises(IntegrationError, match="cannot be one sweep"):
        ph.sweep(double_pendulum(), mixed, until=5.0)


def test_a_sweep_keeps_its_limit_of_attempts():
    """To the attempt, alone and among others, as simulate does."""
    states = raised(3)
    for limit in (5, 150):
        with pytest.warns(IntegrationWarning, match="used up its limit"):
            found = ph.sweep(states.system, states, until=50.0, limit=limit)
        with pytest.warns(IntegrationWarning, match="used up its limit"):
            one = ph.sweep(states.system, states[0], until=50.0, limit=limit)
        assert np.array_equal(found.accepted + found.rejected, np.full(3, limit))
        assert one.accepted[0] + one.rejected[0] == limit
        assert np.array_equal(one.final_q[0], found.final_q[0])
