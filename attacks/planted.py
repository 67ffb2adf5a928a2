"""Entries planted in the cache of compiled code: none of them may be run.

A program is compiled and kept; then somebody tampers with the cache, and the program is
compiled again. It must give its own numbers, not from the cache, and the time after be
found there again. As root, a child process that has given up its rights is the other
user, and plants what that user could.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np

import polhode as ph
from attacks.attack import Attack
from polhode.errors import CacheWarning
from polhode.lowering.backends import cache

X = np.linspace(0.0, 1.0, 4)
STRANGER = 65534  # the number of a user who owns nothing here


@dataclass(frozen=True)
class Scene:
    """A cache with two programs of the user in it, and chance.

    entry, other   the files of the victim's program and of another
    """

    cache: Path
    state: Path
    entry: Path
    other: Path
    chance: random.Random


Fault = Callable[[Scene], None]


def victim() -> ph.lowering.compile.Program:
    return ph.compile(lambda x: x * x + 1.0, X)


def substitute() -> ph.lowering.compile.Program:
    return ph.compile(lambda x: x * x + 150.0, X)


# ------------------------------------------------------------------ by the user himself


def content_of_another_key(scene: Scene) -> None:
    shutil.copyfile(scene.other, scene.entry)


def flipped_bit(scene: Scene) -> None:
    content = bytearray(scene.entry.read_bytes())
    content[scene.chance.randrange(len(content))] ^= 1 << scene.chance.randrange(8)
    scene.entry.write_bytes(content)


def truncated(scene: Scene) -> None:
    os.truncate(scene.entry, scene.chance.randrange(scene.entry.stat().st_size))


def lengthened(scene: Scene) -> None:
    with scene.entry.open("ab") as file:
        file.write(scene.chance.randbytes(scene.chance.randrange(1, 99)))


def spliced(scene: Scene) -> None:
    """The head of one entry and the tail of another."""
    one, two = scene.entry.read_bytes(), scene.other.read_bytes()
    cut = scene.chance.randrange(1, min(len(one), len(two)) - 1)
    scene.entry.write_bytes(one[:cut] + two[cut:])


def symbolic_link(scene: Scene) -> None:
    scene.entry.unlink()
    scene.entry.symlink_to(scene.other)


def link_to_itself_elsewhere(scene: Scene) -> None:
    """Right content, in a place that others may change."""
    elsewhere = scene.cache.parent / "elsewhere"
    scene.entry.rename(elsewhere)
    scene.entry.symlink_to(elsewhere)


def hard_link(scene: Scene) -> None:
    os.link(scene.entry, scene.cache.parent / "second-name")


def fifo(scene: Scene) -> None:
    scene.entry.unlink()
    os.mkfifo(scene.entry)


def wrong_mode(scene: Scene) -> None:
    scene.entry.chmod(scene.chance.choice([0o620, 0o602, 0o666, 0o660, 0o622]))


def forged_under_a_known_secret(scene: Scene) -> None:
    facts, code = cache._unpack(*_read(scene, scene.other))
    scene.entry.write_bytes(cache._pack(bytes(32), "key", facts, code))


def entry_of_an_older_version(scene: Scene) -> None:
    body = scene.other.read_bytes()
    scene.entry.write_bytes(b"polhode-code-1\n" + bytes(32) + body)


def secret_exchanged_for_a_link(scene: Scene) -> None:
    known = scene.cache.parent / "known"
    known.write_bytes(bytes(32))
    known.chmod(0o600)
    secret = scene.state / cache.SECRET
    secret.unlink()
    secret.symlink_to(known)


def secret_readable(scene: Scene) -> None:
    (scene.state / cache.SECRET).chmod(scene.chance.choice([0o644, 0o640, 0o604]))


# ---------------------------------------------------------------------- by another user


def as_stranger(work: Callable[[], None]) -> None:
    """Do something in a child process with the rights of another user."""
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setegid(STRANGER)
            os.seteuid(STRANGER)
            work()
            os._exit(0)
        except BaseException:
            os._exit(1)
    if os.waitpid(child, 0)[1]:
        raise RuntimeError("the stranger could not do what he was to try")


def planted_while_open(scene: Scene) -> None:
    """The folder was open, an entry was exchanged, and the folder was closed again."""
    content = _substituted(scene)
    scene.cache.chmod(0o777)
    as_stranger(lambda: _replaced(scene.entry, content))
    scene.cache.chmod(0o700)


def planted_and_given_to_the_user(scene: Scene) -> None:
    """As above, and then `chown -R` and `chmod -R` by a helpful administrator."""
    planted_while_open(scene)
    for path in (scene.cache, *scene.cache.iterdir()):
        os.chown(path, os.geteuid(), os.getegid())
        path.chmod(0o700 if path.is_dir() else 0o600)


def secret_planted_while_open(scene: Scene) -> None:
    """The folder of the secret was open too, and the stranger made his own."""
    secret = scene.state / cache.SECRET
    scene.state.parent.chmod(0o711)
    scene.state.chmod(0o777)
    scene.cache.chmod(0o777)
    as_stranger(lambda: _replaced(secret, bytes(32)))
    facts, code = {"scratch": 0}, b"not even code"
    name = cache._file_name(bytes(32), "key")
    content = cache._pack(bytes(32), "key", facts, code)
    as_stranger(lambda: _replaced(scene.cache / name, content))
    scene.state.chmod(0o700)
    scene.cache.chmod(0o700)


def folder_exchanged(scene: Scene) -> None:
    """A parent that all can write lets anybody put his own folder there."""
    content, name = _substituted(scene), scene.entry.name
    scene.cache.parent.chmod(0o777)

    def exchange() -> None:
        scene.cache.rename(scene.cache.with_name("taken"))
        scene.cache.mkdir(mode=0o700)
        (scene.cache / name).write_bytes(content)

    as_stranger(exchange)


def given_away(scene: Scene) -> None:
    os.chown(scene.entry, STRANGER, STRANGER)


OWN: tuple[Fault, ...] = (
    content_of_another_key,
    flipped_bit,
    truncated,
    lengthened,
    spliced,
    symbolic_link,
    link_to_itself_elsewhere,
    hard_link,
    fifo,
    wrong_mode,
    forged_under_a_known_secret,
    entry_of_an_older_version,
    secret_exchanged_for_a_link,
    secret_readable,
)
FOREIGN: tuple[Fault, ...] = (
    planted_while_open,
    planted_and_given_to_the_user,
    secret_planted_while_open,
    folder_exchanged,
    given_away,
)


def _read(scene: Scene, path: Path) -> tuple[bytes, str, bytes]:
    """Secret, key and content of an entry, as its own user can read them."""
    secret, content = (scene.state / cache.SECRET).read_bytes(), path.read_bytes()
    (key,) = [k for k in KEYS if cache._file_name(secret, k) == path.name]
    return secret, key, content


KEYS: list[str] = []  # of the entries that were made last


def _substituted(scene: Scene) -> bytes:
    """What a stranger would plant: whole, with a digest, and no secret to seal it."""
    facts, code = cache._unpack(*_read(scene, scene.other))
    return cache._pack(bytes(32), KEYS[0], facts, code)


def _replaced(path: Path, content: bytes) -> None:
    aside = path.with_name(".new-stranger")
    aside.write_bytes(content)
    aside.chmod(0o600)
    aside.rename(path)


# ------------------------------------------------------------------------------- trial


def trial(seed: int, faults: tuple[Fault, ...], part: str = "code") -> str | None:
    """One fault in a fresh cache, to machine code or to what it is found by."""
    with (
        tempfile.TemporaryDirectory() as place,
        warnings.catch_warnings(),
        contextlib.ExitStack() as patches,
    ):
        warnings.simplefilter("ignore", CacheWarning)
        above = Path(place)
        # The stranger must be able to come as far as the folders themselves.
        above.chmod(0o711)
        own = {"POLHODE_CACHE": f"{place}/code", "XDG_STATE_HOME": f"{place}/state"}
        patches.enter_context(mock.patch.dict(os.environ, own))
        fault, chance = faults[seed % len(faults)], random.Random(seed)
        if part == "description":
            return _misled(above, fault, chance)
        # Code alone, which is then found by its trace.
        key = "polhode.lowering.compile.description_key"
        patches.enter_context(mock.patch(key, return_value=None))
        return _held(above, fault, chance)


def _misled(above: Path, fault: Fault, chance: random.Random) -> str | None:
    """A description of the victim that leads to the code of the substitute, perhaps."""
    folder, real = above / "code", cache.save
    KEYS.clear()

    def save(name: str, facts: dict[str, object], code: bytes) -> str:
        if not code:
            KEYS.append(name)
        return real(name, facts, code)

    with mock.patch.object(cache, "save", save):
        right, wrong = victim()(X), substitute()(X)
    secret = (above / "state" / "polhode" / cache.SECRET).read_bytes()
    entry, other = (folder / cache._file_name(secret, key) for key in KEYS)
    fault(Scene(folder, above / "state" / "polhode", entry, other, chance))
    again = victim()(X)
    if np.array_equal(again, wrong):
        return f"{fault.__name__}: the substitute was run"
    if not np.array_equal(again, right):
        return f"{fault.__name__}: other numbers"
    return None


def _held(above: Path, fault: Fault, chance: random.Random) -> str | None:
    folder, known, real = above / "code", set(), cache.save
    KEYS.clear()

    def save(name: str, *rest: object) -> str:
        KEYS.append(name)
        return real(name, *rest)  # type: ignore[arg-type]

    with mock.patch.object(cache, "save", save):
        right = victim()(X)
        (entry,) = folder.iterdir()
        known = {entry}
        wrong = substitute()(X)
    (other,) = set(folder.iterdir()) - known
    fault(Scene(folder, above / "state" / "polhode", entry, other, chance))
    again = victim()
    if np.array_equal(again(X), wrong):
        return f"{fault.__name__}: the substitute was run"
    if again.report().cache_hit:
        return f"{fault.__name__}: what was planted was loaded"
    if not np.array_equal(again(X), right):
        return f"{fault.__name__}: other numbers"
    above.chmod(0o711)
    after = victim()
    if folder.stat().st_uid == os.geteuid() and not after.report().cache_hit:
        return (
            f"{fault.__name__}: not found the time after: {after.report().cache_note}"
        )
    return None


FAULTS = (*OWN, *FOREIGN) if os.name == "posix" and os.geteuid() == 0 else OWN
ATTACKS = (
    Attack("cache: planted entries", 380, lambda seed: trial(seed, FAULTS)),
    Attack(
        "cache: planted descriptions",
        190,
        lambda seed: trial(seed, FAULTS, "description"),
    ),
)
