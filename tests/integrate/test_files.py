"""Motions in files: the same bits back, whatever interrupts, and nothing foreign."""

from __future__ import annotations

import json
import os
import pickle
import random
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest

import polhode as ph
from moving import double_pendulum, heavy_top
from polhode.errors import FileError, IntegrationWarning, StateError
from polhode.integrate.storage import recorder, transaction
from polhode.integrate.storage.header import digest

SUPPORT = Path(__file__).parent.parent / "support"
UNTIL = 40.0


def start() -> ph.State:
    """The double pendulum, raised."""
    return double_pendulum().state(shoulder=1.0, elbow=0.5)


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


def same(one, other) -> bool:
    """Byte for byte the same rows, dense output included."""
    pairs = zip(one.steps, other.steps, strict=True)
    return all(a.tobytes() == b.tobytes() for a, b in pairs)


def interrupting(after: int):
    """A watch that presses Ctrl-C after some chunks."""
    left = [after]

    def watch(progress):
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt

    return watch


def test_a_file_gives_the_motion_back(motion, saved):
    """Rows, names, units, method and outcome come back, and with the model all else."""
    recording = ph.load(saved)
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
    part = ph.load(saved, span=(3.0, 4.0))
    assert part.t[0] <= 3.0
    assert part.t[-1] >= 4.0
    for word in ("double pendulum", "0 to 40 s", "Dormand-Prince"):
        assert word in repr(recording)


def test_others_read_the_file(motion, saved):
    """The netCDF library and xarray find time, names, units and rows."""
    import netCDF4
    import xarray

    with netCDF4.Dataset(saved) as file:
        assert len(file.dimensions["time"]) == len(motion)
        assert file["time"].units == "s"
        assert list(file["entry"][:]) == ph.load(saved).names
        assert np.array_equal(np.asarray(file["x"][:]), motion.steps.x)
        header = json.loads(file["header"][...])
    assert header["polhode"] == ph.__version__
    assert header["method"]["settings"]["rtol"] == motion.method.rtol
    assert header["model"]["parameters"]["weight.gravity"] == pytest.approx(9.81)
    with xarray.open_dataset(saved) as found:
        elbow = found["x"].sel(entry="elbow")
        assert np.array_equal(elbow, motion.q[:, 1])
    table = ph.load(saved).to_xarray()
    assert np.array_equal(table["x"].sel(entry="speed of elbow"), motion.z[:, 1])


def test_a_run_to_a_file_is_the_run_in_memory(motion, tmp_path, monkeypatch):
    """Streaming changes no bit, of steps and of samples, and leaves nothing behind."""
    monkeypatch.setattr(recorder, "SECONDS", 0.0)
    streamed = ph.simulate(
        double_pendulum(), start(), until=UNTIL, to=tmp_path / "a.nc"
    )
    assert same(streamed, motion)
    assert same(ph.load(tmp_path / "a.nc").of(double_pendulum()), motion)
    top = heavy_top()
    spinning = top.state(speeds={"ball": (0.3, 0.5, 5.0)})
    wish = {"until": 8.0, "samples": 301}
    memory = ph.simulate(top, spinning, **wish)
    stored = ph.simulate(top, spinning, **wish, to=tmp_path / "b.nc")
    assert same(stored, memory)
    assert same(ph.load(tmp_path / "b.nc").of(top), memory)
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
    assert same(ph.load(path).of(double_pendulum()), motion)


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
            assert same(ph.load(place).of(system), whole)
    assert same(ph.resume(path, system), whole)


def kills(tmp_path, count: int, until: float, samples: int) -> None:
    """Kill a run so many times, each time going on; at the end nothing is missing."""
    path, told = tmp_path / "motion.nc", tmp_path / "rows"
    chance, done = random.Random(7), 0
    environment = {**os.environ, "PYTHONPATH": str(SUPPORT)}
    words = [str(path), str(told), str(until), str(samples)]
    for k in range(count + 1):
        told.unlink(missing_ok=True)
        verb = "resume" if path.exists() else "begin"
        command = [sys.executable, str(SUPPORT / "killed_run.py"), verb, *words]
        process = subprocess.Popen(command, env=environment)
        if k == count:
            assert process.wait() == 0
            break
        while process.poll() is None and not (told.exists() and told.read_bytes()):
            time.sleep(0.002)
        assert process.poll() is None
        time.sleep(chance.random() * 0.1)
        process.kill()
        process.wait()
        acknowledged = int(told.read_bytes())
        recording = ph.load(path)
        assert len(recording.t) >= max(acknowledged, done)
        done = len(recording.t)
    whole = ph.simulate(
        double_pendulum(), start(), until=until, samples=samples or None
    )
    assert done < len(whole)
    assert same(ph.load(path).of(double_pendulum()), whole)


def test_a_killed_run_loses_no_complete_part(tmp_path):
    """kill -9 twice, each time in a fresh process: the bits of the run in one piece."""
    kills(tmp_path, 2, 1200.0, 0)


@pytest.mark.long
@pytest.mark.parametrize("samples", [0, 5000])
def test_a_run_killed_twenty_times_loses_no_complete_part(tmp_path, samples):
    """kill -9 at twenty random moments of one run."""
    kills(tmp_path, 20, 6000.0, samples)


def test_files_that_are_no_motions_are_refused(saved, tmp_path):
    """Empty, foreign, cut and flipped files are refused with their reason."""
    content = saved.read_bytes()
    pickled = pickle.dumps({"a": os.system})
    texts = {
        b"": "It is empty",
        b"hello, world": "not as netCDF-4 does",
        pickled: "not as netCDF-4 does",
        bytes(random.Random(1).randbytes(5000)): "not as netCDF-4 does",
    }
    for wrong, why in texts.items():
        path = tmp_path / "wrong.nc"
        path.write_bytes(wrong)
        with pytest.raises(FileError, match=why):
            ph.load(path)
    for share in (0.001, 0.1, 0.5, 0.9, 0.999):
        path.write_bytes(content[: int(share * len(content))])
        with pytest.raises(FileError, match="is damaged"):
            ph.load(path)
    with pytest.raises(FileError, match="No such file"):
        ph.load(tmp_path / "none.nc")
    with h5py.File(path, "w") as file:
        file["x"] = 1.0
    with pytest.raises(FileError, match="no header of ours"):
        ph.load(path)


def test_a_flipped_bit_is_never_believed(motion, saved, tmp_path):
    """A changed byte is refused, or it is one that means nothing."""
    content, chance = bytearray(saved.read_bytes()), random.Random(3)
    path, refused = tmp_path / "flipped.nc", 0
    for _ in range(60):
        place = chance.randrange(len(content))
        content[place] ^= 0x10
        path.write_bytes(content)
        content[place] ^= 0x10
        try:
            found = ph.load(path)
        except FileError:
            refused += 1
        else:
            assert same(found.of(double_pendulum()), motion)
    assert refused > 20


def altered(saved, path, change) -> None:
    """A copy of a file with another header, and its hash put right."""
    path.write_bytes(saved.read_bytes())
    with h5py.File(path, "r+") as file:
        header = json.loads(file["header"][()])
        change(header)
        text = json.dumps(header)
        file["header"][()] = text
        file.attrs["header_sha256"] = digest(text)


def test_newer_files_and_unknown_methods_are_refused(saved, tmp_path):
    """A later format names the version that wrote it; no name in a file is imported."""
    path = tmp_path / "a.nc"
    altered(saved, path, lambda h: h.update(format_version=2, polhode="9.1"))
    with pytest.raises(FileError, match=r"version 2 of the format.*\n\n.*Polhode 9\.1"):
        ph.load(path)
    for kind in ("os.system", "Trajectory", "Nonesuch", "simulate"):
        altered(saved, path, lambda h, kind=kind: h["method"].update(kind=kind))
        with pytest.raises(FileError, match=f"this version has no method {kind!r}"):
            ph.resume(path, double_pendulum())
    altered(saved, path, lambda h: h["cursor_layout"].pop())
    with pytest.raises(FileError, match="not one of this version's"):
        ph.resume(path, double_pendulum())


def pulled(strength: float, law=np.cos, name: str = "angle") -> ph.System:
    """A rod with a motor of one law or another."""
    import jax.numpy as jnp

    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
    hinge = ph.Revolute(name, ph.World().origin, rod.origin, axis=ph.Y)
    laws = {np.cos: jnp.cos, np.sin: jnp.sin}
    motor = ph.Motor(hinge, lambda t, q, z: strength * laws[law](q[0]))
    return ph.System([hinge], [motor], name="pulled")


def test_another_model_is_refused(tmp_path):
    """Other names, other values and other laws are told apart."""
    path, system = tmp_path / "a.nc", pulled(1.0)
    with pytest.warns(IntegrationWarning):
        run = ph.simulate(
            system, system.state(angle=0.3), until=1.0, method=ph.RungeKutta4(1e-4),
            watch=interrupting(3), to=path,
        )  # fmt: skip
    assert len(run) > 1000
    with pytest.raises(FileError, match="another model than 'double pendulum'"):
        ph.resume(path, double_pendulum())
    with pytest.raises(FileError, match=r"its joints differ.*\n\n.*'angle'"):
        ph.resume(path, pulled(1.0, name="turn"))
    with pytest.raises(FileError, match="names and values agree, forces do not"):
        ph.resume(path, pulled(1.0, law=np.sin))
    heavier = system.with_({"rod.mass": 2.0})
    with pytest.raises(FileError, match=r"parameters differ.*\n\n.*rod.mass = 1.0"):
        ph.load(path).of(heavier)
    with pytest.raises(FileError, match="made by another method"):
        ph.resume(path, system, method=ph.RungeKutta4(2e-4))
    again = ph.resume(path, pulled(1.0), method=ph.RungeKutta4(1e-4))
    assert again.outcome.is_complete


def test_places_that_cannot_take_a_run_are_refused(
    motion, saved, tmp_path, monkeypatch
):
    """No folder, a file that exists, a read-only folder, a full disk, many runs."""
    system = double_pendulum()

    def refused(to, why, state=None):
        with pytest.raises(FileError, match=why):
            ph.simulate(system, state or start(), until=1.0, to=to)

    refused(tmp_path / "none" / "a.nc", "There is no folder")
    refused(saved, "never writes over an older one")
    refused(tmp_path / "a.nc", "use ph.sweep", state=[start(), start()])
    with pytest.raises(FileError, match="There is no folder"):
        motion.save(tmp_path / "none" / "a.nc")
    with pytest.raises(FileError, match="cannot be saved"):
        motion[3:9].save(tmp_path / "a.nc")
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda *_: False)
        refused(tmp_path / "a.nc", "read-only for you")
    usage = type("Usage", (), {"free": 1e5})
    with monkeypatch.context() as patch:
        patch.setattr("shutil.disk_usage", lambda *_: usage)
        refused(tmp_path / "a.nc", "has 0.1 MB left")
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fills_stops_the_run_and_loses_nothing(
    motion, tmp_path, monkeypatch
):
    """All rows are in memory, the file is whole up to its last part, and can go on."""
    monkeypatch.setattr(recorder, "SECONDS", 0.0)
    path, left, real = tmp_path / "a.nc", [4e5], os.pwrite

    def filling(file, data, offset):
        left[0] -= len(data)
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        return real(file, data, offset)

    with monkeypatch.context() as patch:
        patch.setattr(transaction.os, "pwrite", filling)
        with pytest.warns(IntegrationWarning, match="could not be written further"):
            broken = ph.simulate(double_pendulum(), start(), until=UNTIL, to=path)
    assert broken.outcome.code == "IO"
    held = ph.load(path)
    assert 0 < len(held.t) < len(broken) < len(motion)
    assert np.array_equal(broken.t, motion.t[: len(broken)])
    assert np.array_equal(broken.steps.bend, motion.steps.bend[: len(broken)])
    assert same(ph.resume(path, double_pendulum()), motion)
