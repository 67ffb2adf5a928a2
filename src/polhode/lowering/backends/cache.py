"""Machine code kept on disk, so that a second process compiles nothing.

Entries hold code that will run. They are read only from a folder that others cannot
write (`private_folder`), and only if this user has made them: an entry carries its key
and ends with HMAC-SHA256 of all of it under a secret of the user. The secret lies apart
from the entries, in the user's state folder, so that whoever could once write the one
cannot make what the other vouches for.

    name of the file    HMAC(secret, "name" + key)
    content             magic, SHA-256 of the key, length of facts, facts, code, HMAC

An entry that fails any check is removed and built again. The oldest go when all of them
grow too large.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import re
import secrets
import tempfile
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from polhode.errors import CacheWarning
from polhode.lowering.backends.private_folder import (
    ASIDE,
    OpenToOthers,
    PrivateFolder,
    Untrusted,
    own_folder,
    private_folder,
)
from polhode.tracebacks import warn

LARGEST = 512 * 2**20  # bytes in all
TRIMMED_EVERY = 64  # shares of that: so much more than all may lie there for a while
ABANDONED = 3600.0  # seconds after which a file aside is one of a process that died
SECRET, SECRET_BYTES = "cache-secret", 32
# Another process may have created the secret and not yet written it.
PATIENCE, PAUSE = 20, 0.01  # looks, and seconds between them
MAGIC = b"polhode-code-2\n"
MAC_BYTES = 32
KERNELS = "cuda"  # the folder, below that of entries, of CUDA's own compiler
ENTRY = re.compile(r"[0-9a-f]{64}")


def directory() -> Path:
    """Where entries are kept: $POLHODE_CACHE, or the user's cache directory."""
    chosen = os.environ.get("POLHODE_CACHE")
    if chosen:
        return Path(os.path.abspath(_home_of(chosen)))
    return _base("XDG_CACHE_HOME", ".cache") / "polhode"


def state_directory() -> Path:
    """Where the secret is kept: beside the user's other state, not beside entries."""
    return _base("XDG_STATE_HOME", ".local/state") / "polhode"


def _base(variable: str, usual: str) -> Path:
    # A relative path there is to be ignored, says the standard of these variables.
    chosen = os.environ.get(variable, "")
    return Path(chosen) if os.path.isabs(chosen) else _home_of(f"~/{usual}")


def _home_of(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise Untrusted(
            f"{path} cannot be used: this user has no home directory; set"
            " POLHODE_CACHE and XDG_STATE_HOME"
        ) from None


def refusal() -> str:
    """Why entries are not kept, or ''."""
    try:
        with _trusted():
            return ""
    except Untrusted as reason:
        return str(reason)
    except OSError as error:
        return _unwritable(error)


def entry_name(*parts: str) -> str:
    return hashlib.sha256("\0".join((compiler(), *parts)).encode()).hexdigest()


@cache
def compiler() -> str:
    """A digest of this compiler's own text: another compiler makes other code."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def load(name: str) -> tuple[dict[str, Any], bytes] | None:
    """The facts and code of an entry; one that fails a check is removed and is none."""
    try:
        with _trusted() as (folder, secret):
            file = _file_name(secret, name)
            try:
                return _unpack(secret, name, folder.read(file))
            except FileNotFoundError:
                return None
            except (Untrusted, ValueError):
                folder.remove(file)
                return None
    except (Untrusted, OSError):
        return None


def save(name: str, facts: dict[str, Any], code: bytes) -> str:
    """Keep an entry; says why not, if it could not."""
    try:
        with _trusted() as (folder, secret):
            content = _pack(secret, name, facts, code)
            folder.write(_file_name(secret, name), content)
            if _is_time_to_trim(folder, len(content)):
                _trim(folder, filter(_is_ours, folder.names()))
        return ""
    except Untrusted as reason:
        why = str(reason)
    except OSError as error:
        why = _unwritable(error)
    _warn_once(why)
    return why


def empty() -> int:
    """Remove all entries and the secret, and close the folders: how many there were."""
    count = 0
    with own_folder(directory()) as folder:
        folder.close_to_others()
        count = _empty(folder)
    with own_folder(state_directory()) as state:
        state.close_to_others()
        state.remove(SECRET)
    return count


@contextlib.contextmanager
def kernel_folder() -> Iterator[Path]:
    """Where CUDA's compiler may keep kernels: a folder that only this user can write.

    What is not a file of the user is removed before CuPy can load it. Where there is no
    such folder, an empty one that goes afterwards.
    """
    with contextlib.ExitStack() as open_folders:
        try:
            open_folders.enter_context(_trusted())
            folder = open_folders.enter_context(private_folder(directory() / KERNELS))
            folder.remove_foreign()
            _trim(folder, folder.names())
            path = folder.path
        except (Untrusted, OSError) as reason:
            _warn_once(str(reason))
            path = Path(open_folders.enter_context(tempfile.TemporaryDirectory()))
        yield path


# ------------------------------------------------------------------------ trust


@contextlib.contextmanager
def _trusted() -> Iterator[tuple[PrivateFolder, bytes]]:
    """The open folder of entries, and the secret under which they are read."""
    with _state() as state:
        secret, is_new = _secret_in(state)
        path = directory()
        mark = _mark_of(path)
        try:
            with private_folder(path) as folder:
                # Here lies what was made under another secret, or by somebody else.
                if is_new or state.has(mark):
                    _empty(folder)
                    state.remove(mark)
                yield folder, secret
        except OpenToOthers:
            with contextlib.suppress(FileExistsError):
                state.create(mark, b"")
            raise


@contextlib.contextmanager
def _state() -> Iterator[PrivateFolder]:
    """The folder of the secret; where others can write it the secret is dropped.

    It may have been exchanged: so nothing made until now is read again, even when the
    folder is closed later.
    """
    path = state_directory()
    try:
        with private_folder(path) as state:
            yield state
    except OpenToOthers as reason:
        if reason.path == os.path.realpath(path):
            with own_folder(path) as state:
                state.remove(SECRET)
        raise


def _mark_of(path: Path) -> str:
    """The file that says that a folder of entries was seen open to others."""
    return f"open-{hashlib.sha256(os.fsencode(path)).hexdigest()[:32]}"


def _secret_in(state: PrivateFolder) -> tuple[bytes, bool]:
    is_new = False
    for _ in range(PATIENCE):
        try:
            found = state.read(SECRET, allowed=0)
        except FileNotFoundError:
            # Whoever creates it first has made it; the others read what he wrote.
            with contextlib.suppress(FileExistsError):
                state.create(SECRET, secrets.token_bytes(SECRET_BYTES))
                is_new = True
            continue
        except Untrusted:
            break
        if len(found) == SECRET_BYTES:
            return found, is_new
        time.sleep(PAUSE)
    # Somebody else's, readable by others, a link, or cut off by a kill: a new one.
    state.write(SECRET, secrets.token_bytes(SECRET_BYTES))
    return state.read(SECRET, allowed=0), True


def _empty(folder: PrivateFolder) -> int:
    """Remove all entries; other files are not ours to remove."""
    entries = [name for name in folder.names() if _is_ours(name)]
    for name in entries:
        folder.remove(name)
    if folder.has(KERNELS):
        with own_folder(folder.path / KERNELS) as kernels:
            for name in kernels.names():
                kernels.remove(name)
    return sum(not name.startswith(ASIDE) for name in entries)


def _is_ours(name: str) -> bool:
    return bool(ENTRY.fullmatch(name)) or name.startswith(ASIDE)


def _unwritable(error: OSError) -> str:
    where = os.environ.get("POLHODE_CACHE") or "the cache directory"
    return f"{where} cannot be written: {error.strerror}"


_warned: set[str] = set()


def _warn_once(why: str) -> None:
    """Say once in a process that programs are compiled anew each time."""
    if not _warned:
        _warned.add(why)
        warn(
            f"compiled programs are not kept for the next process: {why}.", CacheWarning
        )


# ------------------------------------------------------------------------ entries


def _file_name(secret: bytes, name: str) -> str:
    return hmac.digest(secret, b"name\0" + name.encode(), "sha256").hex()


def _pack(secret: bytes, name: str, facts: dict[str, Any], code: bytes) -> bytes:
    head = json.dumps(facts, sort_keys=True).encode()
    key = hashlib.sha256(name.encode()).digest()
    body = b"".join((MAGIC, key, len(head).to_bytes(8, "little"), head, code))
    return body + hmac.digest(secret, body, "sha256")


def _unpack(secret: bytes, name: str, content: bytes) -> tuple[dict[str, Any], bytes]:
    view = memoryview(content)
    body, mac = view[:-MAC_BYTES], view[-MAC_BYTES:]
    if not hmac.compare_digest(hmac.digest(secret, body, "sha256"), mac):
        raise ValueError("not made by this user")
    start = len(MAGIC) + MAC_BYTES
    key = hashlib.sha256(name.encode()).digest()
    if body[:start] != MAGIC + key:
        raise ValueError("an entry of another key")
    length = int.from_bytes(body[start : start + 8], "little")
    code = start + 8 + length
    return json.loads(bytes(body[start + 8 : code])), bytes(body[code:])


_written: dict[Path, int] = {}  # by folder: bytes that this process wrote since a trim


def _is_time_to_trim(folder: PrivateFolder, size: int) -> bool:
    """At a process's first entry, and after each share of what may be kept.

    To look at thousands of entries takes longer than to write one.
    """
    before = _written.get(folder.path)
    is_time = before is None or before + size > LARGEST / TRIMMED_EVERY
    _written[folder.path] = 0 if is_time or before is None else before + size
    return is_time


def _trim(folder: PrivateFolder, names: Iterable[str]) -> None:
    """Remove what dead processes left, and the oldest entries until the rest fits."""
    entries, now = [], time.time()
    for name in names:
        with contextlib.suppress(OSError):
            facts = folder.facts(name)
            if name.startswith(ASIDE) and now - facts.st_mtime > ABANDONED:
                folder.remove(name)
                continue
            entries.append((facts.st_mtime, facts.st_size, name))
    total = sum(size for _, size, _ in entries)
    for _, size, name in sorted(entries):
        if total <= LARGEST:
            return
        folder.remove(name)
        total -= size
