"""Drawings and films: bodies where the data say, without a display."""

from __future__ import annotations

import re
import stat
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

import polhode as ph
from closeness import assert_close
from polhode.errors import ShowError
from polhode.show.drawing import render as drawn
from polhode.show.drawing.snapshot import limits
from polhode.show.drawing.view import View
from polhode.show.plots.palette import colour
from shown import cart_motion

FRONT = View.towards(-np.pi / 2, 0.0)  # along +Y: x to the right, z up


def pixels_of(picture, tint, tmp_path):
    """The middle of what is drawn nearly in a colour, in shares of the plate."""
    from matplotlib.colors import to_rgb

    path = picture.save(tmp_path / "plate.png", dpi=100)
    with Image.open(path) as plate:
        image = np.asarray(plate.convert("RGB"), float) / 255
    rgb = np.array(to_rgb(tint))
    unit = image / np.maximum(np.linalg.norm(image, axis=-1, keepdims=True), 1e-9)
    near = unit @ (rgb / np.linalg.norm(rgb)) > 0.995
    rows, columns = np.nonzero(near)
    height, width = image.shape[:2]
    return columns.mean() / width, 1 - rows.mean() / height


@pytest.mark.parametrize("t", [0.0, 0.7, 2.0])
def test_a_body_is_drawn_where_the_motion_says(t, tmp_path):
    """The cart's pixels have their middle where its mass centre is projected."""
    motion = cart_motion()
    drawing = drawn.drawing_of(motion, None, FRONT)
    (left, right), (low, high) = limits(drawing)
    x = motion.at(t)["rail"]
    across, up = pixels_of(motion.picture(t, view=FRONT), colour(0), tmp_path)
    assert_close(across, (x - left) / (right - left), rtol=0, atol=0.03)
    assert_close(up, (0.0 - low) / (high - low), rtol=0, atol=0.06)


def test_cut_triangles_cover_what_they_were():
    """Cutting keeps the area, and leaves no edge too long."""
    box = cart_motion().system.bodies[0]
    from polhode.show.drawing.surface import surfaces_of

    (surface,) = surfaces_of(box)
    whole = surface.corners[surface.triangles]
    pieces = drawn._subdivide(whole, 0.05)

    def area(t):
        return np.linalg.norm(np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]), axis=1)

    assert_close(area(pieces).sum(), area(whole).sum(), rtol=1e-12)
    edges = np.linalg.norm(pieces - np.roll(pieces, 1, axis=1), axis=2)
    assert edges.max() <= 0.05


def test_the_observer_looks_across_the_plane_of_motion():
    """A cart that moves in XZ is seen from -Y, a little from the side and above."""
    view = drawn.drawing_of(cart_motion()).view
    towards = view.axes[2]
    assert towards[1] < -0.8
    assert towards[2] > 0.2


def test_what_holds_another_body_can_be_looked_through():
    """A wheel inside a box is seen; two bodies side by side are both opaque."""
    start = ph.models.start("reaction_wheel")
    motion = ph.simulate(start.system, start, until=0.1)
    box, wheel = (float(paint[0, 3]) for paint in drawn.drawing_of(motion).paints)
    assert box < 0.5
    assert wheel == 1.0
    assert all(np.all(p[:, 3] == 1.0) for p in drawn.drawing_of(cart_motion()).paints)


def test_a_gif_has_a_frame_for_each_moment(tmp_path):
    """25 frames a second of film; twice as fast, half as many; they differ."""
    motion = cart_motion()[: len(cart_motion()) // 4]
    span = motion.t[-1] - motion.t[0]
    path = motion.film(tmp_path / "deep" / "cart.gif", speed=2.0)
    with Image.open(path) as film:
        assert film.n_frames == int(np.ceil(span / 2 * 25)) + 1
        first = np.asarray(film.convert("RGB"), int)
        film.seek(film.n_frames - 1)
        last = np.asarray(film.convert("RGB"), int)
    assert np.mean(np.abs(first - last).sum(axis=-1) > 60) > 0.005


def test_an_mp4_without_ffmpeg_says_what_to_do(tmp_path, monkeypatch):
    """No program, no film: before a single frame is drawn."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ShowError, match=r"pip install 'polhode\[view\]'"):
        cart_motion().film(tmp_path / "cart.mp4")
    assert not list(tmp_path.iterdir())


def test_an_mp4_is_a_film_of_the_motion(tmp_path):
    """Decoded again, its frames are as many as the motion lasts, and the cart moves."""
    reader = pytest.importorskip("imageio_ffmpeg")
    motion = cart_motion()[:12]
    path = motion.film(tmp_path / "cart.mp4")
    assert path.read_bytes()[4:8] == b"ftyp"
    decode = [reader.get_ffmpeg_exe(), "-i", path, "-f", "rawvideo"]
    told = subprocess.run(
        [*decode, "-pix_fmt", "rgb24", "-"], capture_output=True, check=True
    )
    facts = re.search(r"Video: h264.*?, (\d+)x(\d+).*?30 fps", told.stderr.decode())
    width, height = int(facts[1]), int(facts[2])
    pictures = np.frombuffer(told.stdout, np.uint8).reshape(-1, height, width, 3)
    count = int(np.ceil((motion.t[-1] - motion.t[0]) * 30)) + 1
    assert len(pictures) == count
    first, last = (np.asarray(p, int) for p in (pictures[0], pictures[-1]))
    assert np.mean(first) > 200  # white paper
    assert np.mean(np.abs(first - last).sum(axis=-1) > 60) > 0.003


def test_frames_reach_ffmpeg_whole(tmp_path, monkeypatch):
    """What is piped is every frame, of even width and height, at the film's rate."""
    program = tmp_path / "ffmpeg"
    program.write_text(
        f"#!{sys.executable}\nimport sys, pathlib\n"
        "data = sys.stdin.buffer.read()\n"
        "words = sys.argv\nsize = words[words.index('-s') + 1]\n"
        "pathlib.Path(words[-1]).write_text(f'{size} {len(data)}')\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path))
    motion = cart_motion()[:4]
    said = motion.film(tmp_path / "cart.mp4").read_text()
    size, count = said.split()
    width, height = map(int, size.split("x"))
    assert width % 2 == height % 2 == 0
    frames, rest = divmod(int(count), 3 * width * height)
    assert rest == 0
    assert frames == max(2, int(np.ceil((motion.t[-1] - motion.t[0]) * 30)) + 1)


@pytest.mark.parametrize(
    ("name", "wishes", "words"),
    [
        ("cart.avi", {}, "cannot be written as 'cart.avi'"),
        ("cart.gif", {"speed": 0.0}, "cannot run at 0.0 times"),
        ("cart.gif", {"speed": float("nan")}, "cannot run at nan times"),
    ],
)
def test_a_film_that_cannot_be_is_refused(name, wishes, words, tmp_path):
    """Kinds and speeds are checked at the door, and nothing is written."""
    with pytest.raises(ShowError, match=words):
        cart_motion().film(tmp_path / name, **wishes)
    assert not list(tmp_path.iterdir())


def test_a_time_outside_the_motion_is_refused():
    """A picture is of a time that the motion has."""
    with pytest.raises(ShowError, match="has no t = 9 s to draw"):
        cart_motion().picture(9.0)
