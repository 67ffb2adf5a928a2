"""Type stubs of the names that load on first use: `python tests/support/stubs.py`.

A checker or an editor does not run `__getattr__`: for it, each lazy namespace is a file
of imports, made from the same tables.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import polhode

HEAD = "# Written by tests/support/stubs.py from the table of public names.\n"
FRONT = """
__version__: str
PUBLIC: dict[str, str]
NAMESPACES: tuple[str, ...]
"""
FOLDER = Path(polhode.__file__).parent


def stubs() -> dict[Path, str]:
    """The text of each stub, by the file it belongs in."""
    front = _imports(polhode.PUBLIC) + FRONT
    found = {FOLDER / "__init__.pyi": HEAD + front}
    for space in polhode.NAMESPACES:
        homes = importlib.import_module(f"polhode.{space}").HOMES
        text = _imports(homes) + "\nHOMES: dict[str, str]\n"
        found[FOLDER / f"{space}.pyi"] = HEAD + text
    return found


def _imports(homes: dict[str, str]) -> str:
    order = sorted(homes.items(), key=lambda pair: (pair[1], pair[0]))
    return "".join(f"from {home} import {name} as {name}\n" for name, home in order)


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text, encoding="utf-8")
