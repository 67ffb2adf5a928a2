"""The command line itself. Heavy libraries are imported by the commands that use them.

Exit codes: 0 well; 1 the answer is bad news (a run that stopped early, forms that
disagree, a ledger out of balance); 2 the words were not understood, or ask for what
cannot be; 3 the model was refused; 4 a file cannot be read or written; 130 interrupted.
"""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from polhode.cli.codes import BAD_NEWS, FILES, INTERRUPTED, REFUSED, WELL, WORDS
from polhode.errors import (
    AnalysisError,
    CommandError,
    FileError,
    IntegrationError,
    ModelError,
    PolhodeError,
    ShowError,
)

# Of what was asked, not of the model: a time, a number of samples, a name of a curve.
ASKED = (CommandError, IntegrationError, ShowError, AnalysisError)

SHOWN = "For example:"  # above examples; no style of docstrings has such a section

HELP = (
    "Rigid-body mechanics described once, read and run in every form.\n\n"
    "A MODEL is a name of the gallery (pendulum), a Python file with the name of a"
    " system in it (model.py:crane), a model file (crane.toml) or a robot (arm.urdf)."
    " Lengths are in m, masses in kg, times in s, angles in rad."
)
EPILOGUE = """Examples:
  polhode gallery                             what there is to try
  polhode run pendulum --until 10 --set m=2   a motion, with another mass
  polhode equations pendulum --form kane      its equations
  polhode compare pendulum                    all forms side by side

Exit codes:
  0 well; 1 bad news: a run stopped early, forms disagree, a ledger is off;
  2 words not understood, or asking for what cannot be; 3 model refused;
  4 file cannot be read or written; 130 interrupted."""


def main(words: Sequence[str] | None = None) -> int:
    """Run `polhode` with the words given, or those of the command line."""
    import cyclopts

    asked = list(sys.argv[1:] if words is None else words)
    if asked[:1] == ["help"]:
        asked = [*asked[1:], "--help"]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = _warn
            return int(_app()(asked, exit_on_error=False, print_error=False) or WELL)
    except cyclopts.CycloptsError as error:
        _say(_misunderstood(error, asked))
        return WORDS
    except PolhodeError as error:
        _say(f"{type(error).__name__}: {error}")
        return code_of(error)
    except KeyboardInterrupt:
        _say("Interrupted.")
        return INTERRUPTED
    except BrokenPipeError:  # who reads the answer has heard enough: `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BAD_NEWS


def _misunderstood(error: Any, asked: Sequence[str]) -> str:
    """What was wrong with the words, and where the right ones are listed."""
    import cyclopts

    what = str(error)
    if isinstance(error, cyclopts.UnusedCliTokensError):
        tokens = " ".join(map(repr, error.unused_tokens or ()))
        what = f"{tokens}: nothing more is expected there."
    own = asked[0] if asked and asked[0] in commands() else ""
    where = f"polhode {own} --help" if own else "polhode --help"
    return f"{what}\n'{where}' tells {'its words' if own else 'the commands'}."


def code_of(error: PolhodeError) -> int:
    """The exit code of a refusal."""
    if isinstance(error, ASKED):
        return WORDS
    if isinstance(error, FileError) and not isinstance(error, ModelError):
        return FILES
    return REFUSED


def commands() -> dict[str, Callable[..., Any]]:
    """Every command by its name, one file each."""
    from polhode.cli.audit import audit
    from polhode.cli.bench import bench
    from polhode.cli.campbell import campbell
    from polhode.cli.compare import compare
    from polhode.cli.demo import demo
    from polhode.cli.doctor import doctor
    from polhode.cli.equations import equations
    from polhode.cli.gallery import gallery
    from polhode.cli.optimise import optimise
    from polhode.cli.plot import plot
    from polhode.cli.report import report
    from polhode.cli.run import run
    from polhode.cli.section import section
    from polhode.cli.sweep import sweep
    from polhode.cli.verify import verify
    from polhode.cli.view import view

    found = (demo, gallery, run, sweep, equations, compare, audit, plot, view, report)
    more = (optimise, campbell, section, verify, bench, doctor)
    return {command.__name__: command for command in (*found, *more)}


def _app() -> Any:
    import cyclopts

    from polhode.version import __version__

    app = cyclopts.App(
        name="polhode",
        help=HELP,
        help_format="plaintext",
        help_epilogue=EPILOGUE,
        version=__version__,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for number, command in enumerate(commands().values()):
        command.__doc__ = flowing(command.__doc__ or "")
        app.command(command, sort_key=number, help_epilogue="")
    return app


def flowing(doc: str) -> str:
    """A docstring whose paragraphs are one line each, for the terminal to break.

    Each example stands on its own line; the underlined heads of numpy's style stay.
    """
    if SHOWN in doc:  # flowing already
        return doc
    lines: list[str] = []
    for line in inspect.cleandoc(doc).splitlines():
        before = lines[-1] if lines else ""
        goes_on = before.strip() and line.strip() and _depth(before) == _depth(line)
        begins = line.lstrip().startswith(("Example", "---")) or "---" in before
        if goes_on and not begins:
            lines[-1] = f"{before} {line.strip()}"
        else:
            lines.append(line)
    return "\n".join(_list_lines(line) for line in lines)


def _list_lines(line: str) -> str:
    """Examples one below the other."""
    head, colon, rest = line.partition(": ")
    if not colon or head not in ("Example", "Examples"):
        return line
    return "\n".join([f"\n{SHOWN}", *(f"  {each}" for each in rest.split("; "))])


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _warn(message: Any, *rest: Any, **more: Any) -> None:
    _say(f"Warning: {message}")


def _say(text: str) -> None:
    """To people, beside the answer; brackets and braces as they are."""
    print(text, file=sys.stderr)
