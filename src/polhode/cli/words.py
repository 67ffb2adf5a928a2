"""What the words of a command mean: a model, its parameters, a motion, a form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, final

from cyclopts import Parameter

from polhode.errors import CommandError, FileError
from polhode.tracebacks import warn

if TYPE_CHECKING:
    import polhode as ph

Changes: TypeAlias = Annotated[
    list[str],
    Parameter(
        name="--set",
        negative=(),
        help="A parameter, or a coordinate or speed to start from, as name=value in SI"
        " units and radians: --set rod.mass=2 --set hinge=1 --set hinge.speed=0.5.",
    ),
]
Json: TypeAlias = Annotated[
    bool,
    Parameter(
        negative=(), show_default=False, help="For machines: JSON instead of tables."
    ),
]
Several: TypeAlias = Annotated[list[str], Parameter(negative=())]
Optional: TypeAlias = Annotated[str, Parameter(show_default=False)]
ModelName: TypeAlias = Annotated[
    str,
    Parameter(
        show_default=False,
        help="Gallery name, model.py:name, model.toml, robot.urdf or robot.xml.",
    ),
]


# A setting of a run: the model of the gallery whose laws drive it.
DRIVEN_AS = "driven as"


@final
@dataclass(frozen=True)
class Chosen:
    """A system, where it starts, and the settings of its file."""

    system: ph.System
    start: ph.State
    run: dict[str, Any] = field(default_factory=dict)
    ensemble: ph.Ensemble | None = None
    questions: dict[str, Any] = field(default_factory=dict)


def chosen(words: str, changes: Sequence[str] = ()) -> Chosen:
    """The model that words name, with changed values of its parameters."""
    found = _load(words)
    values = dict(map(_change, changes))
    if not values:
        return found
    from polhode.system.state import State

    q, z = found.start.q.copy(), found.start.z.copy()
    parameters = {}
    for name, value in values.items():
        kind, place = _named(found.system, name)
        if kind == "parameter":
            parameters[name] = value
        else:
            (q if kind == "coordinate" else z)[place] = value
    system = found.system.with_(parameters) if parameters else found.system
    state = State(system, found.start.t, q, z)
    if system.constraints:
        state = system.consistent(state)
    drawn = found.ensemble
    if drawn is not None:
        from polhode.integrate.field.ensemble import ensemble_from

        drawn = ensemble_from(state, drawn.described())
    return Chosen(system, state, found.run, drawn, found.questions)


def _named(system: Any, name: str) -> tuple[str, int]:
    """What a name means: a parameter, or which coordinate or speed."""
    if name in system.parameters:
        return "parameter", -1
    if name in system.coordinate_names:
        return "coordinate", system.coordinate_names.index(name)
    speeds = [f"{each}.speed" for each in system.speed_names]
    if name in speeds:
        return "speed", speeds.index(name)
    from polhode.files.issues import nearest

    known = [*system.parameters, *system.coordinate_names, *speeds]
    raise CommandError(
        f"{system.name!r} has no parameter, coordinate or speed {name!r}.",
        repair=nearest(name, known),
    )


def _load(words: str) -> Chosen:
    if words.endswith(".toml"):
        import polhode as ph

        model = ph.load_model(words)
        run, questions = dict(model.run), dict(model.questions)
        return Chosen(model.system, model.start, run, model.ensemble, questions)
    if words.endswith((".urdf", ".xml")):
        import polhode as ph

        load = ph.load_urdf if words.endswith(".urdf") else ph.load_mjcf
        robot = load(words)
        for note in robot.notes:
            warn(f"{words}: {note}")
        return Chosen(robot.system, robot.start)
    path, colon, name = words.rpartition(":") if ".py:" in words else (words, "", "")
    if path.endswith(".py"):
        from polhode.cli.python_file import from_python

        return Chosen(*from_python(Path(path), name if colon else ""))
    return _of_gallery(words)


def _of_gallery(name: str) -> Chosen:
    import polhode as ph
    from polhode.files.issues import nearest

    if name.endswith(".nc"):
        raise CommandError(
            f"{name!r} is the file of a motion, not a model.",
            "A motion has been run already.",
            f"See it: polhode report {name}, or plot, view, audit.",
        )
    wanted = name.lower().replace("-", "_").replace(" ", "_")
    if wanted not in ph.models.GALLERY:
        raise CommandError(
            f"there is no model {name!r} in the gallery, and it is no .py, .toml or"
            " .urdf file.",
            repair=nearest(wanted, ph.models.GALLERY),
        )
    state = ph.models.start(wanted)
    driven = wanted if ph.models.inputs(state.system, wanted) else None
    return Chosen(state.system, state, {DRIVEN_AS: driven} if driven else {})


def field_or(given: Any, fields: Any, word: str, example: str) -> Any:
    """What the command says, or its model file; refused where neither does."""
    if given is not None and not (isinstance(given, str | dict) and not given):
        return given
    if word in fields:
        return fields[word]
    raise CommandError(
        f"nothing says {word!r}.",
        "It is neither in the command nor in the model file.",
        f"Give it: {example}.",
    )


def require_not_negative(option: str, value: float) -> None:
    """A length, a number or a time of a command may be zero and more."""
    if not value >= 0:  # NaN, too
        raise CommandError(
            f"{option} {value:g} is less than nothing.", repair="Give 0 or more."
        )


def _change(text: str) -> tuple[str, float]:
    name, equals, value = text.rpartition("=")
    try:
        if equals and name.strip():
            return name.strip(), float(value)
    except ValueError:
        pass
    raise CommandError(
        f"--set {text!r} is no change of a parameter.",
        repair="Write name=value with a number in SI units: --set rod.mass=2.",
    )


def form_of(word: str) -> Callable[..., Any]:
    """The formulation that a word names: kane, lagrange, "Newton-Euler"."""
    from polhode.files.issues import nearest
    from polhode.formulation.registry import FORMULATIONS

    by_word = {}
    for name, function in FORMULATIONS.items():
        by_word[_slug(name)] = by_word[_slug(function.__name__)] = function
    if _slug(word) not in by_word:
        known = [_slug(name) for name in FORMULATIONS]
        known += [word for word in by_word if word not in known]
        raise CommandError(
            f"there is no form {word!r} of the equations of motion.",
            repair=nearest(_slug(word), known),
        )
    return by_word[_slug(word)]


def _slug(name: str) -> str:
    plain = name.lower().replace("'", "").replace(",", " ").replace("-", " ")
    return "_".join(plain.replace("_", " ").split())


@final
@dataclass(frozen=True)
class Span:
    """How far and how a model is run to get a motion."""

    until: float | None = None
    rtol: float | None = None
    samples: int | None = None


def motion_of(subject: str, model: str, changes: Sequence[str], span: Span) -> Any:
    """The motion in a file, of the model that made it; or that of a model, run now."""
    import polhode as ph

    if not subject.endswith(".nc"):
        return uncut(run_of(chosen(subject, changes), span))
    if not Path(subject).is_file():
        raise FileError(f"there is no file {subject!r}.", repair="Check the path.")
    loaded = ph.load_motion(subject)
    if not model:
        return loaded.of()
    found = chosen(model, changes)
    return loaded.of(found.system, **laws_of(found))


def laws_of(found: Chosen) -> dict[str, Any]:
    """The inputs that drive a model of the gallery, where laws do.

    They are made of the system as it is run, with its changed parameters.
    """
    import polhode as ph

    if DRIVEN_AS not in found.run:
        return {}
    return {"inputs": ph.models.inputs(found.system, found.run[DRIVEN_AS])}


def uncut(motion: Any) -> Any:
    """A motion that Ctrl-C has not ended: of a part nothing is drawn or audited."""
    if motion.outcome.code == "INTERRUPTED":
        raise KeyboardInterrupt
    return motion


def run_of(found: Chosen, span: Span) -> Any:
    """The motion of a model for some seconds; 10 unless it or its file says more."""
    import polhode as ph
    from polhode.cli.waiting import waiting

    given = dict(found.run)
    given.setdefault("until", float(found.start.t) + 10.0)
    wishes = {"until": span.until, "rtol": span.rtol, "samples": span.samples}
    given |= {name: wish for name, wish in wishes.items() if wish is not None}
    if span.rtol is not None:
        given.pop("method", None)
    given.pop(DRIVEN_AS, None)
    given |= laws_of(found)
    with waiting(f"Compiling and running {found.system.name}") as wait:
        return ph.simulate(found.system, found.start, watch=wait.watch, **given)
