"""The picture of a polhode."""

from __future__ import annotations

import numpy as np

from polhode.show.plots.polhode_picture import polhode_picture

PNG = b"\x89PNG\r\n\x1a\n"


def test_a_picture_is_written_where_asked_without_a_display(tmp_path):
    """The folder is made, and the file is a PNG of a reasonable size."""
    times = np.linspace(0, 1, 50)
    spins = np.stack([0.1 * np.sin(times), 6 + 0 * times, 0.1 * np.cos(times)], -1)
    path = polhode_picture([1.0, 2.0, 3.0], times, spins, tmp_path / "new" / "p.png")
    content = path.read_bytes()
    assert content.startswith(PNG)
    assert 20_000 < len(content) < 200_000


def test_the_same_motion_gives_the_same_picture(tmp_path):
    """Nothing of the machine or the hour is in the file."""
    times, spins = np.linspace(0, 1, 5), np.eye(3)[[0, 1, 2, 1, 0]]
    one = polhode_picture([1.0, 2.0, 3.0], times, spins, tmp_path / "one.png")
    two = polhode_picture([1.0, 2.0, 3.0], times, spins, tmp_path / "two.png")
    assert one.read_bytes() == two.read_bytes()
