"""Flipped bits and zeroed sectors, field by field, in files of motions and sweeps.

Every file is either refused in our own words, or gives the numbers that it had; so does
the run that goes on with it. Nothing hangs, and nothing takes memory without bound.
"""

from __future__ import annotations

import atexit
import hashlib
import random
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import h5py
import numpy as np

import polhode as ph
from attacks.attack import Attack
from attacks.worker import Worker
from polhode.integrate import sweep as sweeping
from polhode.integrate.storage import journal, recorder, transaction
from polhode.integrate.storage.lock import journal_of

SECTOR = 512
Range = tuple[int, int]


# ------------------------------------------------------- runs and how they are read


def _system() -> ph.System:
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
    hinge = ph.Revolute("hinge", ph.World().origin, rod.origin, axis=ph.Y)
    push = ph.Motor(hinge, 0.0, name="push")
    weight = ph.Weight(9.81)
    return ph.System([hinge], [weight, push], name="rod")


def _wish(sampled: bool) -> dict[str, Any]:
    events = [ph.Event("middle", lambda t, state: state["hinge"])]
    inputs = {"push": ph.Sampled(lambda t, state: -0.1 * state["hinge"], 0.1)}
    times = {"samples": 60} if sampled else {}
    method = ph.methods.DormandPrince(1e-8, 1e-8)
    guide = {"events": events, "inputs": inputs}
    return {"until": 6.0, "method": method, **times, **guide}


def _digest(motion: Any) -> str:
    found = hashlib.sha256(repr(motion.outcome.code).encode())
    happened = (motion.events.t, motion.inputs.t, motion.inputs.values)
    for part in (*motion.steps, *happened):
        found.update(np.ascontiguousarray(part).tobytes())
    return found.hexdigest()


def load(path: str, sampled: bool) -> str:
    """The numbers of a file as they are read back."""
    found = ph.load_motion(path)
    inputs = _wish(sampled)["inputs"]
    return _digest(found.of(_system(), inputs))


def resume(path: str, sampled: bool) -> str:
    """The numbers of the run that goes on with a file."""
    wish = _wish(sampled)
    own = {name: wish[name] for name in ("events", "inputs")}
    return _digest(ph.resume(path, _system(), **own))


def whole(sampled: bool) -> str:
    """The numbers of the same run in one piece."""
    system = _system()
    return _digest(ph.simulate(system, _first(system), **_wish(sampled)))


def _first(system: ph.System) -> ph.State:
    return system.state(hinge=1.0)


def sweep(folder: str) -> str:
    """The numbers of a sweep in a folder, whose parts are there or made again."""
    system = _system()
    angles = np.linspace(0.1, 1.0, 20)[:, None]
    states = ph.States(system, 0.0, angles, 0 * angles)
    usual, sweeping.SLAB = sweeping.SLAB, 8
    try:
        found = ph.sweep(system, states, until=0.5, samples=3, to=folder).whole()
    finally:
        sweeping.SLAB = usual
    columns = (found.t, found.q, found.z, found.status, found.accepted)
    return hashlib.sha256(b"".join(c.tobytes() for c in columns)).hexdigest()


def warm() -> None:
    """Compile all that tries use."""
    for sampled in (False, True):
        whole(sampled)
    with tempfile.TemporaryDirectory() as folder:
        sweep(f"{folder}/a")


# ------------------------------------------------------------------------ the files


@cache
def _folder() -> Path:
    found = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, found, ignore_errors=True)
    return found


@cache
def _interrupted(sampled: bool) -> Path:
    """The file of a run that was interrupted half way, in several parts."""
    path = _folder() / f"interrupted{sampled}.nc"
    system, looks = _system(), [0]

    def watch(progress: Any) -> None:
        looks[0] += 1
        if progress.share > 0.5:
            raise KeyboardInterrupt

    usual, recorder.SECONDS = recorder.SECONDS, 0.0
    try:
        ph.simulate(system, _first(system), **_wish(sampled), to=path, watch=watch)
    finally:
        recorder.SECONDS = usual
    return path


@cache
def _fields(path: Path) -> dict[str, list[Range]]:
    """Where the bytes of each dataset lie; `structure` is all that is in none."""
    found: dict[str, list[Range]] = {}
    with h5py.File(path, "r") as file:
        for name, entry in file.items():
            ranges = []
            if entry.chunks is None and entry.id.get_offset() is not None:
                ranges = [(entry.id.get_offset(), entry.id.get_storage_size())]
            elif entry.chunks is not None:
                row = entry.dtype.itemsize * int(np.prod(entry.chunks[1:], dtype=int))
                for k in range(entry.id.get_num_chunks()):
                    info = entry.id.get_chunk_info(k)
                    rows = min(entry.chunks[0], len(entry) - info.chunk_offset[0])
                    ranges.append((info.byte_offset, rows * row))
            if ranges and name not in ("entry", "unit"):
                found[name] = ranges
    inside = np.zeros(path.stat().st_size, bool)
    for ranges in found.values():
        for first, size in ranges:
            inside[first : first + size] = True
    edges = np.flatnonzero(np.diff(np.concatenate([[True], inside, [True]])))
    pairs = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    found["structure"] = [(a, b - a) for a, b in pairs]
    return found


def _named(sampled: bool, field: str) -> list[str]:
    """The datasets of a file whose names begin so."""
    return [n for n in _fields(_interrupted(sampled)) if n.startswith(field)]


def _place(chance: random.Random, ranges: list[Range]) -> int:
    """A byte in one of some ranges, each byte as likely as another."""
    first, size = chance.choices(ranges, [size for _, size in ranges])[0]
    return first + chance.randrange(size)


def _harmed(content: bytes, place: int, chance: random.Random, zero: bool) -> bytes:
    found = bytearray(content)
    if zero:
        first = place - place % SECTOR
        found[first : first + SECTOR] = bytes(len(found[first : first + SECTOR]))
    else:
        found[place] ^= 1 << chance.randrange(8)
    return bytes(found)


@cache
def _worker() -> Worker:
    return Worker("attacks.flips")


@cache
def _known(name: str, *facts: Any) -> str:
    how, words = _worker().call(name, *facts)
    assert how == "ok", words
    return words


def _judged(what: str, said: tuple[str, str], known: str) -> str | None:
    how, words = said
    if how == "refused" or (how == "ok" and words == known):
        return None
    return f"{what}: {'other numbers' if how == 'ok' else f'{how} {words[:300]}'}"


# ----------------------------------------------------------------------------- tries


def _motion(field: str, zero: bool) -> Callable[[int], str | None]:
    def trial(seed: int) -> str | None:
        chance = random.Random(seed)
        # Of both kinds by turns, where both have the field: sample times are in one.
        kinds = [kind for kind in (False, True) if _named(kind, field)]
        if not kinds:
            return f"no file has a field {field!r}: nothing is tried"
        sampled = kinds[seed % len(kinds)]
        base = _interrupted(sampled)
        fields = _fields(base)
        name = chance.choice(_named(sampled, field))
        place = _place(chance, fields[name])
        content = _harmed(base.read_bytes(), place, chance, zero)
        path = _folder() / f"{field}.nc"
        path.write_bytes(content)
        what = f"{name}, byte {place}, {'zeroed' if zero else 'flipped'}"
        told = _judged(
            f"load, {what}",
            _worker().call("load", str(path), sampled),
            _known("load", str(base), sampled),
        ) or _judged(
            f"resume, {what}",
            _worker().call("resume", str(path), sampled),
            _known("whole", sampled),
        )
        _removed(path)
        return told

    return trial


def _removed(path: Path) -> None:
    path.unlink(missing_ok=True)
    journal_of(path).unlink(missing_ok=True)


class _Cut(BaseException):
    """The program was killed."""


@cache
def _half_committed() -> tuple[bytes, bytes]:
    """A file and its journal, cut in the middle of a commit."""
    path, writes = _folder() / "cut.nc", [0]
    path.write_bytes(_interrupted(False).read_bytes())
    apply = transaction.apply

    def half(record: journal.Record, file: int) -> None:
        writes[0] += 1
        if writes[0] == 2:
            changes = record.changes[: len(record.changes) // 2]
            apply(record._replace(changes=changes), file)
            found.append((path.read_bytes(), journal_of(path).read_bytes()))
        apply(record, file)

    found: list[tuple[bytes, bytes]] = []
    transaction.apply = half
    usual, recorder.SECONDS = recorder.SECONDS, 0.0
    try:
        resume(str(path), False)
    finally:
        transaction.apply, recorder.SECONDS = apply, usual
    return found[0]


def _journal(seed: int) -> str | None:
    chance = random.Random(seed)
    file, beside = _half_committed()
    path = _folder() / "journal.nc"
    kind = chance.choice(("flip", "zero", "cut", "stale"))
    known = _known("whole", False)
    if kind == "stale":  # the journal of one file beside another
        file = _interrupted(False).read_bytes()
    elif kind == "cut":
        beside = beside[: chance.randrange(len(beside))]
    else:
        place = chance.randrange(len(beside))
        beside = _harmed(beside, place, chance, kind == "zero")
    path.write_bytes(file)
    journal_of(path).write_bytes(beside)
    said = _worker().call("load", str(path), False)
    if said[0] not in ("ok", "refused"):
        return f"load, journal {kind}: {said}"
    told = _judged(
        f"resume, journal {kind}", _worker().call("resume", str(path), False), known
    )
    _removed(path)
    return told


@cache
def _swept() -> Path:
    folder = _folder() / "swept"
    _known("sweep", str(folder))
    return folder


def _sweep(seed: int) -> str | None:
    chance, base, folder = random.Random(seed), _swept(), _folder() / "sweep"
    known = _known("sweep", str(base))
    shutil.copytree(base, folder)
    parts = sorted(folder.glob("part-*"))
    kind = chance.choice(
        ("flip", "zero", "exchange", "stray", "missing", "note", "cut")
    )
    victim, other = chance.sample(parts, 2)
    content = victim.read_bytes()
    if kind in ("flip", "zero"):
        place = chance.randrange(len(content))
        victim.write_bytes(_harmed(content, place, chance, kind == "zero"))
    elif kind == "exchange":
        victim.write_bytes(other.read_bytes())
        other.write_bytes(content)
    elif kind == "stray":
        name = f"part-{chance.choice(['00000005', '00000099', 'x', ''])}.nc"
        (folder / name).write_bytes(content)
    elif kind == "missing":
        victim.unlink()
    elif kind == "cut":
        victim.write_bytes(content[: chance.randrange(len(content))])
    else:
        note = folder / "sweep.json"
        place = chance.randrange(note.stat().st_size)
        note.write_bytes(_harmed(note.read_bytes(), place, chance, bool(seed % 2)))
    said = _worker().call("sweep", str(folder))
    shutil.rmtree(folder)
    return _judged(f"{kind}, {victim.name}", said, known)


FIELDS = ("header", "plan", "ending", "sample", "cursor", "part", "time", "x", "slope",
          "bend", "event", "fed", "structure")  # fmt: skip
ATTACKS = (
    *(Attack(f"flips-{name}", 60, _motion(name, False)) for name in FIELDS),
    *(Attack(f"zeros-{name}", 20, _motion(name, True)) for name in FIELDS),
    Attack("flips-journal", 60, _journal),
    Attack("flips-sweep", 80, _sweep),
)
