"""Values where others belong, numbers without end, odd encodings: refused by line."""

from __future__ import annotations

import resource

import numpy as np
import pytest

import polhode as ph
from call_count import count_calls
from polhode.errors import FileError, ModelError, ModelFileError
from polhode.files import issues

GOOD = """polhode = 1
[bodies.rod]
solid = "rod"
mass = 1.0
length = 1.0
fluid = { density = 1.0 }
[joints.hinge]
kind = "revolute"
first = "world"
second = "rod"
axis = "Y"
limits = [-1, 1]
[actions.weight]
kind = "weight"
gravity = 9.81
[actions.rubbing]
kind = "joint_friction"
joint = "hinge"
law = { kind = "viscous", damping = 0.1 }
[start]
coordinates = { hinge = 0.1 }
[run]
until = 1.0
samples = [0.0, 0.5]
method = { kind = "RungeKutta4", step = 0.01 }
"""
ODD = ("[]", "{}", "[[]]", "{ a = [] }", "1" * 400, "0x" + "f" * 9000, "-" + "9" * 330)
ODD += ('"' + "9" * 1999 + '"', '"1e400"', "nan", "1979-05-27", "true")
PLACES = [k for k, line in enumerate(GOOD.splitlines()) if "=" in line]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("place", PLACES)
def test_an_odd_value_is_refused_by_line_or_loads(tmp_path, place, odd):
    """Wherever it stands: no error of Python reaches the user."""
    lines = GOOD.splitlines()
    lines[place] = f"{lines[place].partition('=')[0]}= {odd}"
    path = tmp_path / "model.toml"
    path.write_text("\n".join(lines))
    words = said(lambda: ph.load_model(path))
    assert "line " in words
    assert "column " in words


def said(call) -> str:
    """What a refusal says; where there is none, what stands for it."""
    try:
        call()
    except ModelFileError as error:
        return str(error)
    return "line 1, column 1"


@pytest.mark.parametrize(
    "inner",
    ["density = 1.0, hull = 3", "density = []", "added = 3", "hull = { solid = [] }"],
)
def test_an_odd_fluid_is_refused_by_line(tmp_path, inner):
    """Its hull is a solid."""
    path = tmp_path / "model.toml"
    path.write_text(GOOD.replace("density = 1.0", inner))
    with pytest.raises(ModelFileError, match=r"line 6, column"):
        ph.load_model(path)


@pytest.mark.parametrize(
    "word", ["utf-32", "shift_jis", "idna", "hex", "rot13", "nonesuch", "punycode"]
)
def test_an_encoding_that_cannot_be_read_is_told(tmp_path, word):
    """By the line that names it."""
    path = tmp_path / "robot.urdf"
    path.write_text(
        f'<?xml version="1.0" encoding="{word}"?>\n<robot name="\u00e9"/>\n'
    )
    with pytest.raises(ModelFileError, match=r"line \d+, column \d+"):
        ph.load_urdf(path)


def test_the_work_of_a_long_chain_grows_with_its_links(tmp_path):
    """Each way upwards is gone once: some ninety calls of functions a link."""
    path = tmp_path / "robot.urdf"

    def refused():
        with pytest.raises(ModelError, match="is no tree"):
            ph.load_urdf(path)

    def calls(count):
        lines = [f'<link name="l{k}"/>' for k in range(count)]
        for k in range(count):  # the last joint closes the chain to a cycle
            lines.append(
                f'<joint name="j{k}" type="fixed"><parent link="l{k}"/>'
                f'<child link="l{(k + 1) % count}"/></joint>'
            )
        path.write_text("<robot name='r'>" + "\n".join(lines) + "</robot>")
        return count_calls(refused)

    _, some, twice = map(calls, (10, 2000, 4000))  # the first one imports
    assert twice - some < 200 * 2000


def test_unknown_names_among_many_are_compared_with_some(tmp_path, monkeypatch):
    """To look for the nearest among all would take minutes."""
    compared, among = [], issues.get_close_matches

    def kept(word, names, n):
        compared.append(len(names))
        return among(word, names, n=n)

    monkeypatch.setattr(issues, "get_close_matches", kept)
    path = tmp_path / "model.toml"
    bodies = [f"[bodies.body{k}]\nmass = 1\ninertia = [1, 1, 1]" for k in range(1000)]
    joints = [
        f'[joints.j{k}]\nkind = "revolute"\nfirst = "bodi{k}x"\nsecond = "q"'
        for k in range(40)
    ]
    path.write_text("polhode = 1\n" + "\n".join([*bodies, *joints]))
    with pytest.raises(ModelFileError, match="there is no body"):
        ph.load_model(path)
    assert 0 < max(compared) <= issues.CLOSEST < 1000


def test_a_full_disk_leaves_the_older_model(tmp_path):
    """The system itself refuses to write more."""
    path = tmp_path / "model.toml"
    start = ph.models.start("double_pendulum")
    ph.save_model(start.system, path, start=start)
    before = path.read_bytes()
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limit[1]))
    try:
        with pytest.raises(FileError, match="older file is left as it was"):
            ph.save_model(start.system, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("path", [None, 3, "", "a\0b.toml"])
def test_what_is_no_path_is_refused(path):
    """At every door of model files."""
    system = ph.models.start("pendulum").system
    for door in (
        ph.load_model,
        ph.load_urdf,
        lambda path: ph.save_model(system, path),
    ):
        with pytest.raises(FileError, match="is no path of a file"):
            door(path)
    assert np.isfinite(system.rest().q).all()


def test_a_model_is_not_written_under_the_name_of_another_kind(tmp_path):
    """Programs believe the end of a name."""
    path = tmp_path / "pendulum.json"
    with pytest.raises(FileError, match="does not name a model file") as refused:
        ph.save_model(ph.models.pendulum(), path)
    assert "pendulum.toml" in refused.value.repair
    assert not path.exists()
