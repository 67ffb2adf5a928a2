"""Wrong words, models and files: the whole text of each error, and its code."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.cli import main
from polhode.cli.main import commands

FEW = 12
SOME = ", ".join(map(repr, list(ph.models.GALLERY)[:FEW]))
SOME += f" and {len(ph.models.GALLERY) - FEW} more"
NO_PENDLUM = (
    "CommandError: there is no model 'pendlum' in the gallery, and it is no .py, .toml"
    " or .urdf file.\n\n  Did you mean 'pendulum'?\n"
)
WRONG_WORDS = {
    ("rnu",): (
        'Unknown command "rnu". Did you mean "run"? Available commands: demo, gallery,'
        " run, sweep, equations, compare, audit, plot, ...\n"
        "'polhode --help' tells the commands.\n"
    ),
    ("run", "pendulum", "--untill", "3"): (
        "Unknown option: --untill. Did you mean --until?\n"
        "'polhode run --help' tells its words.\n"
    ),
    ("run", "pendulum", "--until", "soon"): (
        'Invalid value for --until: unable to convert "soon" into float.\n'
        "'polhode run --help' tells its words.\n"
    ),
    ("run",): (
        'Command "run" parameter MODEL requires an argument.\n'
        "'polhode run --help' tells its words.\n"
    ),
    ("demo", "--ouy", "x"): (
        "Unknown option: --ouy. Did you mean --out?\n"
        "'polhode demo --help' tells its words.\n"
    ),
    ("demo", "pendulum"): (
        "'pendulum': nothing more is expected there.\n"
        "'polhode demo --help' tells its words.\n"
    ),
    ("doctor", "--jsn"): (
        "Unknown option: --jsn. Did you mean --json?\n"
        "'polhode doctor --help' tells its words.\n"
    ),
    ("equations", "pendulum", "--language", "fortran"): (
        'Invalid value "fortran" for --language. Choose from: "text", "latex", "c",'
        ' "matlab", "json".\n'
        "'polhode equations --help' tells its words.\n"
    ),
    ("equations", "pendulum", "--operations", "-1"): (
        "CommandError: --operations -1 is less than nothing.\n\n  Give 0 or more.\n"
    ),
    ("compare", "pendulum", "--steps", "-1"): (
        "CommandError: --steps -1 is less than nothing.\n\n  Give 0 or more.\n"
    ),
    ("report", "pendulum", "--compare", "nan"): (
        "CommandError: --compare nan is less than nothing.\n\n  Give 0 or more.\n"
    ),
    ("verify", "--only", "simple_pendlum"): (
        "CommandError: there is no problem 'simple_pendlum' in the manual.\n\n"
        "  Did you mean 'simple_pendulum'?\n"
    ),
    ("sweep", "pendulum", "--to", "runs"): (
        "CommandError: 'pendulum' does not say what its runs are drawn from.\n\n"
        "  Many runs differ in parameters or in where they start.\n\n"
        "  Write a section [sweep] into its model file: runs = 1000, seed = 1, and"
        " parameters.m = { normal = [1.0, 0.1] }, coordinates.hinge = { uniform ="
        " [-1.0, 1.0] }.\n"
    ),
    ("campbell", "rotor"): (
        "CommandError: nothing says 'spin'.\n\n"
        "  It is neither in the command nor in the model file.\n\n"
        "  Give it: --spin spin.\n"
    ),
    ("section", "pendulum", "--every", "1", "--zero", "hinge"): (
        "CommandError: --every and --zero cannot be given together.\n\n"
        "  A motion is looked at once a period, or where a formula passes zero.\n\n"
        "  Give one of them.\n"
    ),
    ("optimise", "pendulum", "--vary", "m"): (
        "CommandError: --vary 'm' bounds no variable.\n\n"
        "  Write name=low:high with numbers in SI units: --vary m=0.5:2.\n"
    ),
    ("audit", "pendlum"): NO_PENDLUM,
    ("view", "pendlum"): NO_PENDLUM,
    ("report", "pendlum"): NO_PENDLUM,
    ("run", "pendulum", "--until", "nan"): (
        "IntegrationError: a run cannot end at until = nan.\n\n"
        "  The end is a time in seconds; before the start, the run goes backwards.\n\n"
        "  Give a finite number.\n"
    ),
    ("run", "pendulum", "--samples", "0"): (
        "IntegrationError: a run cannot be sampled 0 times.\n\n"
        "  A number of samples counts both ends.\n\n"
        "  Give 2 or more, or a list of times.\n"
    ),
    ("plot", "pendulum", "--until", "0.1", "--out", "plot.xyz"): (
        "ShowError: a picture cannot be written as 'plot.xyz'.\n\n"
        "  The end of the name says of which kind the file is.\n\n"
        "  End it in .png, .svg, .pdf; a film ends in .gif or .mp4.\n"
    ),
    ("report", "pendulum", "--until", "0.1", "--out", "."): (
        "ShowError: '.' is a folder, not a file for a report.\n\n"
        "  A report is one file.\n\n"
        "  Give its name too: report.pdf.\n"
    ),
    ("report", "pendulum", "--until", "0.1", "--out", "report.doc"): (
        "ShowError: a report cannot be written as 'report.doc'.\n\n"
        "  The end of the name says of which kind the file is.\n\n"
        "  End it in .pdf, .md, .html.\n"
    ),
    ("run", "pendlum"): NO_PENDLUM,
    ("run", "pendulum", "--set", "mass=2"): (
        "CommandError: 'pendulum' has no parameter, coordinate or speed 'mass'.\n\n"
        "  There are: 'm', 'l', 'g', 'hinge', 'hinge.speed'.\n"
    ),
    ("run", "pendulum", "--set", "m"): (
        "CommandError: --set 'm' is no change of a parameter.\n\n"
        "  Write name=value with a number in SI units: --set rod.mass=2.\n"
    ),
    ("run", "pendulum", "--set", "m=heavy"): (
        "CommandError: --set 'm=heavy' is no change of a parameter.\n\n"
        "  Write name=value with a number in SI units: --set rod.mass=2.\n"
    ),
    ("equations", "pendulum", "--form", "kanee"): (
        "CommandError: there is no form 'kanee' of the equations of motion.\n\n"
        "  Did you mean 'kane'?\n"
    ),
    ("gallery", "top"): (
        "CommandError: there is no model 'top' in the gallery, and it is no .py, .toml"
        " or .urdf file.\n\n  Did you mean 'heavy_top' or 'sleeping_top'?\n"
    ),
    ("gallery", "heavy_tpo"): (
        "CommandError: there is no model 'heavy_tpo' in the gallery, and it is no .py,"
        " .toml or .urdf file.\n\n  Did you mean 'heavy_top'?\n"
    ),
    ("compare", "nothing like it"): (
        "CommandError: there is no model 'nothing like it' in the gallery, and it is"
        f" no .py, .toml or .urdf file.\n\n  There are: {SOME}.\n"
    ),
    ("run", "motion.nc"): (
        "CommandError: 'motion.nc' is the file of a motion, not a model.\n\n"
        "  A motion has been run already.\n\n"
        "  See it: polhode report motion.nc, or plot, view, audit.\n"
    ),
    ("bench", "pendlum"): NO_PENDLUM,
}
MISSING_FILES = {
    ("run", "no.py"): "FileError: there is no file 'no.py'.\n\n  Check the path.\n",
    ("run", "no.toml"): (
        "FileError: 'no.toml' cannot be read: No such file or directory.\n\n"
        "  A model is read from a file that exists and may be read.\n\n"
        "  Check the path, and the folder that it starts from.\n"
    ),
    ("plot", "no.nc"): "FileError: there is no file 'no.nc'.\n\n  Check the path.\n",
    ("audit", "no.nc", "pendulum"): (
        "FileError: there is no file 'no.nc'.\n\n  Check the path.\n"
    ),
    ("view", "no.nc", "pendulum"): (
        "FileError: there is no file 'no.nc'.\n\n  Check the path.\n"
    ),
    ("report", "no.urdf"): (
        "FileError: 'no.urdf' cannot be read: No such file or directory.\n\n"
        "  A model is read from a file that exists and may be read.\n\n"
        "  Check the path, and the folder that it starts from.\n"
    ),
    ("run", "pendulum", "--out", "no/motion.nc"): (
        "FileError: 'no/motion.nc' cannot take a motion.\n\n"
        "  There is no folder 'no'.\n\n"
        "  Make the folder, or give another path.\n"
    ),
}


@pytest.mark.parametrize("words", WRONG_WORDS, ids=" ".join)
def test_wrong_words_end_with_two_and_a_suggestion(capsys, words):
    """The text is the whole answer: nothing is printed as a result."""
    assert main(list(words)) == 2
    shown = capsys.readouterr()
    assert shown.err == WRONG_WORDS[words]
    assert shown.out == ""


@pytest.mark.parametrize("words", MISSING_FILES, ids=" ".join)
def test_files_that_are_not_there_end_with_four(capsys, tmp_path, monkeypatch, words):
    """Which file, and what to do."""
    monkeypatch.chdir(tmp_path)
    assert main(list(words)) == 4
    assert capsys.readouterr().err == MISSING_FILES[words]


@pytest.mark.parametrize(
    "words", ["plot pendulum --until 0.1 --out", "report pendulum --out"]
)
def test_a_place_that_cannot_be_written_ends_with_four(capsys, tmp_path, words):
    """A folder that is a file: what cannot be written, and why."""
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "it.pdf"
    assert main([*words.split(), str(path)]) == 4
    assert capsys.readouterr().err == (
        f"FileError: {str(path)!r} cannot be written: what should be its folder is a"
        " file.\n\n"
        "  The folder must be yours to write in, and the disk must have room.\n\n"
        "  Give another path.\n"
    )


def test_a_refused_model_file_ends_with_three(capsys, tmp_path, monkeypatch):
    """Its errors are told by line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.toml").write_text('polhode = 1\n[bodies.a]\nsolid = "rodd"\n')
    assert main(["run", "m.toml"]) == 3
    assert capsys.readouterr().err == (
        "ModelFileError: 'm.toml' is no model that can be read: 1 error.\n\n"
        "  line 3, column 1: bodies.a.solid: 'rodd' is no solid. Did you mean 'rod'?"
        "\n\n  What a model file may say is in docs/model-files.md.\n"
    )


@pytest.mark.parametrize(
    ("source", "words", "code", "text"),
    [
        (
            "x = 1\ny = 1 / 0\n",
            "m.py",
            3,
            "ModelError: 'm.py' stopped at line 2: ZeroDivisionError: division by"
            " zero.\n\n  The file was run to get its system.\n\n"
            "  Try it alone: python m.py\n",
        ),
        (
            "def f(:\n",
            "m.py",
            3,
            "ModelError: 'm.py' stopped at line 1: SyntaxError: invalid syntax (m.py,"
            " line 1).\n\n  The file was run to get its system.\n\n"
            "  Try it alone: python m.py\n",
        ),
        (
            "crane = 3\n",
            "m.py:crane",
            2,
            "CommandError: 'crane' of 'm.py' is int, no system.\n\n"
            "  Name a ph.System, a ph.State, or a function that gives one.\n",
        ),
        (
            "import polhode as ph\ncrane = ph.models.pendulum()\n",
            "m.py:crnae",
            2,
            "CommandError: 'm.py' has no 'crnae'.\n\n  Did you mean 'crane'?\n",
        ),
        (
            "import polhode as ph\na = ph.models.pendulum()\nb = ph.models.arm()\n",
            "m.py",
            2,
            "CommandError: 'm.py' has 2 systems: say which.\n\n"
            "  Write m.py:name. There are: 'a', 'b'.\n",
        ),
        (
            "import polhode as ph\nph.Particle('a', -1.0)\n",
            "m.py",
            3,
            "UnphysicalInertia: 'a' cannot have mass -1 kg.",
        ),
    ],
    ids=["raises", "syntax", "no system", "misspelt", "two", "unphysical"],
)
def test_python_files_that_have_no_system(
    capsys, tmp_path, monkeypatch, source, words, code, text
):
    """What the user's file did wrong, at its line, without our own traceback."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.py").write_text(source)
    assert main(["run", words]) == code
    shown = capsys.readouterr().err
    assert shown.startswith(text) if code == 3 else shown == text


def test_an_interrupt_has_its_own_code(capsys, monkeypatch):
    """Ctrl-C ends with 130 and one word."""

    def stop():
        raise KeyboardInterrupt

    monkeypatch.setattr("polhode.cli.doctor.examine", stop)
    assert main(["doctor"]) == 130
    assert capsys.readouterr().err == "Interrupted.\n"


def test_every_command_is_tried_on_wrong_words():
    """No command is left out above."""
    tried = {words[0] for words in (*WRONG_WORDS, *MISSING_FILES)}
    assert set(commands()) <= tried


def test_a_model_that_cannot_be_is_refused_with_three(capsys):
    """A parameter that makes a body impossible is the model's fault, not the words'."""
    assert main(["run", "pendulum", "--set", "m=-1"]) == 3
    assert capsys.readouterr().err == (
        "UnphysicalInertia: 'rod' cannot have mass -1 kg.\n\n"
        "  Mass is not negative: kinetic energy m v^2/2 would be.\n\n"
        "  Give a mass of zero or more; to cut a hole, use ph.solids.pierced.\n"
    )


def test_help_is_a_word_too(capsys):
    """`polhode help run` is `polhode run --help`."""
    assert main(["help", "run"]) == 0
    assert "Usage: polhode run" in capsys.readouterr().out
