"""Where another process gets a model from: its text, or a function that builds it.

A system is no pickle: it may hold laws of Python, and pickles run code when they are
read. To a worker goes the text of its model file, or the name of a function at the top
level of a module that the worker can import. Equations that are built from the same
text are kept, so that a worker traces and compiles once and not for every part.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, final

from polhode.errors import IntegrationError, ModelError, PolhodeError
from polhode.fingerprint import NoFingerprint, fingerprint
from polhode.formulation.equations import Equations
from polhode.formulation.registry import FORMULATIONS
from polhode.integrate.host.motion_equations import equations_of, is_exact
from polhode.integrate.storage import model_text
from polhode.system.system import System

# Models that a worker keeps with their programs.
KEPT = 8


@final
@dataclass(frozen=True, eq=False)
class ModelSource:
    """Equations of a model, and how others come by them.

    impacts   in which order contacts strike, where they are located; else empty
    """

    equations: Equations
    factory: Callable[[], Any] | None = None
    impacts: str = ""

    @cached_property
    def text(self) -> str:
        """The model as the text of its file; empty where no text says all of it."""
        return model_text.model_toml(self.equations.system) if self._is_usual else ""

    @property
    def _is_usual(self) -> bool:
        """Whether the equations are those that their name and system give again."""
        system, name = self.equations.system, self.equations.name
        if self.equations is system.compiled.get("motion") or self.impacts:
            return True
        try:
            again = FORMULATIONS[name](system)
            return fingerprint(again) == fingerprint(self.equations)
        except (KeyError, NoFingerprint, PolhodeError):
            return False

    def carried(self) -> CarriedModel:
        """The model for another process; refused if there is no way to carry it."""
        if self.factory is not None:
            # With its text, where it has one: the note of the folder has it too.
            return CarriedModel(self.text, "", self.factory, self.impacts)
        if not self.text:
            raise IntegrationError(
                f"{self.equations.system.name!r} cannot be handed to other processes.",
                "Laws of Python, or equations of one's own, are in it, and no model"
                " file holds them.",
                "Give a function in place of the model: ph.sweep(build, ...), where"
                " build() is at the top level of a module and returns the system.",
            )
        return CarriedModel(self.text, self.equations.name, impacts=self.impacts)


@final
@dataclass(frozen=True)
class CarriedModel:
    """A model on its way to another process: text and form, or a function."""

    text: str = ""
    form: str = ""
    factory: Callable[[], Any] | None = None
    impacts: str = ""

    def equations(self) -> Equations:
        """The equations, built once a process."""
        if self.factory is not None:
            return equations_of(_built(self.factory), None, self.impacts)
        if self.impacts:
            return equations_of(_read(self.text), None, self.impacts)
        return _from_text(self.text, self.form)


def model_source(model: Any, method: Any, executor: Any, impacts: str) -> ModelSource:
    """The source of a model as it was given: a system, equations, or a function."""
    factory = None
    if not isinstance(model, System | Equations) and callable(model):
        if executor is not None:
            require_carried(model, "the function that builds the model")
        factory, model = model, _built(model)
    order = impacts if is_exact(model, method) else ""
    return ModelSource(equations_of(model, method, order), factory, order)


def require_carried(subject: Any, what: str) -> None:
    """Refuse what no other process can be handed."""
    try:
        pickle.dumps(subject)
    # Whatever it raises: it is the subject's own way of not being a pickle.
    except Exception as reason:
        raise IntegrationError(
            f"{what} cannot be handed to other processes.",
            f"{type(reason).__name__}: {str(reason)[:200]}.",
            "Define functions at the top level of a module that the workers can"
            " import, not inside another function and not as a lambda.",
        ) from reason


@lru_cache(maxsize=KEPT)
def _read(text: str) -> System:
    header = {"model_text": text, "formulation": model_text.USUAL}
    return model_text.read(Path("sweep.json"), header)


@lru_cache(maxsize=KEPT)
def _from_text(text: str, form: str) -> Equations:
    if form == model_text.USUAL:
        return equations_of(_read(text))
    return FORMULATIONS[form](_read(text))


@lru_cache(maxsize=KEPT)
def _built(factory: Callable[[], Any]) -> System | Equations:
    """The model that a function builds, once a process."""
    found = factory()
    if not isinstance(found, System | Equations):
        raise ModelError(
            f"{factory!r} returned {type(found).__name__}, not a model.",
            "It is called without arguments to build the model of a sweep.",
            "Let it return a ph.System, or equations of one.",
        )
    return found
