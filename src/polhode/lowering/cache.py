"""Machine code kept on disk, so that a second process compiles nothing.

One file an entry, written aside and moved into place, so that a reader sees a whole
entry or none. Entries hold code that will run: the directory must belong to the user
and be closed to others, or it is not used. The oldest go when it grows too large.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

LARGEST = 512 * 2**20  # bytes in all
_MAGIC = b"polhode-code-1\n"


def directory() -> Path:
    """Where entries are kept: $POLHODE_CACHE, or the user's cache directory."""
    chosen = os.environ.get("POLHODE_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "polhode"


def refusal(folder: Path) -> str:
    """Why a directory cannot be trusted with code, or ''."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        facts = folder.stat()
    except OSError as error:
        return f"{folder} cannot be used: {error.strerror}"
    if hasattr(os, "getuid"):
        if facts.st_uid != os.getuid():
            return f"{folder} belongs to another user"
        if facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return f"{folder} can be written by others (chmod go-w it)"
    return ""


def entry_name(*parts: str) -> str:
    return hashlib.sha256("\0".join((compiler(), *parts)).encode()).hexdigest()


@cache
def compiler() -> str:
    """A digest of this compiler's own text: another compiler makes other code."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def load(name: str) -> tuple[dict[str, Any], bytes] | None:
    """The facts and code of an entry; a damaged one is removed and is none."""
    folder = directory()
    if refusal(folder):
        return None
    path = folder / name
    try:
        content = path.read_bytes()
        return _unpack(content)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        with contextlib.suppress(OSError):
            path.unlink()
        return None


def save(name: str, facts: dict[str, Any], code: bytes) -> str:
    """Keep an entry; says why not, if it could not."""
    folder = directory()
    why = refusal(folder)
    if why:
        return why
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_pack(facts, code))
            os.replace(temporary, folder / name)
        except BaseException:  # a full disk is not filled further, nor by Ctrl-C
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        _trim(folder)
    except OSError as error:
        return f"{folder} cannot be written: {error.strerror}"
    return ""


def _pack(facts: dict[str, Any], code: bytes) -> bytes:
    head = json.dumps(facts, sort_keys=True).encode()
    body = len(head).to_bytes(8, "little") + head + code
    return _MAGIC + hashlib.sha256(body).digest() + body


def _unpack(content: bytes) -> tuple[dict[str, Any], bytes]:
    start = len(_MAGIC) + 32
    body = content[start:]
    whole = content.startswith(_MAGIC) and len(body) >= 8
    if not whole or hashlib.sha256(body).digest() != content[len(_MAGIC) : start]:
        raise ValueError("damaged")
    length = int.from_bytes(body[:8], "little")
    return json.loads(body[8 : 8 + length]), body[8 + length :]


def _trim(folder: Path) -> None:
    """Remove the oldest entries until the rest fits."""
    entries = []
    for path in folder.iterdir():
        with contextlib.suppress(OSError):
            facts = path.stat()
            entries.append((facts.st_mtime, facts.st_size, path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= LARGEST:
            return
        with contextlib.suppress(OSError):
            path.unlink()
        total -= size
