"""A picture: what plots and drawings give, for a notebook, a file or matplotlib."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from polhode.errors import ShowError
from polhode.show.output_file import writing
from polhode.show.plots.retint import retint

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = (".png", ".svg", ".pdf")
# Nothing of the hour is written: the same picture has the same bytes.
UNDATED: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


@final
@dataclass(frozen=True, eq=False)
class Picture:
    """A matplotlib figure that no display is needed for.

    It shows itself in a notebook; `save` writes a file; `figure` is matplotlib's, to
    be changed as one likes. `themed("dark")` gives a plot dark paper.
    """

    figure: Figure

    def themed(self, theme: str) -> Picture:
        """The same plot in a theme: "dark", or "light" as it is; its figure changes."""
        retint(self.figure, theme)
        return self

    def save(self, path: Any, *, dpi: float = 150) -> Path:
        """Write a .png, .svg or .pdf; folders that are missing are made."""
        to = Path(path)
        if to.suffix.lower() not in KINDS:
            raise ShowError(
                f"a picture cannot be written as {to.name!r}.",
                "The end of the name says of which kind the file is.",
                f"End it in {', '.join(KINDS)}; a film ends in .gif or .mp4.",
            )
        with writing(to) as aside:
            aside.write_bytes(self.content(to.suffix.lower(), dpi))
        return to

    def content(self, kind: str = ".png", dpi: float = 150) -> bytes:
        """The content of its file; the same picture gives the same bytes."""
        from matplotlib import rc_context

        into = io.BytesIO()
        self.figure.draw_without_rendering()  # the layout settles at the second draw
        with rc_context({"svg.hashsalt": "polhode", "svg.fonttype": "path"}):
            self.figure.savefig(
                into, format=kind[1:], dpi=dpi, facecolor="auto", metadata=UNDATED[kind]
            )
        return into.getvalue()

    def _repr_png_(self) -> bytes:
        return self.content(".png", 110)

    def __repr__(self) -> str:
        width, height = self.figure.get_size_inches()
        return f"Picture({width:g} x {height:g} inches)"
