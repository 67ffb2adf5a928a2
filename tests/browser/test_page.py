"""The page in a real browser."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from pixels import count_hue, hue_gap
from polhode.models.gallery import start
from polhode.show.plots.palette import ARROWS, colour

pytestmark = pytest.mark.browser
TIMES = (0.0, 1.7, 4.2)


@pytest.fixture(scope="module")
def file(motion, tmp_path_factory):
    """The page of a double pendulum."""
    return motion.page(tmp_path_factory.mktemp("page") / "motion.html")


@pytest.fixture
def opened(watched, file):
    """The page, open and at rest; what it did wrong is asked at the end."""
    watched.page.goto(f"{file.as_uri()}#still")
    until(watched.page, "window.polhode !== undefined")
    yield watched.page
    assert watched.errors == []
    assert watched.requests == [file.as_uri()]


def until(page, condition):
    """Ask until it is so; the page's policy forbids the browser to ask by itself."""
    for _ in range(100):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    pytest.fail(condition)


def put(page, t, until=5.0):
    """Move the slider to a time, as a person does, and wait until it is drawn."""
    page.locator("#slider").fill(str(t / until))
    page.evaluate("window.polhode.redraw()")


@pytest.mark.parametrize("t", TIMES)
def test_bodies_are_where_the_data_say(opened, motion, t):
    """The slider's time is the motion's; bodies have its places, drawn there."""
    put(opened, t)
    assert_close(opened.evaluate("window.polhode.time()"), t, atol=1e-9)
    drawn = opened.evaluate("window.polhode.bodies()")
    state = motion.at(t)
    poses = motion.system.poses(state.t, state.q)
    opened.locator("[data-shows=joints]").uncheck()
    box = opened.locator("#stage").bounding_box()
    put(opened, t)
    shot = opened.screenshot()
    for k, body in enumerate(motion.system.bodies):
        found = drawn[body.name]
        assert_close(found["origin"], poses.origins[k], atol=1e-3)
        assert_close(np.transpose(found["axes"]), poses.rotations[k], atol=2e-3)
        pixel = np.add(found["pixel"], [box["x"], box["y"]])
        assert hue_gap(shot, pixel, colour(k)) < 0.2, body.name


def test_a_place_without_a_body_is_not_coloured(opened):
    """The colour test can fail: the corner of the stage is grey."""
    box = opened.locator("#stage").bounding_box()
    corner = (box["x"] + box["width"] - 30, box["y"] + 30)
    assert hue_gap(opened.screenshot(), corner, colour(0)) > 0.2


def test_play_runs_and_pauses(opened):
    """Time goes on while it plays, stops when it is paused, at the speed chosen."""
    put(opened, 1.0)
    opened.locator("#speed").select_option("0.25")
    opened.locator("#play").click()
    until(opened, "window.polhode.time() > 1.05")
    opened.locator("#play").click()
    rest = opened.evaluate("window.polhode.time()")
    assert 1.05 < rest < 4.9
    opened.wait_for_timeout(150)
    assert opened.evaluate("window.polhode.time()") == rest


def test_equations_are_visible(opened):
    """Formulas have a size, fractions stack, and coordinates are words."""
    formulas = opened.locator("math")
    assert formulas.count() == 3
    for k in range(3):
        box = formulas.nth(k).bounding_box()
        assert box["height"] > 20
        assert box["width"] > 100
    fraction = opened.locator("mfrac").first
    over, under = (fraction.locator("> *").nth(k).bounding_box() for k in (0, 1))
    assert over["y"] + over["height"] <= under["y"] + 4
    assert "elbow" in formulas.first.text_content()


def test_the_slider_is_dragged_by_a_hand(opened):
    """Pressed at its left end and drawn to three quarters, it takes the time along."""
    box = opened.locator("#slider").bounding_box()
    y = box["y"] + box["height"] / 2
    opened.mouse.move(box["x"] + 8, y)
    opened.mouse.down()
    opened.mouse.move(box["x"] + 0.75 * box["width"], y, steps=4)
    opened.mouse.up()
    opened.evaluate("window.polhode.redraw()")
    t = opened.evaluate("window.polhode.time()")
    assert 3.5 < t < 4.0
    assert opened.locator("#clock").inner_text() == f"t = {t:.3f} s"


def test_the_forms_are_on_the_page_side_by_side(opened):
    """A table of formulations that can be seen, and how far they are apart."""
    card = opened.locator("section", has_text="All formulations, side by side")
    names = card.locator("tbody td:first-child").all_inner_texts()
    assert {"recursive", "Kane", "Lagrange, second kind"} <= set(names)
    assert card.bounding_box()["height"] > 100
    assert "forms agree within" in card.locator(".note").inner_text()


def test_curves_follow_the_time_and_lead_it(opened):
    """The cursor is where the slider is; a press on a plot moves both."""
    plot = opened.locator("#plot-0 svg")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    opened.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    t = opened.evaluate("window.polhode.time()")
    assert 1.5 < t < 3.5
    slider = float(opened.locator("#slider").input_value())
    assert_close(slider, t / 5.0, atol=1e-3)


def test_a_picked_body_shows_its_numbers(opened):
    """A press on a body opens its mass and velocities; one beside it closes them."""
    put(opened, 1.7)
    opened.locator("[data-shows=joints]").uncheck()
    box = opened.locator("#stage").bounding_box()
    x, y = opened.evaluate("window.polhode.bodies().upper.pixel")
    opened.mouse.click(box["x"] + x, box["y"] + y)
    until(opened, "document.getElementById('chosen').innerText.length > 9")
    words = opened.locator("#chosen").inner_text()
    assert "upper" in words
    assert "1.000 kg" in words
    opened.mouse.click(box["x"] + box["width"] - 20, box["y"] + 200)
    assert opened.locator("#chosen").is_hidden()


def test_every_switch_can_be_turned(opened):
    """Arrows, frames, names and the rest are drawn without an error."""
    boxes = opened.locator("#switches input")
    assert boxes.count() >= 9
    for k in range(boxes.count()):
        boxes.nth(k).check()
    put(opened, 2.0)
    assert opened.locator("#labels span").first.is_visible()


def test_the_policy_stops_what_would_go_out(watched, file):
    """Even a script put into the page by hand may not fetch, nor load a script."""
    watched.page.goto(f"{file.as_uri()}#still")
    said = watched.page.evaluate(
        "fetch('http://127.0.0.1:9/').then(() => 'sent', error => 'stopped')"
    )
    assert said == "stopped"
    watched.page.evaluate(
        """() => { const script = document.createElement('script');
                   script.textContent = 'window.intruder = 1';
                   document.body.appendChild(script); }"""
    )
    assert watched.page.evaluate("window.intruder") is None


def test_a_free_body_is_drawn_with_its_polhode(watched, tmp_path):
    """The ellipsoid, its curves and the plane are there, and nothing goes wrong."""
    begin = start("tennis_racket")
    path = ph.simulate(begin.system, begin, until=5.0).page(
        tmp_path / "racket.html", compare=False
    )
    watched.page.goto(f"{path.as_uri()}#still")
    with_it = watched.page.locator("#stage").screenshot()
    watched.page.locator("[data-shows=ellipsoid]").uncheck()
    watched.page.evaluate("window.polhode.redraw()")
    assert watched.page.locator("#stage").screenshot() != with_it
    assert watched.errors == []


def test_a_couple_is_drawn_as_an_arc_in_its_colour(watched, tmp_path):
    """A damped hinge: pixels of the couple's colour come with its switch and go."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0))
    hinge = ph.Revolute("h", ph.World().origin, rod.point(0, 0, 0.5), axis=ph.Y)
    system = ph.System([hinge], [ph.Weight(9.81), ph.Damper(hinge, 0.2)])
    motion = ph.simulate(system, system.state(h=1.0, speeds={"h": 3.0}), until=1.0)
    path = motion.page(tmp_path / "damped.html", compare=False, equations=False)
    watched.page.goto(f"{path.as_uri()}#still")

    def coloured():
        watched.page.evaluate("window.polhode.redraw()")
        return count_hue(watched.page.locator("#stage").screenshot(), ARROWS["couple"])

    before = coloured()
    watched.page.locator("[data-shows=couple]").check()
    assert coloured() > before + 100
    watched.page.locator("[data-shows=couple]").uncheck()
    assert coloured() == before
    assert watched.errors == []


def test_names_with_markup_do_nothing(watched, tmp_path):
    """A body called like a script is a name, also on the stage."""
    nasty = "<img src=x onerror='window.intruder=1'>"
    rod = ph.Body(nasty, ph.solids.rod(mass=1.0, length=1.0))
    hinge = ph.Revolute("h", ph.World().origin, rod.point(0, 0, 0.5), axis=ph.Y)
    system = ph.System([hinge], actions=[ph.Weight(9.81)], name=f"</title>{nasty}")
    begin = system.state(h=1.0)
    path = ph.simulate(system, begin, until=1.0).page(
        tmp_path / "nasty.html", compare=1
    )
    watched.page.goto(f"{path.as_uri()}#still")
    watched.page.locator("[data-shows=names]").check()
    watched.page.evaluate("window.polhode.redraw()")
    assert watched.page.locator("#labels span").first.inner_text() == nasty
    assert watched.page.evaluate("window.intruder") is None
    assert watched.errors == []
    assert watched.requests == [path.as_uri()]


# ----------------------------------------------------------- theme, keys, touch


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_the_system_and_has_a_button(browser, file, scheme):
    """Paper is light or dark as the system prefers; the button turns it round."""
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{file.as_uri()}#still")
    until(page, "window.polhode !== undefined")

    def brightness():
        text = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(int(x) for x in text[4:-1].split(",")) / 3

    assert page.evaluate("window.polhode.theme()") == scheme
    assert (brightness() < 80) == (scheme == "dark")
    curve = "document.querySelector('.curve').getAttribute('stroke')"
    before = page.evaluate(curve)
    page.locator("#theme").click()
    other = {"light": "dark", "dark": "light"}[scheme]
    assert page.evaluate("window.polhode.theme()") == other
    assert (brightness() < 80) == (other == "dark")
    assert page.evaluate(curve) != before
    context.close()


def test_keys_move_time_speed_and_camera(opened):
    """Space, arrows, home, end, plus and minus, and 0 for the first view."""
    time = "window.polhode.time()"
    distance = "window.polhode.camera().distance"
    opened.keyboard.press("End")
    assert_close(opened.evaluate(time), 5.0)
    opened.keyboard.press("Home")
    assert opened.evaluate(time) == 0.0
    opened.keyboard.press("ArrowRight")
    assert_close(opened.evaluate(time), 0.05)
    opened.keyboard.press("ArrowLeft")
    assert_close(opened.evaluate(time), 0.0, atol=1e-12)
    opened.keyboard.press("ArrowUp")
    assert opened.evaluate("window.polhode.speed()") == 2
    first = opened.evaluate(distance)
    opened.keyboard.press("+")
    assert opened.evaluate(distance) < first
    opened.keyboard.press("-")
    opened.keyboard.press("-")
    assert opened.evaluate(distance) > first
    opened.keyboard.press("0")
    assert_close(opened.evaluate(distance), first, rtol=1e-6)
    opened.keyboard.press(" ")
    until(opened, "window.polhode.time() > 0.1")
    opened.keyboard.press(" ")


def test_one_finger_turns_and_two_come_nearer(opened):
    """Touches as a screen sends them: a drag orbits, a pinch zooms."""
    box = opened.locator("#stage").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    wire = opened.context.new_cdp_session(opened)

    def touch(kind, *places):
        points = [{"x": a, "y": b, "id": k} for k, (a, b) in enumerate(places)]
        wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    before = opened.evaluate("window.polhode.camera()")
    touch("touchStart", (x, y))
    touch("touchMove", (x + 80, y))
    touch("touchEnd")
    turned = opened.evaluate("window.polhode.camera()")
    assert turned["azimuth"] != before["azimuth"]
    assert turned["distance"] == before["distance"]
    touch("touchStart", (x - 40, y), (x + 40, y))
    touch("touchMove", (x - 120, y), (x + 120, y))
    touch("touchEnd")
    nearer = opened.evaluate("window.polhode.camera()")
    assert nearer["distance"] < 0.6 * turned["distance"]


def test_two_motions_side_by_side_share_clock_and_camera(watched, motion, tmp_path):
    """The bodies of both are where their motions say, at one time."""
    system = motion.system
    other = ph.simulate(system, system.state(shoulder=0.4, elbow=0.1), until=3.0)
    path = motion.page(tmp_path / "two.html", beside=other, compare=False)
    page = watched.page
    page.goto(f"{path.as_uri()}#still")
    until(page, "window.polhode !== undefined")
    put(page, 2.0)
    for number, each in enumerate((motion, other)):
        drawn = page.evaluate(f"window.polhode.bodies({number})")
        state = each.at(2.0)
        poses = system.poses(state.t, state.q)
        for k, body in enumerate(system.bodies):
            assert_close(drawn[body.name]["origin"], poses.origins[k], atol=1e-3)
    boxes = [page.locator(f"#stage{end}").bounding_box() for end in ("", "-1")]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"] + 1
    put(page, 4.0)  # the shorter one stands still at its end
    last = other.at(3.0)
    found = page.evaluate("window.polhode.bodies(1)")[system.bodies[0].name]
    poses = system.poses(last.t, last.q)
    assert_close(found["origin"], poses.origins[0], atol=1e-3)
    assert watched.errors == []


def test_the_legend_and_the_controls_are_beside_the_scene(opened):
    """Neither lies over the canvas."""
    stage = opened.locator("#stage").bounding_box()
    for word in ("#switches", ".bar"):
        assert opened.locator(word).bounding_box()["y"] >= stage["y"] + stage["height"]


def test_the_whole_motion_is_in_the_picture_at_first(opened, motion):
    """At all times every mass centre is within the canvas."""
    box = opened.locator("#stage").bounding_box()
    for t in np.linspace(0, 5, 6):
        put(opened, t)
        for found in opened.evaluate("window.polhode.bodies()").values():
            x, y = found["pixel"]
            assert 0 < x < box["width"]
            assert 0 < y < box["height"]


def test_the_camera_goes_along_with_a_body(opened, motion):
    """A body that is followed stays in the middle of the picture."""
    name = motion.system.bodies[-1].name
    opened.locator("#follow").select_option(name)
    box = opened.locator("#stage").bounding_box()
    for t in (0.5, 3.0):
        put(opened, t)
        x, y = opened.evaluate("window.polhode.bodies()")[name]["pixel"]
        assert abs(x - box["width"] / 2) < 2
        assert abs(y - box["height"] / 2) < 2
