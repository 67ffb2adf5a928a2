"""Ctrl-C: whatever it comes between, rows and cursor agree, and a run goes on."""

import gc
import os
import subprocess
import sys
import time
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from filed import bouncing, digests, thrown
from injected import interrupted
from moving import double_pendulum, point_pendulum
from polhode.errors import IntegrationWarning
from polhode.integrate import sweep
from polhode.integrate.events import batch_tracker, tracker
from polhode.integrate.host import (
    batch_kernel,
    batch_loop,
    loop,
    row_buffer,
    single_run,
)
from polhode.integrate.results import sweep_result
from polhode.integrate.storage import (
    appender,
    recorder,
    save,
    session,
    transaction,
    uninterrupted,
    write_queue,
)

SUPPORT = Path(__file__).parents[1] / "support"
LOOP = (loop, row_buffer, tracker)
FILE = (recorder, write_queue, uninterrupted, session, save, appender, transaction)
# Named here, so that nothing is simulated when tests are collected.
KINDS = ("steps", "samples", "events and inputs")
TRIES = 8  # lines at which Ctrl-C is pressed, spread over all that run


@cache
def runs():
    """Of each kind: a state, what it is run with, and the whole motion."""
    start = double_pendulum().state(shoulder=1.0, elbow=0.5)
    fixed = {"until": 12.0, "method": ph.methods.RungeKutta4(0.005)}
    system, guide = bouncing()
    driven = {"until": 0.1, **guide}
    kinds = {
        "steps": (start, fixed),
        "samples": (start, {**fixed, "samples": 30}),
        "events and inputs": (thrown(system), driven),
    }
    return {
        name: (state, wish, ph.simulate(state.system, state, **wish))
        for name, (state, wish) in kinds.items()
    }


def gone_on(kind, path):
    """The motion in a file when the run in it has been gone on with to its end."""
    gc.collect()
    state, wish, _ = runs()[kind]
    guide = {word: wish[word] for word in ("events", "inputs") if word in wish}
    ph.resume(path, state.system, **guide)
    guide.pop("events", None)
    return ph.load_motion(path).of(state.system, **guide)


def require_same(found, kind, place):
    """Byte for byte the motion without Ctrl-C."""
    whole = runs()[kind][2]
    rising = (
        np.diff(found.t) >= 0 if kind.startswith("events") else np.diff(found.t) > 0
    )
    assert np.all(rising), place
    assert len(found) == len(whole), place
    assert digests(found) == digests(whole), place


def lines_of(modules, job):
    """How many lines run, undisturbed."""
    return interrupted(modules, 0, job)[1].lines


def spread(total, tries=TRIES):
    """Some of so many lines, others whenever the code changes."""
    rng = np.random.default_rng(total)
    return np.unique(rng.integers(1, total + 1, tries)).tolist()


def quietly(job):
    """A job whose warning of the interrupt is no news."""

    def quiet():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IntegrationWarning)
            return job()

    return quiet


@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupted_run_is_saved_and_goes_on_bit_for_bit(kind, tmp_path):
    """In memory: no row twice, none lost, time never back, wherever Ctrl-C comes."""
    state, wish, _ = runs()[kind]
    job = quietly(lambda: ph.simulate(state.system, state, **wish))
    cut = 0
    for at in spread(lines_of(LOOP, job)):
        found, injection = interrupted(LOOP, at, job)
        if found is None:
            continue
        if not found.outcome.is_complete:
            assert found.outcome.code == "INTERRUPTED"
            cut += 1
            path = tmp_path / f"{at}.nc"
            found.save(path)
            found = gone_on(kind, path)
        require_same(found, kind, injection.place)
    assert cut > 1


@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupted_run_to_a_file_goes_on_bit_for_bit(kind, tmp_path, monkeypatch):
    """To a file, part after part: what is in it is the run up to some step."""
    monkeypatch.setattr(recorder, "SECONDS", 0.0)
    state, wish, _ = runs()[kind]
    modules, cut = (*LOOP, *FILE), 0

    def job(path):
        return quietly(lambda: ph.simulate(state.system, state, **wish, to=path))

    total = lines_of(modules, job(tmp_path / "whole.nc"))
    for at in spread(total):
        path = tmp_path / f"{at}.nc"
        _, injection = interrupted(modules, at, job(path))
        if path.exists():
            cut += not ph.load_motion(path).outcome.is_complete
            require_same(gone_on(kind, path), kind, injection.place)
    assert cut > 1


def test_an_interrupted_save_leaves_the_older_file_or_the_newer(tmp_path):
    """Whole, and free for the next one, with nothing beside it."""
    state, _, whole = runs()["steps"]
    older, path = ph.simulate(state.system, state, until=1.0), tmp_path / "m.nc"
    older.save(path)
    for at in spread(lines_of(FILE, lambda: whole.save(path))):
        older.save(path)
        _, injection = interrupted(FILE, at, lambda: whole.save(path))
        gc.collect()
        found = digests(ph.load_motion(path).of(state.system))
        assert found in (digests(older), digests(whole)), injection.place
        assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("count", [1, 3])
def test_an_interrupted_sweep_is_sound_in_every_run(count):
    """A run that is done has its end, and any other its time, its steps and status."""
    start = double_pendulum().state(shoulder=1.0, elbow=0.5)
    factors = np.linspace(1.0, 0.8, count)[:, None]
    states = ph.States(start.system, 0.0, factors * start.q, factors * start.z)
    wish = {"until": 12.0, "method": ph.methods.RungeKutta4(0.005)}
    modules = (batch_loop, single_run, batch_kernel, batch_tracker, sweep, sweep_result)
    job = quietly(lambda: ph.sweep(start.system, states, **wish))
    whole, cut = job(), 0
    total = lines_of(modules, job)
    # A run alone has few lines, and fewer of them between its first step and its last.
    for at in spread(total, 30) if total > 1000 else range(1, total + 1):
        found, injection = interrupted(modules, at, job)
        if found is None:
            continue
        done = found.status == 1
        cut += not np.all(done)
        assert np.array_equal(found.t[:, -1] == 12.0, done), injection.place
        steps = np.round(found.t[:, -1] / 0.005)
        assert np.array_equal(found.accepted, steps), injection.place
        assert np.array_equal(found.final_q[done], whole.final_q[done])
    assert cut > 1


def test_the_events_of_an_interrupted_sweep_are_those_before_its_end():
    """None is told twice, none lies after the time that its run has reached."""
    system = point_pendulum()
    angles = np.linspace(0.5, 1.5, 4)[:, None]
    states = ph.States(system, 0.0, angles, 0 * angles)
    event = ph.Event("middle", lambda t, state: state["hinge"])
    modules = (batch_loop, batch_tracker)
    job = quietly(lambda: ph.sweep(system, states, until=8.0, events=event))
    whole = job()
    for at in spread(lines_of(modules, job), 30):
        found, injection = interrupted(modules, at, job)
        if found is None:
            continue
        for k in range(4):
            times = [each.t for each in whole.events.of(k)]
            before = [t for t in times if t <= found.t[k, -1]]
            assert [each.t for each in found.events.of(k)] == before, injection.place


def test_a_run_that_was_not_begun_goes_on_from_its_start(tmp_path):
    """Ctrl-C before the first leg of a controlled run: the leg is begun when it is
    gone on with."""
    state, wish, _ = runs()["events and inputs"]

    def press(self, cursor):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tracker.EventTracker, "begin", press)
        with pytest.warns(IntegrationWarning, match="interrupted"):
            found = ph.simulate(state.system, state, **wish)
    found.save(tmp_path / "m.nc")
    motion = gone_on("events and inputs", tmp_path / "m.nc")
    require_same(motion, "events and inputs", "before the first leg")


def pressed_run(*words):
    """The lines of a process in which Ctrl-C is pressed; it must end by itself."""
    command = [sys.executable, str(SUPPORT / "pressed_run.py"), *words]
    made = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert made.returncode == 0, made.stderr
    return made.stdout.splitlines()


def test_ctrl_c_at_random_instants_leaves_everything_sound():
    """No memory is changed, no thread left, all is usable, and calls end soon."""
    kinds = ("batch", "one_thread", "endless", "sweep", "ledger", "chunk", "append")
    lines = pressed_run(",".join(kinds), str(time.time_ns() % 10**6), "2")
    assert len(lines) == 2 * len(kinds)
    for line in lines:
        _, _, _, *fault = line.split()
        assert not fault, line


def test_an_exit_in_the_middle_of_a_call_is_an_exit():
    """Threads leave native code before memory goes: no crash.

    Nor is there a wait: the call itself would last for days.
    """
    assert len(pressed_run("exit", str(os.getpid()), "1")) == 1
