"""Films of a motion, made without a display: GIF by Pillow, MP4 by ffmpeg."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.errors import ShowError
from polhode.show import drawing as drawn
from polhode.show.still import emptied, finish, plate
from polhode.show.view import View

if TYPE_CHECKING:
    from polhode.integrate.trajectory import Trajectory
    from polhode.show.drawing import Drawing

RATES = {".gif": 25, ".mp4": 30}  # frames a second
LONGEST = 600  # frames
FEWEST = 2
TINTS = 128  # colours of a GIF


def film(
    motion: Trajectory, path: Any, *, speed: float = 1.0, view: View | None = None
) -> Path:
    """Write a .gif or .mp4 of the motion, `speed` times as fast as it happens.

    At most 600 frames; a motion that needs more is shown in wider steps of time.
    """
    to = Path(path)
    kind = to.suffix.lower()
    _require_kind(to, kind)
    rate = RATES[kind]
    frames = _count(motion, rate, speed)
    drawing = drawn.drawing_of(motion, frames, view)
    to.parent.mkdir(parents=True, exist_ok=True)
    write = _write_gif if kind == ".gif" else _write_mp4
    write(to, images(drawing), rate)
    return to


def images(drawing: Drawing) -> Iterator[np.ndarray]:
    """The frames, each (height, width, 3) of bytes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure, axes = plate(drawing)
    canvas = FigureCanvasAgg(figure)
    for frame in range(len(drawing.scene.times)):
        emptied(axes, drawing)
        drawn.paint(axes, drawing, frame)
        finish(axes, drawing, frame)
        canvas.draw()
        yield np.asarray(canvas.buffer_rgba())[..., :3].copy()


def _count(motion: Trajectory, rate: int, speed: float) -> int:
    if not (np.isfinite(speed) and speed > 0):
        raise ShowError(
            f"a film cannot run at {speed!r} times the speed of its motion.",
            "It is how many seconds of the motion pass in one of the film.",
            "Give speed > 0; below 1 it is slow motion.",
        )
    span = abs(float(motion.t[-1] - motion.t[0])) if len(motion) else 0.0
    return int(np.clip(np.ceil(span / speed * rate) + 1, FEWEST, LONGEST))


def _write_gif(to: Path, frames: Iterator[np.ndarray], rate: int) -> None:
    from PIL import Image

    first = Image.fromarray(next(frames)).quantize(TINTS)
    plain = Image.Dither.NONE
    rest = [
        Image.fromarray(each).quantize(TINTS, palette=first, dither=plain)
        for each in frames
    ]
    settings: dict[str, Any] = {"append_images": rest, "loop": 0, "optimize": True}
    first.save(to, save_all=True, duration=round(1000 / rate), **settings)


def _write_mp4(to: Path, frames: Iterator[np.ndarray], rate: int) -> None:
    first = next(frames)
    height, width = first.shape[0] // 2 * 2, first.shape[1] // 2 * 2
    shape = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}"]
    coded = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
    quiet = [_ffmpeg(), "-y", "-loglevel", "error"]
    command = [*quiet, *shape, "-r", str(rate), "-i", "-", *coded, str(to)]
    running = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdin is not None
    try:
        for frame in (first, *frames):
            running.stdin.write(frame[:height, :width].tobytes())
    except BrokenPipeError:
        pass  # it says why below
    _, said = running.communicate()
    if running.returncode:
        raise ShowError(
            f"ffmpeg did not write {to.name!r}.",
            said.decode(errors="replace").strip() or "It gave no reason.",
            "Write a .gif, or another ffmpeg that knows libx264.",
        )


def _require_kind(to: Path, kind: str) -> None:
    if kind not in RATES:
        raise ShowError(
            f"a film cannot be written as {to.name!r}.",
            "The end of the name says of which kind the file is.",
            "End it in .gif or .mp4; motion.page(path) writes a replay as .html.",
        )
    if kind == ".mp4":
        _ffmpeg()


def _ffmpeg() -> str:
    found = shutil.which("ffmpeg")
    if found is None:
        raise ShowError(
            "an MP4 cannot be written here.",
            "Its pictures are coded by ffmpeg, and no such program is on the path.",
            "Install ffmpeg, or write a .gif; motion.page(path) needs neither.",
        )
    return found
