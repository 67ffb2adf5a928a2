"""The door of files: bytes become text only if they are small, plain and shallow."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from polhode.errors import FileError, ModelFileError, UnsafeFile
from polhode.files.issues import Issue, Lines, Spot, refusal

LARGEST = 500_000  # bytes
DEEPEST = 24  # brackets in brackets, and parts of a dotted key

# First bytes of files that hold objects or programs: pickles, archives, executables.
PROGRAMS = {
    b"\x80": "a Python pickle",
    b"PK\x03\x04": "an archive",
    b"\x7fELF": "a program",
    b"MZ": "a program",
    b"\x93NUMPY": "a NumPy file, which may hold a pickle",
    b"\x1f\x8b": "a compressed file",
}
TOKENS = re.compile(
    r"(?P<text>\"\"\"(?:\\.|[^\\])*?\"\"\"|'''.*?'''"
    r"|\"(?:\\.|[^\"\\\n])*+\"|'[^'\n]*+')"
    r"|(?P<comment>#[^\n]*+)|(?P<word>[\w+-]++)|(?P<space>[ \t]++)|(?P<sign>.)",
    re.DOTALL,
)


def admitted_text(path: Any) -> str:
    """The text of a small file in UTF-8; anything else is refused before it is read."""
    place = Path(path)
    data = admitted_bytes(place)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as reason:
        before = data[: reason.start].decode("utf-8")
        spot = Lines(before).spot(len(before))
        byte = f"0x{data[reason.start]:02x}"
        text = f"byte {byte} is no text. A model file is plain text in UTF-8."
        raise refusal(place, [Issue(spot, text)]) from None


def admitted_bytes(place: Path) -> bytes:
    """The bytes of a file, if they are few and no program."""
    try:
        with place.open("rb") as file:
            data = file.read(LARGEST + 1)
    except (OSError, ValueError) as reason:
        raise FileError(
            f"{str(place)!r} cannot be read: {getattr(reason, 'strerror', reason)}.",
            "A model is read from a file that exists and may be read.",
            "Check the path, and the folder that it starts from.",
        ) from reason
    if len(data) > LARGEST:
        raise ModelFileError(
            f"{place.name!r} is larger than {LARGEST:,} bytes (line 1, column 1).",
            "A model of a thousand bodies is smaller; what is larger is something else"
            " and is not read.",
            "Put meshes into files of their own, next to the model.",
        )
    for start, kind in PROGRAMS.items():
        if data.startswith(start):
            raise UnsafeFile(
                f"{place.name!r} is {kind} (line 1, column 1).",
                "Loading it could run whatever its author wrote; a model says what"
                " there is, and nothing in it is run.",
                "Give a model in TOML or URDF.",
            )
    if not data.strip():
        raise refusal(place, [Issue(Spot(1, 1), "the file is empty.")])
    return data


def require_shallow(place: Path, text: str) -> None:
    """Refuse brackets in brackets, and keys of many parts, before they are parsed."""
    depth = parts = 0
    for token in TOKENS.finditer(text):
        sign = token["sign"]
        if sign is None:
            continue
        depth += (sign in "[{") - (sign in "]}")
        parts = parts + 1 if sign == "." else 0
        if depth > DEEPEST or parts > DEEPEST:
            spot = Lines(text).spot(token.start())
            words = f"more than {DEEPEST} levels in each other: no model is so deep."
            raise refusal(place, [Issue(spot, words)])
