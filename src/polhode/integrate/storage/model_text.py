"""The model of a motion as the text of a model file, kept beside its rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from polhode.errors import FileError, PolhodeError

if TYPE_CHECKING:
    from polhode.system.system import System

# By these equations a system moves, one with supports by the second; those of other
# forms are given again.
USUAL, WITH_SUPPORTS = "recursive", "contacts"


def model_toml(system: System) -> str:
    """A system as TOML; nothing where laws of Python are in it, which no file holds."""
    from polhode.files.model import model_text

    try:
        return model_text(system)
    except PolhodeError:
        return ""


def read(path: Path, header: dict[str, Any]) -> System:
    """The system of a header; nothing in the header is executed."""
    from polhode.files.model import model_from

    text, form = header.get("model_text", ""), header["formulation"]
    if not text or form not in (USUAL, WITH_SUPPORTS):
        why = (
            f"Its equations are those of {form!r}, and a file has none."
            if text
            else "Laws of Python are in it, and a file holds no code."
        )
        raise FileError(
            f"{str(path)!r} does not hold the model of its motion.",
            why,
            "Give it again: ph.load_motion(path).of(system), ph.resume(path, system).",
        )
    return model_from(text, path).system
