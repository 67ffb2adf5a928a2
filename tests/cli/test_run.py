"""`polhode run`: motions of models by every name they have, kept and gone on with."""

from __future__ import annotations

import json

import pytest

import polhode as ph
from polhode.cli import main

MODEL = """
import polhode as ph

rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8))
hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, 0.4), axis=ph.Y)
swing = ph.System([hinge], [ph.Weight(9.81)], name="swing")
start = swing.state(hinge=1.0)
high = swing.state(hinge=2.5)


def again():
    return swing
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with one pendulum in Python, TOML and URDF."""
    place = tmp_path_factory.mktemp("models")
    (place / "swing.py").write_text(MODEL)
    system = ph.models.pendulum()
    start = system.state(hinge=1.0)
    ph.save_model(system, place / "p.toml", start=start, run={"until": 0.25})
    inertia = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    (place / "r.urdf").write_text(
        f'<robot name="r"><link name="world"/><link name="a"><inertial>'
        f'<mass value="1"/>{inertia}</inertial></link>'
        '<joint name="j" type="continuous"><parent link="world"/><child link="a"/>'
        "</joint></robot>"
    )
    return place


def answer(capsys, *words, code=0):
    """What a command prints, after its exit code is checked."""
    assert main(list(words)) == code
    return capsys.readouterr().out


def test_a_model_of_the_gallery_runs(capsys):
    """Where it ends, with units, and the ledger."""
    text = answer(capsys, "run", "pendulum", "--until", "0.1")
    assert "'pendulum' reached t = 0.1 s" in text
    assert "hinge.speed" in text
    assert "rad/s" in text
    assert "balance, at most, J" in text


@pytest.mark.parametrize(
    ("name", "joint", "until"),
    [
        ("swing.py", "hinge", "0.2"),
        ("swing.py:swing", "hinge", "0.2"),
        ("swing.py:high", "hinge", "0.2"),
        ("swing.py:again", "hinge", "0.2"),
        ("p.toml", "hinge", ""),
        ("r.urdf", "j", "0.2"),
    ],
)
def test_a_model_is_named_by_its_file(capsys, folder, name, joint, until):
    """Python by system, state or function; TOML with its run; URDF."""
    words = ["run", str(folder / name), "--json"]
    words += ["--until", until] if until else []
    facts = json.loads(answer(capsys, *words))
    assert facts["outcome"]["t"] == float(until or 0.25)
    assert set(facts["coordinates"]) == {joint}


def test_what_a_robot_says_and_is_not_taken_is_told(capsys, folder):
    """A shape to hit: a warning beside the answer, and the run is well."""
    text = (folder / "r.urdf").read_text()
    box = '<geometry><box size="1 1 1"/></geometry>'
    shape = f"<collision>{box}</collision></link><joint"
    (folder / "seen.urdf").write_text(text.replace("</link><joint", shape))
    path = str(folder / "seen.urdf")
    assert main(["run", path, "--until", "0.2"]) == 0
    assert capsys.readouterr().err.startswith(f"Warning: {path}: ")


def test_the_start_of_a_python_file_is_its_own(capsys, folder):
    """`start` begins at 1 rad, `high` at 2.5, and neither gets there again soon."""
    for name, first in (("swing.py", 1.0), ("swing.py:high", 2.5)):
        words = ("run", str(folder / name), "--until", "1e-6", "--json")
        facts = json.loads(answer(capsys, *words))
        assert facts["coordinates"]["hinge"] == pytest.approx(first, abs=1e-5)


def test_a_parameter_is_set(capsys):
    """A pendulum four times as long swings as if time went half as fast."""
    ends = []
    for words in (("--until", "0.5"), ("--until", "1.0", "--set", "l=3.2")):
        text = answer(capsys, "run", "pendulum", "--rtol", "1e-9", "--json", *words)
        ends.append(json.loads(text))
    short, long = (end["coordinates"]["hinge"] for end in ends)
    assert long == pytest.approx(short, rel=1e-6)
    fast, slow = (end["speeds"]["hinge"] for end in ends)
    assert slow == pytest.approx(fast / 2, rel=1e-6)


def test_a_start_is_set(capsys):
    """Coordinates and speeds by name, where the model's own start is another."""
    words = ("run", "pendulum", "--set", "hinge=0.5", "--set", "hinge.speed=-2")
    facts = json.loads(answer(capsys, *words, "--until", "1e-9", "--json"))
    assert facts["coordinates"]["hinge"] == pytest.approx(0.5, abs=1e-8)
    assert facts["speeds"]["hinge"] == pytest.approx(-2.0, abs=1e-7)


def test_what_does_not_move_says_so(capsys):
    """A pendulum that hangs stays; the answer says how to start it."""
    text = answer(capsys, "run", "pendulum", "--set", "hinge=0", "--until", "0.1")
    assert "It stays where it starts: --set takes coordinates too" in text


def test_a_stored_run_is_found_again_and_gone_on_with(capsys, folder, tmp_path):
    """The same command twice: the second finds the file whole, and says so."""
    out = tmp_path / "m.nc"
    words = ("run", "pendulum", "--until", "0.2", "--out", str(out))
    assert "Rows are in" in answer(capsys, *words)
    size = len(ph.load_motion(out).t)
    text = answer(capsys, *words)
    assert "holds this run already, until t = 0.2 s" in text
    facts = json.loads(answer(capsys, *words, "--json"))
    assert facts["ledger"]["is_sound"] is True
    assert len(ph.load_motion(out).t) == size
    for more, what in (
        (("--until", "0.3"), "until 0.2, not 0.3"),
        (("--samples", "9"), "samples None, not 9"),
        (("--set", "hinge=1"), "another start"),
    ):
        assert main(["run", "pendulum", "--out", str(out), *more]) == 2
        assert f"m.nc' holds another run: {what}." in capsys.readouterr().err


def test_a_run_that_was_cut_goes_on(capsys, tmp_path):
    """A file that an interrupt has ended is resumed to the end that was asked first."""
    out = tmp_path / "cut.nc"
    start = ph.models.start("pendulum")

    def stop(progress):
        raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="interrupted"):
        ph.simulate(start.system, start, until=400.0, to=out, watch=stop)
    assert not ph.load_motion(out).outcome.is_complete
    text = answer(capsys, "run", "pendulum", "--out", str(out))
    assert "going on from there" in text
    assert "'pendulum' reached t = 400 s" in text
    assert ph.load_motion(out).outcome.is_complete


def test_a_run_that_stops_early_is_bad_news(capsys, folder):
    """A finite-time collision ends with code 1, and says where it stopped."""
    (folder / "fall.py").write_text(
        "import polhode as ph\n"
        "one, two = ph.Particle('one', 1.0), ph.Particle('two', 1.0)\n"
        "masses = ph.PointMass.of(one), ph.PointMass.of(two)\n"
        "pull = ph.Gravitation(masses, 1.0)\n"
        "fall = ph.System([one, two], [pull], name='fall')\n"
        "start = fall.state(two=(1.0, 0.0, 0.0))\n"
    )
    code = main(["run", str(folder / "fall.py"), "--until", "5"])
    shown = capsys.readouterr()
    assert code == 1
    assert "stopped at t = 0.785" in shown.out
    assert shown.err.startswith("Warning: ")


@pytest.mark.parametrize(
    "words",
    [
        ("run", "pendulum", "--until", "400"),
        ("plot", "pendulum", "--until", "400"),
        ("audit", "pendulum", "--until", "400"),
        ("report", "pendulum", "--until", "400"),
        ("view", "pendulum", "--until", "400"),
        ("bench", "pendulum"),
    ],
)
def test_an_interrupted_command_ends_with_130(capsys, monkeypatch, tmp_path, words):
    """As documented; `run` still tells what is done, others draw no part of it."""
    monkeypatch.chdir(tmp_path)

    def press(call, cursors):
        raise KeyboardInterrupt

    monkeypatch.setattr(
        "polhode.integrate.host.progress.Clock.tell", lambda *_: press(*_[1:])
    )
    assert main(list(words)) == 130
    said = capsys.readouterr()
    if words[0] == "run":
        assert "was interrupted at t =" in said.out
    else:
        assert said.err.endswith("Interrupted.\n")
    assert not list(tmp_path.iterdir())


def test_a_model_of_the_gallery_is_driven_by_its_laws(capsys, tmp_path):
    """The follower comes to its leader, stored and with a changed mass as well."""
    path = str(tmp_path / "pair.nc")
    words = ("run", "leader_follower", "--until", "5000", "--out", path)
    answer(capsys, *words, "--set", "follower.mass=80")
    light = ph.models.leader_follower().with_({"follower.mass": 80.0})
    laws = ph.models.inputs(light, "leader_follower")
    motion = ph.load_motion(path).of(light, inputs=laws)
    apart = motion["follower"].position - motion["leader"].position
    distances = [sum(row**2) ** 0.5 for row in apart[[0, -1]]]
    assert distances[0] > 1000
    assert abs(distances[1] - 200) < 5
    model = ("leader_follower", "--set", "follower.mass=80")
    assert "jets" in answer(capsys, "audit", path, *model)
