"""Questions in model files: goals, bounds and rows of numbers by their words."""

from __future__ import annotations

import json

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.cli import main
from polhode.errors import AnalysisError, FileError, ModelFileError
from polhode.files.questions import bound_from, goal_from, numbers_from

RING = """polhode = 1
name = "ring"
[bodies.one]
kind = "particle"
mass = 1.0
[bodies.two]
kind = "particle"
mass = 2.0
[joints.x]
kind = "prismatic"
first = "world"
second = "one"
axis = "X"
[joints.y]
kind = "prismatic"
first = "world"
second = "two"
axis = "Z"
[parameters]
r = 1.0
[constraints.ring]
kind = "joint_equation"
joints = ["x", "y"]
law = "q1 ** 2 + q2 ** 2 - r ** 2"
[actions.weight]
kind = "weight"
gravity = 9.81
[start]
coordinates = { x = 0.6, y = 0.8 }
[run]
until = 0.5
[section]
zero = "x - 0.7"
"""


@pytest.fixture
def ring(tmp_path):
    """The file of two slides on a ring."""
    path = tmp_path / "ring.toml"
    path.write_text(RING)
    return path


def test_an_equation_between_joints_is_read_and_written(ring, tmp_path):
    """Its formula holds along the motion, and comes back from a file as it was."""
    model = ph.load_model(ring)
    again = tmp_path / "again.toml"
    ph.save_model(model.system, again, start=model.start)
    for each in (model, ph.load_model(again)):
        motion = ph.simulate(each.system, each.start, until=0.3)
        x, y = np.ravel(motion["x"]), np.ravel(motion["y"])
        assert_close(x**2 + y**2, np.ones(len(x)), atol=1e-9)
    assert 'law = "q1 ** 2 + q2 ** 2 - r ** 2"' in again.read_text()


def test_a_formula_of_more_joints_than_there_are_is_refused(ring):
    """q3 is no coordinate of two joints."""
    ring.write_text(RING.replace("q2 ** 2 -", "q3 ** 2 -"))
    with pytest.raises(ModelFileError, match="'q3', which is no variable here"):
        ph.load_model(ring)


def test_a_file_asks_and_the_command_answers(ring, capsys):
    """The section of the file: where x passes 0.7 upwards."""
    assert main(["section", str(ring), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["passes"]
    assert_close(row[1], 0.7, atol=1e-6)
    assert row[3] > 0


def test_an_unknown_word_of_a_question_is_refused(ring):
    """By line, with the nearest word."""
    ring.write_text(RING.replace('zero = "x', 'zeros = "x'))
    with pytest.raises(ModelFileError, match="Did you mean 'zero'"):
        ph.load_model(ring)


def test_goals_and_bounds_by_their_words():
    """At the end, an integral, a peak; each against a number."""
    system = ph.models.pendulum()
    kinds = {"hinge": "AtEnd", "integral of hinge ** 2": "Integral"}
    kinds |= {"peak of m * hinge.speed": "Peak"}
    for text, kind in kinds.items():
        assert type(goal_from(system, text)).__name__ == kind
    state = system.state({"hinge": 0.5}, speeds={"hinge": 2.0})
    found = goal_from(system, "peak of m * hinge.speed").function(0.0, state)
    assert_close(float(found), 1.2 * 2.0)
    assert repr(bound_from(system, "hinge == 0.5")) == "Bound(0.5 <= AtEnd <= 0.5)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("peak of hinge", "bounds nothing"),
        ("hinge <= low", "not a finite number"),
        ("hing <= 1", "Did you mean 'hinge'"),
    ],
)
def test_what_bounds_nothing_is_refused(text, words):
    """Who, what, and how to write it."""
    with pytest.raises(AnalysisError, match=words):
        bound_from(ph.models.pendulum(), text)


def test_rows_of_numbers():
    """From, to and how many; or a list."""
    assert_close(numbers_from("0:300:4"), [0.0, 100.0, 200.0, 300.0])
    assert_close(numbers_from("0.5,2"), [0.5, 2.0])
    with pytest.raises(AnalysisError, match="no row of numbers"):
        numbers_from("0:300")


def test_the_command_finds_what_the_function_finds(capsys):
    """`polhode campbell` and `ph.campbell` have the same critical speeds."""
    words = ["campbell", "rotor", "--spin", "spin", "--speeds", "0:300:3", "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)["criticals"]
    assert_close([each["speed"] for each in found], [64.77, 76.5], rtol=1e-3)


def test_the_command_optimises(capsys):
    """The fastest start swings highest."""
    vary = ["--vary", "first speed of hinge=0:3", "--most", "hinge", "--until", "0.3"]
    assert main(["optimise", "pendulum", *vary, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert_close(facts["variables"]["first speed of hinge"], 3.0, rtol=1e-6)


QUESTIONS = {
    "optimise": {
        "variables": {"pendulum.mass": (0.5, 2.0)},
        "least": "integral of hinge ** 2",
        "keep": ["peak of hinge <= 1"],
    },
    "campbell": {"spin": "hinge", "speeds": np.linspace(0, 3, 4), "orders": [1.0]},
    "section": {"every": 0.5, "after": 2.0, "over": "g", "values": np.arange(3.0)},
}


def test_questions_come_back(tmp_path):
    """What a file asks is written again: sections, rows of numbers, bounds."""
    path = tmp_path / "asked.toml"
    ph.save_model(ph.models.pendulum(), path, questions=QUESTIONS)
    once = ph.load_model(path)
    again = tmp_path / "again.toml"
    ph.save_model(once.system, again, start=once.start, questions=once.questions)
    found = ph.load_model(again).questions
    assert found.keys() == QUESTIONS.keys()
    for word, told in QUESTIONS.items():
        assert found[word].keys() == told.keys()
        for name, value in told.items():
            assert_same(found[word][name], value)


def assert_same(found, value):
    if isinstance(value, dict):
        assert {k: tuple(v) for k, v in found.items()} == value
    else:
        assert np.array_equal(np.asarray(found), np.asarray(value))


@pytest.mark.parametrize(
    "asked", [{"campbel": {}}, {"section": {"evry": 1.0}}, {"optimise": 3}]
)
def test_a_question_that_no_command_asks_is_refused(asked, tmp_path):
    """By name, with the nearest there is; nothing is written."""
    path = tmp_path / "asked.toml"
    with pytest.raises(FileError, match=r"campbel|evry|optimise"):
        ph.save_model(ph.models.pendulum(), path, questions=asked)
    assert not path.exists()
