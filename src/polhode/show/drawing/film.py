"""Films of a motion, made without a display: GIF by Pillow, MP4 by ffmpeg."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.errors import ShowError
from polhode.show.drawing import render as drawn
from polhode.show.drawing.snapshot import Sheet, drawings_of, empty, finish, plates
from polhode.show.output_file import writing
from polhode.show.plots.palette import rgb

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.show.drawing.render import Drawing

RATES = {".gif": 25, ".mp4": 30}  # frames a second
LONGEST = 600  # frames
FEWEST = 2
TINTS = 128  # colours of a GIF
Frames = Sequence[tuple[int, ...]]  # of each picture, those of its drawings
SMOOTH = 400  # points of a trail, at least


def film(
    motion: Trajectory,
    path: Any,
    *,
    speed: float = 1.0,
    view: Any = None,
    follow: Any = None,
    axes: str = "world",
    theme: str = "light",
    beside: Trajectory | None = None,
) -> Path:
    """Write a .gif or .mp4 of the motion, `speed` times as fast as it happens.

    At most 600 frames; a motion that needs more is shown in wider steps of time.
    `view`, `follow`, `axes`, `theme` and `beside` are those of `motion.picture`; the
    shorter of two motions stands still at its end.
    """
    to = Path(path)
    kind = to.suffix.lower()
    _require_kind(to, kind)
    rate = RATES[kind]
    motions = [motion] if beside is None else [motion, beside]
    count = max(_count(each, rate, speed) for each in motions)
    between = max(1, SMOOTH // count)  # trails are drawn finer than frames
    options = {"follow": follow, "axes": axes, "theme": theme}
    drawings = drawings_of(motions, (count - 1) * between + 1, view, **options)
    frames = _numbers(drawings, count)
    write = _write_gif if kind == ".gif" else _write_mp4
    with writing(to) as aside:
        write(aside, plates(drawings), frames, rate)
    return to


def _numbers(drawings: list[Drawing], count: int) -> list[tuple[int, ...]]:
    """Of every picture of the film, the frame of each drawing: at the same time."""
    first = drawings[0].scene.times[0]
    ends = [abs(float(one.scene.times[-1] - first)) for one in drawings]
    longest = drawings[int(np.argmax(ends))].scene.times
    clock = np.linspace(longest[0], longest[-1], count)
    found = [
        np.abs(one.scene.times[:, None] - clock).argmin(axis=0) for one in drawings
    ]
    return [tuple(int(k) for k in each) for each in np.transpose(found)]


def images(sheet: Sheet, frames: Iterable[tuple[int, ...]]) -> Iterator[np.ndarray]:
    """The pictures of these frames, each (height, width, 3) of bytes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(sheet.figure)
    for numbers in frames:
        empty(sheet)
        for axes, drawing, frame in zip(*sheet[1:], numbers, strict=True):
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


def _write_gif(to: Path, sheet: Sheet, frames: Frames, rate: int) -> None:
    from PIL import Image

    tints, plain = _tints(sheet, frames), Image.Dither.NONE
    pictures = [
        Image.fromarray(each).quantize(palette=tints, dither=plain)
        for each in images(sheet, frames)
    ]
    rest: dict[str, Any] = {"append_images": pictures[1:], "loop": 0, "optimize": True}
    pictures[0].save(to, save_all=True, duration=round(1000 / rate), **rest)


def _tints(sheet: Sheet, frames: Frames) -> Any:
    """One set of colours for the whole film, from its first, middle and last frame."""
    from PIL import Image

    few = sorted({frames[0], frames[len(frames) // 2], frames[-1]})
    seen = np.concatenate(list(images(sheet, few)))
    found = Image.fromarray(seen).quantize(TINTS)
    colours = np.array(found.getpalette()).reshape(-1, 3)
    paper = np.array(rgb(sheet.drawings[0].theme.paper))
    nearest = np.argmin(np.abs(colours - paper).sum(axis=1))
    colours[nearest] = paper  # white is white, not nearly
    found.putpalette(colours.reshape(-1).tolist())
    return found


def _write_mp4(to: Path, sheet: Sheet, frames: Frames, rate: int) -> None:
    pictures = images(sheet, frames)
    first = next(pictures)
    height, width = first.shape[0] // 2 * 2, first.shape[1] // 2 * 2
    shape = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}"]
    coded = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
    quiet = [_ffmpeg(), "-y", "-loglevel", "error"]
    command = [*quiet, *shape, "-r", str(rate), "-i", "-", *coded, str(to)]
    running = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdin is not None
    try:
        for frame in chain([first], pictures):
            running.stdin.write(frame[:height, :width].tobytes())
    except BrokenPipeError:
        pass  # it says why below
    _, said = running.communicate()
    if running.returncode:
        raise ShowError(
            "ffmpeg did not write the film.",
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
    """The program on the path, or that of the extra `view`."""
    found = shutil.which("ffmpeg") or _packaged()
    if found is None:
        raise ShowError(
            "an MP4 cannot be written here.",
            "Its pictures are coded by ffmpeg, and no such program is on the path.",
            "Run: pip install 'polhode[view]', which brings one; or install ffmpeg, or"
            " write a .gif; motion.page(path) needs none.",
        )
    return found


def _packaged() -> str | None:
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return str(get_ffmpeg_exe())
    except (ImportError, RuntimeError):  # absent, or without a program for this machine
        return None
