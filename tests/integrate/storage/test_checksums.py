"""All that a file or a folder gives back is what was put there, in its place."""

from __future__ import annotations

import shutil

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from filed import bouncing, interrupting, same, thrown
from moving import double_pendulum
from polhode.errors import FileError, IntegrationError, IntegrationWarning
from polhode.integrate import sweep
from polhode.integrate.events import tracker
from polhode.integrate.kernel.packing import Columns
from polhode.integrate.storage import recorder
from polhode.integrate.storage.layout import Chain, columns_digest

# A field, and what the refusal says of it.
FIELDS = {
    "plan_numbers": "'plan' does not have its hash",
    "plan_counts": "'plan' does not have its hash",
    "sample_times": "'sample_times' does not have its hash",
    "cursor_numbers": "does not have its checksum",
    "cursor_counts": "does not have its checksum",
    "part_checksum": "does not have its checksum",
    "time": "does not have its checksum",
    "x": "does not have its checksum",
    "event_numbers": "does not have its checksum",
    "event_counts": "does not have its checksum",
    "fed_numbers": "does not have its checksum",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """An interrupted run in many parts, sampled or not, with events and inputs."""
    usual, recorder.SECONDS = recorder.SECONDS, 0.0
    # Chunks of one attempt: the loop feeds samples by itself, and halts at none.
    attempts, tracker.ATTEMPTS = tracker.ATTEMPTS, 1
    found = {}
    system, guide = bouncing()
    try:
        for samples in (None, 30):
            path = tmp_path_factory.mktemp("runs") / "a.nc"
            with pytest.warns(IntegrationWarning, match="interrupted"):
                ph.simulate(
                    system, thrown(system), until=2.5, samples=samples, **guide,
                    to=path, watch=interrupting(120),
                )  # fmt: skip
            found[samples] = path
    finally:
        recorder.SECONDS, tracker.ATTEMPTS = usual, attempts
    return found


def changed(path, to, change):
    """A copy whose HDF5 structures are sound and whose numbers are changed."""
    shutil.copy(path, to)
    with h5py.File(to, "r+", libver="v110") as file:
        change(file)
    return to


@pytest.mark.parametrize("samples", [None, 30])
@pytest.mark.parametrize("name", FIELDS)
def test_a_flipped_bit_of_a_field_is_refused_by_its_name(
    files, tmp_path, name, samples
):
    """Of plan, sample times, cursor, rows, events: by `load` and by `resume`."""
    if name == "sample_times" and samples is None:
        pytest.skip("every step is kept")
    system, guide = bouncing()

    def flip(file):
        entry = file[name]
        content = entry[...]
        # Of what a resume reads: the last entry, and of events the first, too.
        at = 0 if name.startswith(("event", "fed")) else -1
        content.view(np.uint8).reshape(-1)[at] ^= 4
        entry[...] = content

    path = changed(files[samples], tmp_path / "a.nc", flip)
    for go in (ph.load_motion, lambda path: ph.resume(path, system, **guide)):
        with pytest.raises(FileError, match=rf"a\.nc' is damaged(.|\n)*{FIELDS[name]}"):
            go(path)


def test_an_ending_is_refused_where_it_changed(files, tmp_path):
    """Its sentence is said again by a run that goes on."""

    def other(file):
        text = file["ending"][:].tobytes().replace(b"interrupted", b"interruptex")
        file["ending"][...] = np.frombuffer(text, "S1")

    path = changed(files[None], tmp_path / "a.nc", other)
    with pytest.raises(FileError, match="'ending', how its run ended, does not have"):
        ph.load_motion(path)


def test_an_ending_is_of_the_rows_that_it_ended(files, tmp_path, monkeypatch):
    """Of a run that went on and was killed, the older ending is none."""
    path, (system, guide) = tmp_path / "a.nc", bouncing()
    shutil.copy(files[None], path)
    assert ph.load_motion(path).outcome.code == "INTERRUPTED"
    monkeypatch.setattr(recorder.Recorder, "seal", lambda *_: None)
    ph.resume(path, system, **guide)
    assert "was killed, or still runs" in str(ph.load_motion(path).outcome)


def test_exchanged_rows_are_refused(files, tmp_path):
    """Also those whose sum is the same."""

    def exchange(file):
        rows = file["x"][...]
        assert not np.array_equal(rows[3], rows[8])
        rows[[3, 8]] = rows[[8, 3]]
        file["x"][...] = rows

    with pytest.raises(FileError, match="does not have its checksum"):
        ph.load_motion(changed(files[None], tmp_path / "a.nc", exchange))


def test_rows_of_another_run_are_refused(tmp_path):
    """The same model and method, started elsewhere, all columns taken over."""
    paths = [tmp_path / "a.nc", tmp_path / "b.nc"]
    for path, angle in zip(paths, (1.0, 1.1), strict=True):
        state = double_pendulum().state(shoulder=angle, elbow=0.5)
        method = ph.methods.RungeKutta4(0.01)
        ph.simulate(double_pendulum(), state, until=1.0, method=method, to=path)
    with h5py.File(paths[0]) as one, h5py.File(paths[1], "r+", libver="v110") as other:
        for name in other:
            if name in one and name not in ("header", "entry", "unit"):
                entry, there = one[name], other[name]
                if there.shape == entry.shape and entry.dtype.kind in "fi":
                    there[...] = entry[...]
    with pytest.raises(FileError, match="does not have its"):
        ph.load_motion(paths[1])


numbers = st.integers(0, 2**31)


@given(numbers, numbers, numbers, numbers, st.integers(0, 3))
def test_a_checksum_is_of_its_place(number, rows, checksum, diary, which):
    """The same columns after another part, at another row, in another run: another."""
    cursor = Columns(np.arange(3.0), np.arange(2))
    values = {"time": np.arange(4.0), "x": np.arange(8.0).reshape(4, 2)}
    chain = Chain("a", number, rows, checksum, diary)
    word = ("number", "rows", "checksum", "log")[which]
    for other in (
        chain._replace(**{word: getattr(chain, word) + 1}),
        chain._replace(identity="b"),
    ):
        one, two = (c.link(values, cursor, None) for c in (chain, other))
        assert one.checksum != two.checksum
    turned = {**values, "x": values["x"].reshape(2, 4).T}
    assert chain.link(turned, cursor, None).checksum != one.checksum


@given(st.permutations(range(5)))
def test_a_digest_is_of_the_order(order):
    """Of rows, of names, and of facts."""
    column = np.arange(5.0)
    same_order = list(order) == [0, 1, 2, 3, 4]
    turned = columns_digest({"a": column[list(order)]}, "x")
    assert (turned == columns_digest({"a": column}, "x")) is same_order
    assert columns_digest({"b": column}, "x") != columns_digest({"a": column}, "x")
    assert columns_digest({"a": column}, "y") != columns_digest({"a": column}, "x")
    flat = columns_digest({"a": column[None]}, "x")
    assert flat != columns_digest({"a": column}, "x")


@pytest.fixture
def swept(tmp_path, monkeypatch):
    """A sweep of three parts, and the call that makes it."""
    monkeypatch.setattr(sweep, "SLAB", 8)
    system = double_pendulum()
    q = np.linspace(0.1, 1.0, 42).reshape(21, 2)
    states = ph.States(system, 0.0, q, 0 * q)

    def call(folder=tmp_path / "a", until=0.2):
        return ph.sweep(system, states, until=until, to=folder)

    return call, call()


def test_parts_of_a_sweep_have_their_place(swept):
    """Two that are exchanged are refused, each by its name."""
    _, parts = swept
    one, two = (parts.folder / f"part-{k:08d}.nc" for k in (0, 8))
    content = one.read_bytes()
    one.write_bytes(two.read_bytes())
    two.write_bytes(content)
    with pytest.raises(FileError, match=r"part-00000000\.nc' is damaged(.|\n)*hash"):
        parts.whole()
    with pytest.raises(FileError, match=r"part-00000008\.nc' is damaged"):
        parts.outcome(9)


def test_a_part_of_another_sweep_is_refused(swept, tmp_path):
    """The same states for another time."""
    call, parts = swept
    other = call(tmp_path / "b", 0.3)
    shutil.copy(other.folder / "part-00000008.nc", parts.folder)
    with pytest.raises(FileError, match="hash of this part of this sweep"):
        call()


def test_missing_and_stray_parts_are_told(swept):
    """By name, with what to do; numbers of runs are never shifted."""
    call, parts = swept
    whole = parts.whole()
    for name in ("part-00000005.nc", "part-x.nc", "part-00000099.nc"):
        shutil.copy(parts.folder / "part-00000000.nc", parts.folder / name)
        with pytest.raises(FileError, match=rf"{name}' is no part of the sweep"):
            parts.whole()
        (parts.folder / name).unlink()
    (parts.folder / "part-00000008.nc").unlink()
    with pytest.raises(FileError, match=r"part-00000008\.nc' is missing"):
        parts.whole()
    with pytest.raises(FileError, match=r"part-00000008\.nc' is missing"):
        parts.outcome(9)
    with pytest.raises(IntegrationError, match="21 runs"):
        parts.outcome(21)
    assert np.array_equal(call().whole().q, whole.q)
    shutil.rmtree(parts.folder)
    with pytest.raises(FileError, match="has no part of its sweep yet"):
        parts.whole()


def test_a_run_to_a_file_is_whole_again(files, tmp_path):
    """The files that are changed above are good ones."""
    system, guide = bouncing()
    whole = ph.simulate(system, thrown(system), until=2.5, **guide)
    path = tmp_path / "a.nc"
    shutil.copy(files[None], path)
    assert len(h5py.File(path)["part_rows"]) > 5
    assert same(ph.resume(path, system, **guide), whole)
