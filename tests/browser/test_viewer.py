"""The live viewer in a real browser, and its gate on the wire."""

from __future__ import annotations

import http.client
import socket
from urllib.parse import urlsplit

import numpy as np
import pytest

import polhode as ph
from pixels import count_hue, hue_gap
from polhode.models.gallery import start
from polhode.show.drawing.scene import scene_of
from polhode.show.live.scene_objects import HERPOLHODE
from polhode.show.plots.palette import ARROWS, colour

pytestmark = pytest.mark.browser
TIMES = (0.0, 1.7, 4.2)
WINDOW = {"width": 1000, "height": 560}  # small, for it is drawn in software


@pytest.fixture(scope="module")
def viewer(motion):
    """A double pendulum, served."""
    made = motion.show(browser=False)
    yield made
    made.close()


@pytest.fixture
def opened(watched, viewer):
    """The viewer's page, connected; what it did wrong is asked at the end."""
    viewer.pause()
    watched.page.set_viewport_size(WINDOW)
    watched.page.goto(viewer.url)
    watched.page.get_by_text("time [s]").wait_for()
    yield watched.page
    assert watched.errors == []
    inside = (f"http://127.0.0.1:{viewer.port}/", "blob:", "data:")
    assert all(url.startswith(inside) for url in watched.requests)


def until(page, condition):
    """Wait until it is so, while the browser goes on."""
    for _ in range(100):
        if condition():
            return
        page.wait_for_timeout(100)
    pytest.fail("it did not come to be so")


def ask(viewer, method="GET", path=None, headers=None, body=None):
    """The status of one request."""
    connection = http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=10)
    connection.request(method, path or urlsplit(viewer.url).path, body, headers or {})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def pixel_of(viewer, point):
    """Where the client's camera sees a point of the world, in pixels."""
    (client,) = viewer._server.get_clients().values()
    camera = client.camera
    width, height = camera.image_width, camera.image_height  # beside the panel
    back = camera.position - camera.look_at
    back /= np.linalg.norm(back)
    right = np.cross(camera.up_direction, back)
    right /= np.linalg.norm(right)
    seen = np.array([right, np.cross(back, right), back]) @ (point - camera.position)
    scale = height / 2 / np.tan(camera.fov / 2) / -seen[2]
    return width / 2 + scale * seen[0], height / 2 - scale * seen[1]


def is_drawn(page, viewer, motion, t):
    """Whether both rods have their colours where the motion has their mass centres."""
    state = motion.at(t)
    places = motion.system.poses(state.t, state.q).origins
    shot = page.screenshot()
    gaps = [hue_gap(shot, pixel_of(viewer, p), colour(k)) for k, p in enumerate(places)]
    return max(gaps) < 0.22


def test_bodies_are_where_the_data_say(opened, viewer, motion):
    """The box beside the slider moves the time; bodies are drawn at their places."""
    for word in ("joints", "trails"):
        opened.get_by_label(word).uncheck()
    box = opened.locator("input[type=text], input[type=number]").first
    for t in TIMES:
        box.fill(f"{t:.3f}")
        box.press("Enter")
        until(opened, lambda t=t: abs(viewer.time - t) < 1e-6)
        until(opened, lambda t=t: is_drawn(opened, viewer, motion, t))
    assert not is_drawn(opened, viewer, motion, TIMES[0])


def test_the_slider_is_moved_by_keys(opened, viewer):
    """A step of the slider is a thousandth of the motion, to the right and back."""
    viewer.seek(2.0)
    opened.wait_for_timeout(500)
    thumb = opened.get_by_role("slider").first
    thumb.press("ArrowRight")
    until(opened, lambda: abs(viewer.time - 2.005) < 1e-9)
    thumb.press("ArrowLeft")
    until(opened, lambda: abs(viewer.time - 2.0) < 1e-9)


def test_a_couple_is_drawn_as_an_arc(watched):
    """A damped hinge: pixels of the couple's colour come with its switch."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0))
    hinge = ph.Revolute("h", ph.World().origin, rod.point(0, 0, 0.5), axis=ph.Y)
    system = ph.System([hinge], [ph.Weight(9.81), ph.Damper(hinge, 0.2)])
    motion = ph.simulate(system, system.state(h=1.0, speeds={"h": 3.0}), until=1.0)
    viewer = motion.show(browser=False)
    watched.page.set_viewport_size(WINDOW)
    watched.page.goto(viewer.url)
    watched.page.get_by_text("time [s]").wait_for()

    def coloured():
        return count_hue(watched.page.screenshot(), ARROWS["couple"])

    before = coloured()
    watched.page.get_by_label("couple (", exact=False).first.check()
    until(watched.page, lambda: coloured() > before + 100)
    assert watched.errors == []
    viewer.close()


def test_play_moves_the_time(opened, viewer):
    """The button lets the time run, and stops it."""
    viewer.seek(0.5)
    viewer.speed = 0.05  # slow enough for a browser that draws in software
    opened.get_by_role("button", name="Play", exact=True).click()
    until(opened, lambda: viewer.time > 0.52)
    opened.get_by_role("button", name="Pause", exact=True).click()
    until(opened, lambda: not viewer.is_playing)
    rest = viewer.time
    opened.wait_for_timeout(200)
    assert viewer.time == rest


def test_a_picked_body_shows_its_numbers(opened, viewer, motion):
    """A press on a body fills the boxes of its numbers."""
    viewer.seek(1.7)
    opened.wait_for_timeout(1500)
    state = motion.at(1.7)
    place = motion.system.poses(state.t, state.q).origins[0]
    opened.mouse.move(*pixel_of(viewer, place))
    opened.wait_for_timeout(800)  # until the browser knows what is under the pointer
    opened.mouse.down()
    opened.mouse.up()
    opened.get_by_text("mass centre").wait_for()
    shown = [box.input_value() for box in opened.locator("input").all()]
    assert {"upper", "1 kg"} <= set(shown)


def test_the_gate_on_the_wire(viewer):
    """Only this machine, only with the word, and nothing can be sent up."""
    path = urlsplit(viewer.url).path
    assert ask(viewer) == 200
    assert ask(viewer, path="/") == 403
    assert ask(viewer, headers={"Host": "evil.example"}) == 403
    assert ask(viewer, headers={"Origin": "http://evil.example"}) == 403
    assert ask(viewer, path=f"{path}../../../etc/passwd") == 404
    assert ask(viewer, path=f"{path}%2e%2e/%2e%2e/etc/passwd") == 404
    assert ask(viewer, path=f"{path}nothing.js") == 404
    assert ask(viewer, "POST", body=b"x" * 1000) == 413
    assert ask(viewer, headers={"Content-Length": "99999999999"}) == 413


def test_it_listens_on_loopback_only(viewer):
    """The socket is bound to 127.0.0.1, and another address of the host is closed."""
    other = "127.0.0.2"
    with socket.socket() as probe, pytest.raises(OSError, match="refused"):
        probe.connect((other, viewer.port))


def test_a_socket_without_the_word_is_refused(viewer):
    """The channel of messages is behind the gate, too."""
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    origin = f"http://127.0.0.1:{viewer.port}"
    good = viewer.url.replace("http", "ws").rstrip("/")
    for url, host in ((f"ws://127.0.0.1:{viewer.port}/", origin), (good, None)):
        with pytest.raises(InvalidStatus, match="403"):
            connect(url, origin=host)
    with connect(good, origin=origin, subprotocols=None) as channel:
        channel.close()


def test_nobody_can_ask_for_a_public_address(viewer):
    """The message that would open a tunnel has no ear."""
    from viser import _messages

    handlers = viewer._server._websock_server._incoming_handlers
    assert _messages.ShareUrlRequest not in handlers


def test_two_runs_have_two_words(viewer, motion):
    """Port and word are of one run; a closed viewer answers nobody."""
    other = motion.show(browser=False)
    assert other.port != viewer.port
    assert urlsplit(other.url).path != urlsplit(viewer.url).path
    assert ask(other, path=urlsplit(viewer.url).path) == 403
    other.close()
    assert "closed" in repr(other)
    with pytest.raises(OSError, match="refused"):
        ask(other)


def test_a_free_body_draws_its_herpolhode_where_it_rolls(watched):
    """On the plane at rest, the curve has its colour at its places, with its switch."""
    begin = start("tennis_racket")
    motion = ph.simulate(begin.system, begin, until=8.0)
    viewer = motion.show(browser=False)
    viewer.pause()
    watched.page.set_viewport_size(WINDOW)
    watched.page.goto(viewer.url)
    watched.page.get_by_text("time [s]").wait_for()
    (rolling,) = scene_of(motion).rollings
    centre = motion.system.poses(0.0, motion.at(0.0).q).origins[0]
    curve = rolling.herpolhode - rolling.herpolhode[0]
    outer = np.argsort(np.linalg.norm(curve, axis=1))[-60::5]
    places = centre + rolling.herpolhode[outer]
    hue = "#{:02x}{:02x}{:02x}".format(*HERPOLHODE)

    def gaps():
        shot = watched.page.screenshot()
        return np.array([hue_gap(shot, pixel_of(viewer, p), hue) for p in places])

    until(watched.page, lambda: np.mean(gaps() < 0.22) > 0.3)
    drawn = gaps()
    watched.page.get_by_label("polhode", exact=True).uncheck()
    until(watched.page, lambda: np.sum(gaps() > 0.3) >= 3)
    beside = gaps() > 0.3  # where the body, of the same blue, is not behind it
    assert np.all(drawn[beside] < 0.22)
    away = (rolling.herpolhode - rolling.distance * rolling.normal) @ rolling.normal
    assert np.abs(away).max() < 1e-5 * rolling.distance
    assert watched.errors == []
    viewer.close()


def test_keys_play_and_step(opened, viewer):
    """Space plays and pauses, N steps on, Home goes to the beginning."""
    viewer.seek(1.0)
    opened.mouse.click(200, 400)
    opened.keyboard.press("n")
    until(opened, lambda: abs(viewer.time - 1.05) < 1e-9)
    opened.keyboard.press("Home")
    until(opened, lambda: viewer.time == 0.0)
    opened.keyboard.press("Space")
    until(opened, lambda: viewer.is_playing)
    opened.keyboard.press("Space")
    until(opened, lambda: not viewer.is_playing)


def test_two_motions_stand_side_by_side(watched, motion):
    """The clock is of the longer one; the shorter stands still at its end."""
    longer = ph.simulate(motion.system, motion.at(0.0), until=6.0)
    viewer = motion.show(browser=False, beside=longer)
    watched.page.goto(viewer.url)
    watched.page.get_by_text("time [s]").wait_for()
    viewer.seek(5.5)
    assert [live.time for live in viewer._lives] == [5.0, 5.5]
    viewer.seek(9.0)
    assert viewer.time == 6.0
    assert watched.errors == []
    viewer.close()
