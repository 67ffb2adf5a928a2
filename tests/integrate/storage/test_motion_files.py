"""Motions in files: the same bits back, whatever interrupts."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from filed import (
    UNTIL,
    bouncing,
    digests,
    interrupting,
    met,
    pulled,
    same,
    start,
    thrown,
)
from moving import double_pendulum, heavy_top
from polhode.errors import FileError, IntegrationWarning, StateError
from polhode.integrate.events import tracker
from polhode.integrate.storage import recorder

SUPPORT = Path(__file__).parents[2] / "support"
# Other processes take the package from where this one has it.
# What this process was given is given on: dependencies may be there.
GIVEN = [path for path in [os.environ.get("PYTHONPATH")] if path]
PLACES = os.pathsep.join([str(SUPPORT), str(Path(ph.__file__).parents[1]), *GIVEN])


@pytest.fixture(scope="module")
def motion():
    """The double pendulum, all steps in memory."""
    return ph.simulate(double_pendulum(), start(), until=UNTIL)


@pytest.fixture(scope="module")
def saved(motion, tmp_path_factory):
    """Its file."""
    path = tmp_path_factory.mktemp("saved") / "motion.nc"
    motion.save(path)
    return path


def test_a_file_gives_the_motion_back(motion, saved):
    """Rows, names, units, method and outcome come back, and with the model all else."""
    recording = ph.load_motion(saved)
    assert recording.names[:2] == ["shoulder", "elbow"]
    assert recording.units == ["rad", "rad", "rad/s", "rad/s"]
    assert recording.outcome == motion.outcome
    assert np.array_equal(recording["elbow"].speeds[:, 0], motion.z[:, 1])
    with pytest.raises(StateError, match="Did you mean 'elbow'"):
        recording["elbo"]
    again = recording.of(double_pendulum())
    assert same(again, motion)
    assert again.method == motion.method
    assert again.at(1.234).is_close(motion.at(1.234), rtol=0)
    part = ph.load_motion(saved, span=(3.0, 4.0))
    assert part.t[0] <= 3.0
    assert part.t[-1] >= 4.0
    for word in ("double pendulum", "0 to 40 s", "Dormand-Prince"):
        assert word in repr(recording)


def test_the_model_comes_back_with_its_motion(motion, saved, tmp_path):
    """From its text in the file: the same rows, and the run goes on; no code in it."""
    recording = ph.load_motion(saved)
    found = recording.system
    assert found is not double_pendulum()
    assert found.parameters.keys() == double_pendulum().parameters.keys()
    again = recording.of()
    assert same(again, motion)
    assert again.system.joints[1].name == "elbow"
    path = tmp_path / "cut.nc"
    with pytest.warns(IntegrationWarning, match="was interrupted at t ="):
        ph.simulate(
            double_pendulum(), start(), until=UNTIL, to=path, watch=interrupting(4)
        )
    assert same(ph.resume(path), motion)
    system = pulled(1.0)
    ph.simulate(system, system.rest(), until=0.1).save(tmp_path / "law.nc")
    with pytest.raises(FileError, match=r"does not hold the model(.|\n)*no code"):
        ph.load_motion(tmp_path / "law.nc").of()


def test_others_read_the_file(motion, saved):
    """The netCDF library and xarray find time, names, units and rows."""
    import netCDF4
    import xarray

    with netCDF4.Dataset(saved) as file:
        assert len(file.dimensions["time"]) == len(motion)
        assert file["time"].units == "s"
        assert list(file["entry"][:]) == ph.load_motion(saved).names
        assert np.array_equal(np.asarray(file["x"][:]), motion.steps.x)
        header = json.loads(str(file["header"][...]))
    assert header["polhode"] == ph.__version__
    assert header["method"]["settings"]["rtol"] == motion.method.rtol
    assert header["model"]["parameters"]["weight.gravity"] == pytest.approx(9.81)
    with xarray.open_dataset(saved) as found:
        elbow = found["x"].sel(entry="elbow")
        assert np.array_equal(elbow, motion.q[:, 1])
    table = ph.load_motion(saved).to_xarray()
    assert np.array_equal(table["x"].sel(entry="speed of elbow"), motion.z[:, 1])


def test_a_run_to_a_file_is_the_run_in_memory(motion, tmp_path, monkeypatch):
    """Streaming changes no bit, of steps and of samples, and leaves nothing behind."""
    monkeypatch.setattr(recorder, "SECONDS", 0.0)
    streamed = ph.simulate(
        double_pendulum(), start(), until=UNTIL, to=tmp_path / "a.nc"
    )
    assert same(streamed, motion)
    assert same(ph.load_motion(tmp_path / "a.nc").of(double_pendulum()), motion)
    top = heavy_top()
    spinning = top.state(speeds={"ball": (0.3, 0.5, 5.0)})
    wish = {"until": 8.0, "samples": 301}
    memory = ph.simulate(top, spinning, **wish)
    stored = ph.simulate(top, spinning, **wish, to=tmp_path / "b.nc")
    assert same(stored, memory)
    assert same(ph.load_motion(tmp_path / "b.nc").of(top), memory)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.nc", "b.nc"]


def test_rows_beyond_memory_stay_in_the_file(motion, tmp_path, monkeypatch):
    """With little memory allowed the last rows come back, and the file has all."""
    monkeypatch.setattr(recorder, "SECONDS", 0.0)
    monkeypatch.setattr(recorder, "KEPT", 1e4)
    path = tmp_path / "a.nc"
    tail = ph.simulate(double_pendulum(), start(), until=UNTIL, memory=2e5, to=path)
    assert 0 < len(tail) < len(motion) / 2
    assert tail.final.is_close(motion.final, rtol=0)
    assert tail.at(39.9).is_close(motion.at(39.9), rtol=0)
    assert same(ph.load_motion(path).of(double_pendulum()), motion)


@pytest.mark.parametrize("sampled", [False, True])
def test_an_interrupted_run_goes_on_bit_for_bit(motion, tmp_path, sampled):
    """Ctrl-C at any moment, a file, and on: the bits of the run in one piece.

    Also of a motion that was in memory and saved then.
    """
    system, samples = double_pendulum(), 500 if sampled else None
    whole = ph.simulate(system, start(), until=UNTIL, samples=samples)
    wish = {"until": UNTIL, "samples": samples}
    for chunks in random.Random(4).sample(range(1, 12), 3):
        path, later = tmp_path / f"{chunks}.nc", tmp_path / f"{chunks}-saved.nc"
        with pytest.warns(IntegrationWarning, match="was interrupted at t ="):
            broken = ph.simulate(
                system, start(), **wish, to=path, watch=interrupting(chunks)
            )
        assert broken.outcome.code == "INTERRUPTED"
        assert len(broken) < len(whole)
        with pytest.warns(IntegrationWarning):
            held = ph.simulate(system, start(), **wish, watch=interrupting(chunks))
        held.save(later)
        for place in (path, later):
            assert same(ph.resume(place, system), whole)
            assert same(ph.load_motion(place).of(system), whole)
    assert same(ph.resume(path, system), whole)


def test_events_and_inputs_go_on_with_the_run(tmp_path, monkeypatch):
    """Bounces, samples and what a controller remembers: bit for bit after a restart.

    A run interrupted at an event or a sample is none of a special kind.
    """
    # Chunks of one attempt: the loop feeds samples by itself, and halts at none.
    monkeypatch.setattr(tracker, "ATTEMPTS", 1)
    system, guide = bouncing()
    start = thrown(system)
    whole = ph.simulate(system, start, until=6.0, **guide)
    assert len(whole.events["stop"]) > 2
    for chunks in random.Random(2).sample(range(1, 400), 3):
        path, later = tmp_path / f"{chunks}.nc", tmp_path / f"{chunks}-saved.nc"
        wish = {"until": 6.0, **guide}
        with pytest.warns(IntegrationWarning, match="interrupted"):
            ph.simulate(system, start, **wish, to=path, watch=interrupting(chunks))
        with pytest.warns(IntegrationWarning, match="interrupted"):
            held = ph.simulate(system, start, **wish, watch=interrupting(chunks))
        held.save(later)
        for place in (path, later):
            with pytest.raises(FileError, match="holds a run with other events"):
                ph.resume(place, system, inputs=guide["inputs"])
            found = ph.resume(place, system, **guide)
            assert same(found, whole)
            loaded = ph.load_motion(place).of(system, inputs=guide["inputs"])
            for one in (found, loaded):
                assert np.array_equal(one.events.t, whole.events.t)
                assert np.array_equal(one.inputs.t, whole.inputs.t)
                assert np.array_equal(one.inputs.values, whole.inputs.values)
                assert [e.name for e in one.events] == [e.name for e in whole.events]
    with pytest.raises(FileError, match="had other inputs"):
        ph.load_motion(path).of(system)


def test_a_run_whose_inputs_are_sampled_in_the_loop_halts_between_chunks(tmp_path):
    """Chunks are of their usual length, and the loop feeds: a watch is still told."""
    system, guide = bouncing()
    wish, path = {"until": 12.0, **guide}, tmp_path / "a.nc"
    shares: list[float] = []
    whole = ph.simulate(
        system, thrown(system), **wish, watch=lambda now: shares.append(now.share)
    )
    assert 1 < len(shares) < len(whole) / 50
    assert shares == sorted(shares)
    with pytest.warns(IntegrationWarning, match="interrupted"):
        halted = ph.simulate(
            system, thrown(system), **wish, to=path, watch=interrupting(1)
        )
    assert halted.t[-1] == pytest.approx(12.0 * shares[0])
    assert same(ph.resume(path, system, **guide), whole)


def test_another_law_of_an_input_is_refused(tmp_path):
    """By the forces where the run halted; a run without its inputs is told of them."""
    system, path = pulled(0.0), tmp_path / "a.nc"
    start = system.state(angle=0.3)
    law = {"push": lambda t, state: jnp.cos(3.0 * state["angle"])}
    with pytest.warns(IntegrationWarning, match="interrupted"):
        ph.simulate(
            system, start, until=9.0, inputs=law, to=path, watch=interrupting(1)
        )
    other = {"push": lambda t, state: jnp.sin(3.0 * state["angle"])}
    with pytest.raises(FileError, match="forces do not"):
        ph.resume(path, system, inputs=other)
    with pytest.raises(FileError, match="holds a run with other inputs"):
        ph.resume(path, system)
    whole = ph.simulate(system, start, until=9.0, inputs=law)
    assert same(ph.resume(path, system, inputs=law), whole)


def test_a_run_halted_at_an_event_goes_on_in_a_fresh_process(tmp_path, monkeypatch):
    """Saved at the very time of a reset, resumed elsewhere: byte for byte the whole."""
    # Chunks of one attempt: the loop passes events by itself, and halts at none.
    monkeypatch.setattr(tracker, "ATTEMPTS", 1)
    system, guide = bouncing()
    whole = ph.simulate(system, thrown(system), until=2.5, **guide)
    at = float(whole.events["stop"].t[0])
    path = tmp_path / "halted.nc"
    with pytest.warns(IntegrationWarning, match="interrupted"):
        halted = ph.simulate(
            system, thrown(system), until=2.5, **guide, to=path, watch=met(at / 2.5)
        )
    assert halted.t[-1] == at == halted.t[-2]  # before the reset, and after it
    own = {**os.environ, "PYTHONPATH": PLACES, "PYTHONHASHSEED": "3"}
    words = [sys.executable, str(SUPPORT / "filed.py"), str(path)]
    found = subprocess.run(words, env=own, capture_output=True, check=True, text=True)
    assert found.stdout.split() == digests(whole)


def kills(tmp_path, count: int, until: float, samples: int) -> None:
    """Kill a run so many times, each time going on; at the end nothing is missing."""
    path, told = tmp_path / "motion.nc", tmp_path / "rows"
    chance, done = random.Random(7), 0
    environment = {**os.environ, "PYTHONPATH": PLACES}
    words = [str(path), str(told), str(until), str(samples)]
    for k in range(count + 1):
        told.unlink(missing_ok=True)
        verb = "resume" if path.exists() else "begin"
        command = [sys.executable, str(SUPPORT / "killed_run.py"), verb, *words]
        if k == count:
            assert subprocess.run(command, env=environment).returncode == 0
            break
        delay = str(chance.random() * 0.1)
        died = subprocess.run([*command, delay], env=environment).returncode
        assert died == -signal.SIGKILL
        acknowledged = int(told.read_bytes())
        recording = ph.load_motion(path)
        assert len(recording.t) >= max(acknowledged, done)
        done = len(recording.t)
    whole = ph.simulate(
        double_pendulum(), start(), until=until, samples=samples or None
    )
    assert done < len(whole)
    assert same(ph.load_motion(path).of(double_pendulum()), whole)


def test_a_killed_run_loses_no_complete_part(tmp_path):
    """kill -9 twice, each time in a fresh process: the bits of the run in one piece."""
    kills(tmp_path, 2, 1200.0, 0)


@pytest.mark.long
@pytest.mark.parametrize("samples", [0, 5000])
def test_a_run_killed_twenty_times_loses_no_complete_part(tmp_path, samples):
    """kill -9 at twenty random moments of one run."""
    kills(tmp_path, 20, 6000.0, samples)


HASHED = """
import hashlib
import polhode as ph
from moving import double_pendulum
system = double_pendulum()
start = system.state(shoulder=1.0, elbow=0.5)
rows = ph.simulate(system, start, until=5.0).steps
print(hashlib.sha256(b"".join(part.tobytes() for part in rows)).hexdigest())
"""


@pytest.mark.long
def test_fresh_processes_make_the_same_bits(tmp_path):
    """Other seeds of hashes, code from the cache or not: byte for byte one motion."""
    found, folder = set(), tmp_path / "cache"
    folder.mkdir(mode=0o700)
    for seed in ("1", "2"):
        own = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": PLACES}
        own["POLHODE_CACHE"] = str(folder)
        made = subprocess.run(
            [sys.executable, "-c", HASHED], env=own, capture_output=True, check=True
        )
        found.add(made.stdout)
    assert len(found) == 1


def test_what_ended_a_run_is_said_again_when_it_is_gone_on_with(tmp_path):
    """A terminal event, and a controller that raised, stay what they were."""
    system, path = double_pendulum(), tmp_path / "a.nc"
    low = ph.Event("low", lambda t, state: state["shoulder"], terminal=True)
    ended = ph.simulate(system, start(), until=UNTIL, to=path, events=low)
    assert ended.outcome.code == "EVENT"
    again = ph.resume(path, system, events=low)
    assert again.outcome == ended.outcome
    assert ph.load_motion(path).outcome == ended.outcome
    assert same(again, ended)
