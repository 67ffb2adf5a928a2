"""Laws of frames."""

from __future__ import annotations

import pytest

from polhode.errors import FrameMismatch, ModelError
from polhode.geometry.frame import Frame, require_same_frame


def test_a_frame_is_an_object_not_a_name():
    """Two frames of one name differ, and the refusal says so."""
    one, other = Frame("ship"), Frame("ship")
    assert one != other
    assert len({one, other}) == 2
    with pytest.raises(FrameMismatch, match="Two different frames have that name"):
        require_same_frame("add", one, other)


def test_mismatch_names_both_frames_and_the_repair():
    """The text says what, why and how."""
    with pytest.raises(FrameMismatch) as caught:
        require_same_frame("add", Frame("ship"), Frame("quay"))
    assert str(caught.value) == (
        "cannot add a quantity of frame 'ship' and one of 'quay'.\n\n"
        "  The same three numbers are different vectors in different axes.\n\n"
        "  Re-express one first: vector.written_in(rotation) with a Rotation of 'quay'"
        " seen from 'ship', or back."
    )


@pytest.mark.parametrize("name", ["", "  ", 3, None])
def test_a_frame_needs_a_name(name):
    """Nameless frames are refused: no message could mention them."""
    with pytest.raises(ModelError, match="a frame cannot be named"):
        Frame(name)
