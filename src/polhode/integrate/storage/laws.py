"""The Python functions of a run, as a file knows them: by their fingerprints.

A file holds no code, so a model with laws of Python, events and inputs are given again
when a run goes on. Their fingerprints tell whether they are the same.

    laws = {"python": version of byte code, "model": {name: digest or None},
            "events": {name: digest or None}, "inputs": {name: digest or None}}

None stands where a function has no fingerprint; it is then taken by its name.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from polhode.errors import FileError
from polhode.fingerprint import NoFingerprint, fingerprint
from polhode.integrate.events.switch import Guard

if TYPE_CHECKING:
    from polhode.integrate.events.event import Event
    from polhode.integrate.events.switch import Switch
    from polhode.integrate.host.batch_loop import Given
    from polhode.integrate.inputs.inputs import Inputs
    from polhode.system.system import System

MODEL = "the model"
PYTHON = str(sys.implementation.cache_tag)


def model_law(system: System, text: str) -> dict[str, str | None]:
    """The digest of a model that its text does not hold, with its laws and values."""
    return {} if text else {MODEL: _digest(system)}


def event_laws(switches: tuple[Switch, ...]) -> dict[str, str | None]:
    """The digests of events: functions, resets and the rest of each."""
    return {g.name: _digest(_law(s, g)) for s in switches for g in s.guards}


def _law(switch: Switch, guard: Guard | Event) -> Any:
    """What decides what a guard does: an event, or the functions of a switch."""
    if isinstance(guard, Guard):
        return guard, switch.values, switch.change
    return guard


def input_laws(inputs: Inputs) -> dict[str, str | None]:
    """The digests of laws and of sampled controllers; seeds of noise are in words."""
    laws = {name: _digest(law.function) for name, law in inputs.drive.laws.items()}
    sampled = [s for s in inputs.sources if hasattr(s.noun, "law")]
    return laws | {n: _digest(_sampled_law(s.noun)) for s in sampled for n in s.names}


def _sampled_law(noun: Any) -> Any:
    """A sampled law, with its constants where it has any."""
    return (noun.law, dict(noun.constants)) if noun.constants else noun.law


def require_same_laws(
    path: Any, header: Mapping[str, Any], what: str, given: Mapping[str, str | None]
) -> None:
    """Refuse functions of the same names that are others; `what` is 'events', ...

    Byte code of another version of Python says nothing.
    """
    laws = header.get("laws") or {}
    if laws.get("python") != PYTHON:
        return
    known = laws.get(what) or {}
    for name, digest in given.items():
        if digest is None or known.get(name) in (None, digest):
            continue
        raise FileError(
            f"{str(path)!r} holds a run with another law: that of {name} differs.",
            "A run goes on, and answers, with the functions that made it. The code of"
            " this one, or a value that it uses, is not what it was.",
            "Give the function that was run; what a sampled law remembers belongs in"
            " ph.Sampled(..., state=[...]). Another run is begun with ph.simulate.",
            f"Digest in the file {known[name][:16]}..., of the one given"
            f" {digest[:16]}...",
        )


def require_same_model(path: Any, header: Mapping[str, Any], system: System) -> None:
    """Refuse a model that has the names and kinds of the file's, and other laws."""
    if (header.get("laws") or {}).get("model"):
        require_same_laws(path, header, "model", {MODEL: _digest(system)})


def sweep_laws(given: Given, text: str = "") -> tuple[str | None, str]:
    """The digest of model, events and inputs of a sweep, or None and the reason.

    A model that its text holds is known by that, so that it is the same model in a
    process that built it from the text.
    """
    switches = given.context.switches if given.context is not None else ()
    events = tuple(_law(s, g) for s in switches for g in s.guards)
    laws: list[Any] = sorted((n, law.function) for n, law in given.drive.laws.items())
    if given.sampling is not None:
        laws += [(s.names, s.noun) for s in given.sampling.inputs.sources]
    try:
        model = (text, given.equations.name) if text else given.equations
        whole = fingerprint((model, events, laws))
    except NoFingerprint as reason:
        return None, str(reason)
    return whole.hex(), ""


def _digest(subject: Any) -> str | None:
    try:
        return fingerprint(subject).hex()
    except NoFingerprint:
        return None
