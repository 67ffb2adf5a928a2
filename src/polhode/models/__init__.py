"""Textbook systems, one a file, written with public names only.

`ph.models.pendulum()` builds one, `ph.models.start("pendulum")` gives it a state worth
seeing, `ph.models.inputs(system, name)` what drives it; `ph.models.GALLERY` has them
all by name.
"""

from typing import Any

from polhode.models.gallery import GALLERY, inputs, line, start, story, surprise

__all__ = ["GALLERY", "inputs", "line", "start", "story", "surprise", *GALLERY]

# A function may have the name of its file: here the name means the function.
globals().update(GALLERY)


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"the gallery has no model {name!r}; it has {', '.join(GALLERY)}"
    )


def __dir__() -> list[str]:
    return sorted(__all__)
