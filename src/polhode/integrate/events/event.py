"""Events: instants at which a function of time and state passes through zero."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, final

import jax.numpy as jnp
import numpy as np

from polhode.answer_table import Answer, AnswerTable
from polhode.arrays import Scalar
from polhode.errors import IntegrationError, PolhodeError
from polhode.integrate.field.input_table import arity, first_line, time_alone
from polhode.matter.parameter import Table

if TYPE_CHECKING:
    from polhode.system.state import State

ARROWS = {-1: "falling", 0: "either way", 1: "rising"}


@final
@dataclass(frozen=True, eq=False)
class Event:
    """g(t, state) = 0 along a run; `function` is traced.

    direction   1: only as g rises, -1: as it falls, 0: both
    terminal    whether the run ends there
    reset       (t, state) -> the state from which the run goes on. One in jax.numpy and
                `state.changed` runs inside the compiled loop; one that asks for values,
                keeps count or prints differently each time is plain Python, asked
                between steps: it takes a thousand times longer
    required    whether g must not be negative at the start: a run is then refused
    spacing     (s) a span in which g has at most one zero, where g is much quicker than
                the motion; else the steps of the run tell

    A function of t alone is given no more; one with a third argument also the table of
    parameters and inputs. Zeros are met in (start, end]: one at the very start belongs
    to the run before, but a reset with a direction is made there too, where the motion
    would pass. g that touches zero and turns back, within the accuracy of the run, is
    one event; a sign that changes at a pole is none. A jump made by a reset passes no
    zero.

    >>> import polhode as ph
    >>> ball = ph.Particle("ball", 0.1)
    >>> thrown = ph.System([ball], actions=[ph.Weight(9.81)])
    >>> top = Event("top", lambda t, state: state.speed("ball")[2], terminal=True)
    >>> start = thrown.state(speeds={"ball": (0, 0, 9.81)})
    >>> motion = ph.simulate(thrown, start, until=3.0, events=[top])
    >>> round(float(motion.t[-1]), 12)
    1.0
    """

    name: str
    function: Callable[..., Any]
    direction: int = 0
    _: KW_ONLY
    terminal: bool = False
    reset: Callable[[float, State], State] | None = None
    required: bool = False
    spacing: float = np.inf
    arity: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for word, value in (("function", self.function), ("reset", self.reset)):
            if not callable(value) and not (word == "reset" and value is None):
                raise IntegrationError(
                    f"the {word} of event {self.name!r} is {value!r}.",
                    "An event is where a function of time and state is zero.",
                    f"Give {word}=lambda t, state: ...",
                )
        if not isinstance(self.name, str) or not self.name:
            raise IntegrationError(
                f"an event cannot be called {self.name!r}.",
                "The events of a motion are found by name.",
                'Give a name: ph.Event("floor", ...).',
            )
        if self.direction not in list(ARROWS):
            raise IntegrationError(
                f"event {self.name!r} cannot have the direction {self.direction!r}.",
                "A zero is passed rising (1), falling (-1) or either way (0).",
                "Give 1, -1 or 0.",
            )
        if not _is_positive(self.spacing):
            raise IntegrationError(
                f"event {self.name!r} cannot have a spacing of {self.spacing!r} s.",
                "It is a span of time.",
                "Give a positive number of seconds, or leave it out.",
            )
        object.__setattr__(self, "arity", arity(self.function))
        if self.arity not in (1, 2, 3):
            raise IntegrationError(
                f"the function of event {self.name!r} needs {self.arity} arguments.",
                "It is given the time, the state and the table of parameters.",
                "Let it take (t), (t, state) or (t, state, table).",
            )

    @property
    def stops(self) -> bool:
        """Whether the run halts there, to end or to go on from another state."""
        return self.terminal or self.reset is not None

    def value(self, t: Scalar, state: State, table: Table) -> Any:
        """g, traced."""
        return self.function(*(t, state, table)[: self.arity])


def _is_positive(span: Any) -> bool:
    try:
        return float(span) > 0
    except (TypeError, ValueError):
        return False


class Occurrence(NamedTuple):
    """One event that happened: its state before and after, which way g went.

    is_grazing   g touched zero and turned back
    kind, point  of a support: touches, opens, slides, sticks, settles, jams; where
    """

    name: str
    t: float
    before: State
    after: State
    direction: int
    is_grazing: bool
    kind: str = ""
    point: str = ""


@final
@dataclass(frozen=True, repr=False)
class Events(Answer):
    """What happened along a motion, in its order.

    `events["floor"]` are those of one name; `events[2]` is one `Occurrence`,
    `events[1:3]` are some.
    """

    each: Sequence[Occurrence] = ()
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.each)

    def __iter__(self) -> Iterator[Occurrence]:
        return iter(self.each)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return Events(tuple(self.each[key]), self.names)
        if not isinstance(key, str):
            return self.each[key]
        if key not in self.names:
            raise IntegrationError(
                f"the run had no event {key!r}.",
                f"It watched for {', '.join(map(repr, self.names)) or 'none'}.",
                "Ask for one of these, or give it to simulate in events=[...].",
            )
        return Events(tuple(e for e in self.each if e.name == key), (key,))

    def within(self, first: float, last: float) -> Events:
        """Those between two times, both included."""
        low, high = min(first, last), max(first, last)
        return Events(tuple(e for e in self.each if low <= e.t <= high), self.names)

    @property
    def records(self) -> np.ndarray:
        """What switches have told of each, (n, numbers); of a `ph.Event` nothing."""
        known = getattr(self.each, "records", None)
        return np.zeros((len(self.each), 0)) if known is None else known

    @property
    def t(self) -> np.ndarray:
        """Times (n,)."""
        known = getattr(self.each, "t", None)
        return _times(self.each) if known is None else known

    def columns(self) -> dict[str, Any]:
        """A table: 'event', 't', 'direction', 'grazing', coordinates and speeds.

        Values before the event; those after it are called 'after ...'.
        """
        found: dict[str, Any] = {
            "event": [event.name for event in self.each],
            "t": self.t,
            "direction": [event.direction for event in self.each],
            "grazing": [event.is_grazing for event in self.each],
        }
        if not self.each:
            return found
        system = self.each[0].before.system
        speeds = [f"speed of {name}" for name in system.speed_names]
        names = [*system.coordinate_names, *speeds]
        for word, side in (("", "before"), ("after ", "after")):
            states = [getattr(event, side) for event in self.each]
            rows = np.array([np.concatenate([s.q, s.z]) for s in states])
            found |= {word + n: rows[:, k] for k, n in enumerate(names)}
        return found

    def as_table(self) -> AnswerTable:
        """What is printed."""
        rows = []
        for event in self.each:
            way = "grazing" if event.is_grazing else ARROWS[event.direction]
            way = f"{event.point} {event.kind}" if event.kind else way
            rows.append((event.name, f"{event.t:.15g}", way))
        heads = ("event", "t, s", "direction")
        return AnswerTable("" if rows else "no event", heads, rows)


NO_EVENTS = Events()


def _times(each: Sequence[Occurrence]) -> np.ndarray:
    return np.array([event.t for event in each], dtype=float)


def admit_events(events: Any, also: type = Event) -> tuple[Any, ...]:
    """Events with names of their own, and what of another kind is taken with them."""
    if events is None:
        return ()
    many = isinstance(events, Iterable) and not isinstance(events, str)
    listed = tuple(events) if many else (events,)
    for event in listed:
        if not isinstance(event, Event | also):
            raise IntegrationError(
                f"{event!r} is not an event.",
                "An event has a name and a function of time and state.",
                "Give ph.Event(name, lambda t, state: ...).",
            )
    return listed


def require_names(names: list[str]) -> None:
    """Refuse events of one name."""
    doubled = {name for name in names if names.count(name) > 1}
    if doubled:
        raise IntegrationError(
            f"two events are called {doubled.pop()!r}.",
            "The events of a motion are found by name.",
            "Give each its own name.",
        )


def traced_value(event: Event, t: Scalar, state: State, table: Table) -> Any:
    """g of one event, one number, traced; an error names the event."""
    return _scalar(event, _event_value(event, t, state, table))


def _event_value(event: Event, t: Scalar, state: State, table: Table) -> Any:
    try:
        found = event.value(t, state, table)
    except PolhodeError:
        raise
    except Exception as reason:
        raise IntegrationError(
            f"the function of event {event.name!r} cannot be traced: it raised"
            f" {first_line(reason)}",
            "It runs inside a compiled program, where its arguments have no values yet"
            " and cannot be changed." + time_alone(event.arity),
            "Use jax.numpy and jnp.where in place of Python's own if, float() and"
            " NumPy's functions.",
        ) from reason
    try:
        value = jnp.asarray(found)
    except (TypeError, ValueError):
        value = None
    if value is None or jnp.iscomplexobj(value):
        kind = "a complex number" if value is not None else repr(found)
        raise IntegrationError(
            f"the function of event {event.name!r} gives {kind}.",
            "An event is where a real number passes zero.",
            "Return that number.",
        )
    return value


def _scalar(event: Event, value: Any) -> Any:
    if value.dtype == bool:
        raise IntegrationError(
            f"the function of event {event.name!r} gives a truth value.",
            "An event is where a number passes zero, so that its time can be found.",
            "Give the number itself: not state['x'] > 1, but state['x'] - 1.",
        )
    found = value.astype(float)
    if found.size != 1:
        raise IntegrationError(
            f"the function of event {event.name!r} gives {found.size} numbers, of"
            f" shape {found.shape}.",
            "An event is where one number is zero.",
            "Give one event for each, or one number of them all, such as their least.",
        )
    return jnp.reshape(found, ())
