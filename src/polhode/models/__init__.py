"""Textbook systems, one a file, written with public names only.

`ph.models.pendulum()` builds one; `ph.models.GALLERY` has them all by name.
"""

from typing import Any

from polhode.models.gallery import GALLERY

__all__ = ["GALLERY", *GALLERY]

# A function has the name of its file: the function is what the name means here.
globals().update(GALLERY)


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"the gallery has no model {name!r}; it has {', '.join(GALLERY)}"
    )
