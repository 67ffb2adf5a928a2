"""Run the Python blocks of a page as one program, and compare what it prints.

    python tests/support/run_page.py docs/getting-started.md

Needs nothing but the standard library and what the page imports.
"""

from __future__ import annotations

import io
import re
import sys
from contextlib import redirect_stdout
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

HERE = Path(__file__).parent


def run_page(page: Path) -> int:
    """How many blocks ran; an AssertionError where one prints something else."""
    spec = spec_from_file_location("markdown_blocks", HERE / "markdown.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclass asks for it
    spec.loader.exec_module(module)
    scope: dict = {"__name__": "__main__"}
    found = module.blocks(page)
    for block in found:
        said = io.StringIO()
        with redirect_stdout(said):
            exec(compile(block.code, f"{page}:{block.line}", "exec"), scope)
        if block.prints:
            assert matches(said.getvalue(), block.prints), (
                f"line {block.line} of {page.name} printed\n{said.getvalue()}"
            )
    return len(found)


def matches(said: str, wanted: str) -> bool:
    """Whether a text is what the page says, where `...` stands for anything."""
    parts = map(re.escape, wanted.strip().split("..."))
    return re.fullmatch(".*?".join(parts), said.strip(), re.DOTALL) is not None


if __name__ == "__main__":
    import polhode

    count = run_page(Path(sys.argv[1]))
    print(f"{count} blocks ran with {Path(polhode.__file__).parent}")
