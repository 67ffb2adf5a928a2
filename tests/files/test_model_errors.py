"""Files that are wrong: all errors at once, in words, by line, and nothing run."""

from __future__ import annotations

import pickle
import random
import tracemalloc

import pytest

import polhode as ph
from polhode.errors import FileError, ModelError, ModelFileError, UnsafeFile

GOOD = """polhode = 1
name = "pendulum"

[parameters]
m = 1.2
l = 0.8

[bodies.rod]
solid = "rod"
mass = "m"
length = "l"
points = { end = [0, 0, "l / 2"] }

[joints.hinge]
kind = "revolute"
first = "world"
second = "rod.end"
axis = "-Y"

[actions.weight]
kind = "weight"
gravity = 9.81
"""
WRONG = """polhode = 1
name = "pendulum"
colour = "red"

[parameters]
m = 1.2
l = nan

[bodies.rod]
solid = "rodd"
mass = "m"

[bodies.bob]
solid = "sphere"
radius = 0.1
mass = "mm * 2"
lenght = 3

[bodies.nut]
mass = -1.0
inertia = [1, 1, 1]

[joints.hinge]
kind = "revolut"
first = "world"

[joints.pin]
kind = "revolute"
first = "world"
second = "bbo"
axis = "W"

[actions.weight]
kind = "weight"
gravity = "9,81"

[actions.spring]
kind = "joint_spring"
joint = "pn"
stiffness = true

[run]
until = "soon"
method = "DormandPrinz"
"""
GOLDEN = """\
'model.toml' is no model that can be read: 14 errors.

  line 3, column 1: colour: unknown section. There are: 'polhode', 'name', 'members',\
 'world', 'parameters', 'values', 'bodies', 'joints', 'actions', 'constraints',\
 'supports', 'start' and 6 more.
  line 7, column 1: parameters.l: nan measures nothing: give a finite number.
  line 10, column 1: bodies.rod.solid: 'rodd' is no solid. Did you mean 'rod'?
  line 16, column 1: bodies.bob.mass: there is no parameter 'mm'. Did you mean 'm'?
  line 17, column 1: bodies.bob.lenght: unknown field. There are: 'solid', 'radius',\
 'mass', 'density', 'shift', 'turn', 'cut'.
  line 19, column 1: bodies.nut: 'nut' cannot have mass -1 kg. Give a mass of zero or\
 more; to cut a hole, use ph.solids.pierced.
  line 24, column 1: joints.hinge.kind: kind 'revolut' is not known. Did you mean\
 'revolute'?
  line 30, column 1: joints.pin.second: there is no body 'bbo'. Did you mean 'bob'?
  line 31, column 1: joints.pin.axis: 'W' is no direction. There are: 'X', '-X', 'Y',\
 '-Y', 'Z', '-Z'.
  line 35, column 1: actions.weight.gravity: ',' does not belong in '9,81'.
  line 39, column 1: actions.spring.joint: there is no joint 'pn'. Did you mean 'pin'?
  line 40, column 1: actions.spring.stiffness: True is neither a number nor an\
 expression of parameters.
  line 43, column 1: run.until: 'soon' is not a number.
  line 44, column 1: run.method: 'DormandPrinz' is no method. Did you mean\
 'DormandPrince'?

  What a model file may say is in docs/model-files.md."""


def refusal(tmp_path, content, kind=ModelFileError):
    """The error with which a file of this content is refused."""
    path = tmp_path / "model.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(kind) as refused:
        ph.load_model(path)
    return refused.value


def test_a_good_file_is_a_pendulum(tmp_path):
    """m l^2/3 about its hinge, and it rests hanging down."""
    path = tmp_path / "model.toml"
    path.write_text(GOOD)
    model = ph.load_model(path)
    inertia = float(model.system.mass_matrix(0.0, [0.1])[0, 0])
    assert inertia == pytest.approx(1.2 * 0.8**2 / 3)
    assert model.system.parameters == {"m": 1.2, "l": 0.8, "weight.gravity": 9.81}


def test_all_errors_are_told_at_once_by_line(tmp_path):
    """The whole text, in the user's words, with the nearest valid names."""
    error = refusal(tmp_path, WRONG)
    assert str(error).splitlines() == GOLDEN.splitlines()
    assert error.code == "IO"
    assert isinstance(error, ModelError)


def test_an_unknown_kind_does_not_hide_other_errors(tmp_path):
    """What all kinds have is looked at all the same, and so is the start."""
    text = GOOD.replace('solid = "rod"', 'solid = "rodd"').replace('"m"', '"mm"')
    text = text.replace('"revolute"', '"hinge"').replace('"world"', '"wrld"')
    text += "\n[start]\ncoordinates = { hing = 1.0 }\n[action.weight]\n"
    told = str(refusal(tmp_path, text))
    for words in (
        "bodies.rod.solid: 'rodd' is no solid",
        "bodies.rod.mass: there is no parameter 'mm'",
        "joints.hinge.kind: kind 'hinge' is not known",
        "joints.hinge.first: there is no body 'wrld'",
        "start.coordinates.hing: there is no such joint",
        "line 26, column 1: action: unknown section",
    ):
        assert words in told


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "line 1, column 1: the file is empty"),
        ("  \n\n", "the file is empty"),
        (GOOD[: GOOD.index("1.2") - 1], "line 5, column 4: this is no TOML"),
        (GOOD[:100], "line 11, column 2: this is no TOML"),
        (
            GOOD.replace("m = 1.2", "m = 1.2\nm = 2"),
            "line 6, column 6: this is no TOML",
        ),
        (GOOD + "\n[bodies.rod]\nmass = 2\n", "line 24, column 12: this is no TOML"),
        (GOOD.replace("1.2", "nan"), "line 5, column 1: parameters.m: nan measures"),
        (GOOD.replace("1.2", "-inf"), "parameters.m: -inf measures nothing"),
        (GOOD.replace("9.81", "nan"), "line 22, column 1: actions.weight.gravity"),
        (GOOD.replace("axis", "axes"), "line 18, column 1: joints.hinge.axes: unknown"),
        (GOOD.replace("polhode = 1", "polhode = 7"), "line 1, column 1: polhode: the"),
        (GOOD.replace("1.2", "9" * 5000), "no TOML"),
        (b"name = '\xff\xfe'", "line 1, column 9: byte 0xff is no text"),
        ("x = " + "[" * 100_000, "line 1, column 29: more than 24 levels"),
        ("x = " + "{a=" * 100_000, "more than 24 levels"),
        ("a" + ".a" * 100_000 + " = 1", "more than 24 levels"),
        ("[" + '"a".' * 100_000 + "a]", "more than 24 levels"),
        ("bodies = 3\npolhode = 1", "line 1, column 1: bodies: 3 is no table"),
        ("k" * 490_000, "no TOML"),
        ("\n".join(f"k{i} = {i}" for i in range(4_000)), "40 errors or more"),
    ],
    ids=lambda x: repr(x)[:30] if isinstance(x, str) else "bytes",
)
def test_what_is_no_model_is_refused_by_line_and_column(tmp_path, content, words):
    """Empty, cut, doubled, deep, without numbers, unknown: one house error, in MBs."""
    tracemalloc.start()
    error = refusal(tmp_path, content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert words in str(error)
    assert error.code == "IO"
    assert peak < 100e6


def test_a_gigabyte_is_not_read(tmp_path):
    """A sparse file of 1 GB is refused by its size, with a few MB of memory."""
    path = tmp_path / "model.toml"
    with path.open("wb") as file:
        file.write(b'name = "')
        file.truncate(10**9)
    tracemalloc.start()
    with pytest.raises(ModelFileError, match=r"larger than 500,000 bytes .line 1"):
        ph.load_model(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6


def test_random_bytes_are_refused(tmp_path):
    """Whatever a file holds, the answer is a house error with a line."""
    draw = random.Random(5)
    for size in (1, 2, 5, 50, 2000):
        for _ in range(20):
            error = refusal(tmp_path, draw.randbytes(size))
            assert "line" in str(error) or error.code == "SEC"


def test_every_truncation_is_refused_or_whole(tmp_path):
    """A file cut anywhere gives a model or one house error, never another one."""
    path = tmp_path / "model.toml"
    refused = 0
    for size in range(0, len(GOOD), 3):
        path.write_text(GOOD[:size])
        try:
            ph.load_model(path)
        except ModelFileError as error:
            refused += "line" in str(error)
    assert refused > 80


class Bomb:
    """What would be called if a pickle were loaded."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was loaded",))


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_is_never_loaded(tmp_path, protocol):
    """Objects that act when they are read are refused for safety, unread."""
    error = refusal(tmp_path, pickle.dumps(Bomb(), protocol), UnsafeFile)
    assert error.code == "SEC"
    assert "is a Python pickle" in str(error)


@pytest.mark.parametrize(
    "text", ["__import__('os').system('x')", 'open("x", "w")', "().__class__"]
)
def test_words_of_python_are_refused_for_safety(tmp_path, text):
    """An expression that looks like code is told as such, and is not run."""
    content = GOOD.replace('mass = "m"', f"mass = '''{text}'''")
    error = refusal(tmp_path, content, UnsafeFile)
    assert error.code == "SEC"
    assert "line 10, column 1: bodies.rod.mass" in str(error)


@pytest.mark.parametrize("path", ["../x.stl", "/etc/passwd", "a/../../x.stl"])
def test_files_stay_in_the_folder_of_the_model(tmp_path, path):
    """A mesh elsewhere is refused for safety, whether it is there or not."""
    mesh = f'[bodies.part]\nsolid = "mesh"\nmass = 1\nfile = "{path}"\n'
    (tmp_path / "in").mkdir()
    error = refusal(tmp_path / "in", GOOD + mesh, UnsafeFile)
    assert "leads out of the model's folder" in str(error)


def test_a_link_out_of_the_folder_is_followed_and_refused(tmp_path):
    """A symbolic link is judged by where it leads."""
    outside, inside = tmp_path / "x.stl", tmp_path / "in"
    outside.write_text("solid")
    inside.mkdir()
    (inside / "x.stl").symlink_to(outside)
    mesh = '[bodies.part]\nsolid = "mesh"\nmass = 1\nfile = "x.stl"\n'
    assert "leads out" in str(refusal(inside, GOOD + mesh, UnsafeFile))


def test_a_mesh_beside_the_model_is_read(tmp_path):
    """A box of 2 x 4 x 6 by its file has the moments of the box."""
    import trimesh

    trimesh.creation.box((2, 4, 6)).export(tmp_path / "part.stl")
    content = (
        'polhode = 1\n[bodies.part]\nsolid = "mesh"\nmass = 3\nfile = "part.stl"\n'
    )
    path = tmp_path / "model.toml"
    path.write_text(content)
    inertia = ph.load_model(path).system.bodies[0].moments().inertia
    assert inertia[0, 0] == pytest.approx(3 / 12 * (16 + 36))


def test_a_missing_file_is_told(tmp_path):
    """There is no file: the system's own words, in a house error."""
    with pytest.raises(FileError, match="No such file"):
        ph.load_model(tmp_path / "no.toml")


def test_what_the_model_itself_refuses_has_a_line_too(tmp_path):
    """A start that names no joint, and two parameters of one name."""
    start = "\n[start]\ncoordinates = { hing = 2.0 }\n"
    error = refusal(tmp_path, GOOD + start)
    assert "line 25, column 17: start.coordinates.hing: there is no such joint." in str(
        error
    )
    assert "Did you mean 'hinge'?" in str(error)
