"""`modelDescription.xml` of FMI 2.0: variables, units, and what depends on what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from polhode.version import __version__

# Units by their exponents of the base units, as FMI writes them.
UNITS = {
    "s": {"s": 1},
    "m": {"m": 1},
    "rad": {"rad": 1},
    "m/s": {"m": 1, "s": -1},
    "rad/s": {"rad": 1, "s": -1},
}


@dataclass(frozen=True)
class Variable:
    """One variable of a unit; `derivative` is the number of what it is the rate of."""

    name: str
    causality: str
    variability: str
    unit: str = ""
    first: float | None = None
    initial: str = ""
    derivative: int = 0

    def text(self, reference: int) -> str:
        """The element of the description."""
        words = {
            "name": self.name,
            "valueReference": str(reference),
            "causality": self.causality,
            "variability": self.variability,
        }
        if self.initial:
            words["initial"] = self.initial
        kind = {}
        if self.unit in UNITS:
            kind["unit"] = self.unit
        if self.first is not None:
            kind["start"] = repr(self.first)
        if self.derivative:
            kind["derivative"] = str(self.derivative)
        inner = f"<Real{_attributes(kind)}/>"
        return f"<ScalarVariable{_attributes(words)}>{inner}</ScalarVariable>"


def description(
    model: Any, variables: list[Variable], guid: str, sources: list[str]
) -> str:
    """The whole text of the description of a `Model`."""
    numbers = {
        word: [k for k, v in enumerate(variables, start=1) if test(v)]
        for word, test in {
            "Outputs": lambda v: v.causality == "output",
            "Derivatives": lambda v: v.derivative,
            "InitialUnknowns": lambda v: (
                v.derivative or (v.causality == "output" and not v.initial)
            ),
        }.items()
    }
    whole = {
        "fmiVersion": "2.0",
        "modelName": model.system.name,
        "guid": guid,
        "generationTool": f"Polhode {__version__}",
        "variableNamingConvention": "flat",
        "numberOfEventIndicators": str(len(model.events)),
    }
    can = {"canGetAndSetFMUstate": "true", "canSerializeFMUstate": "true"}
    varies = {"canHandleVariableCommunicationStepSize": "true"}
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<fmiModelDescription{_attributes(whole)}>",
        *_kind("ModelExchange", model.identifier, can, sources),
        *_kind("CoSimulation", model.identifier, varies | can, sources),
        "<UnitDefinitions>",
        *(_unit(name) for name in sorted({v.unit for v in variables} & UNITS.keys())),
        "</UnitDefinitions>",
        "<ModelVariables>",
        *(variable.text(k) for k, variable in enumerate(variables)),
        "</ModelVariables>",
        "<ModelStructure>",
        *(
            line
            for word, found in numbers.items()
            if found
            for line in (f"<{word}>", *map(_unknown, found), f"</{word}>")
        ),
        "</ModelStructure>",
        "</fmiModelDescription>",
    ]
    return "\n".join(lines) + "\n"


def _kind(word: str, identifier: str, more: dict[str, str], sources: list[str]) -> list:
    attributes = _attributes({"modelIdentifier": identifier} | more)
    inner = "".join(f'<File name="{escape(name)}"/>' for name in sources)
    return [
        f"<{word}{attributes}>",
        f"<SourceFiles>{inner}</SourceFiles>",
        f"</{word}>",
    ]


def _unit(name: str) -> str:
    base = _attributes({word: str(power) for word, power in UNITS[name].items()})
    return f'<Unit name="{name}"><BaseUnit{base}/></Unit>'


def _unknown(number: int) -> str:
    return f'<Unknown index="{number}"/>'


def _attributes(words: dict[str, str]) -> str:
    return "".join(f" {word}={quoteattr(value)}" for word, value in words.items())
