"""`modelDescription.xml` of FMI 2.0 and 3.0: variables, units, what depends on what."""

from __future__ import annotations

from collections.abc import Callable
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
    is_indicator: bool = False

    def text(self, reference: int, version: str) -> str:
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
            # FMI 2.0 counts variables from one; 3.0 takes references, from zero.
            number = self.derivative - (version == "3.0")
            kind["derivative"] = str(number)
        if version == "3.0":
            return f"<Float64{_attributes(words | kind)}/>"
        inner = f"<Real{_attributes(kind)}/>"
        return f"<ScalarVariable{_attributes(words)}>{inner}</ScalarVariable>"


def description(
    model: Any,
    variables: list[Variable],
    token: str,
    sources: list[str],
    version: str,
) -> str:
    """The whole text of the description of a `Model`."""
    write = {"2.0": _description_2, "3.0": _description_3}[version]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        *write(model, token, sources),
        "<UnitDefinitions>",
        *(_unit(name) for name in sorted({v.unit for v in variables} & UNITS.keys())),
        "</UnitDefinitions>",
        "<ModelVariables>",
        *(variable.text(k, version) for k, variable in enumerate(variables)),
        "</ModelVariables>",
        "<ModelStructure>",
        *_structure(variables, version),
        "</ModelStructure>",
        "</fmiModelDescription>",
    ]
    return "\n".join(lines) + "\n"


def _description_2(model: Any, token: str, sources: list[str]) -> list[str]:
    whole = {
        "fmiVersion": "2.0",
        "modelName": model.system.name,
        "guid": token,
        "generationTool": f"Polhode {__version__}",
        "variableNamingConvention": "flat",
        "numberOfEventIndicators": str(len(model.events)),
    }
    can = {"canGetAndSetFMUstate": "true", "canSerializeFMUstate": "true"}
    varies = {"canHandleVariableCommunicationStepSize": "true"}
    return [
        f"<fmiModelDescription{_attributes(whole)}>",
        *_kind("ModelExchange", model.identifier, can, sources),
        *_kind("CoSimulation", model.identifier, varies | can, sources),
    ]


def _description_3(model: Any, token: str, _: list[str]) -> list[str]:
    whole = {
        "fmiVersion": "3.0",
        "modelName": model.system.name,
        "instantiationToken": token,
        "generationTool": f"Polhode {__version__}",
        "variableNamingConvention": "flat",
    }
    can = {"modelIdentifier": model.identifier}
    can |= {"canGetAndSetFMUState": "true", "canSerializeFMUState": "true"}
    varies = {"canHandleVariableCommunicationStepSize": "true"}
    looks = {"needsCompletedIntegratorStep": "true"}
    return [
        f"<fmiModelDescription{_attributes(whole)}>",
        f"<ModelExchange{_attributes(can | looks)}/>",
        f"<CoSimulation{_attributes(can | varies)}/>",
    ]


def _structure(variables: list[Variable], version: str) -> list[str]:
    """Outputs, derivatives, initial unknowns and, in 3.0, functions of events."""
    tests: dict[str, Callable[[Variable], Any]] = {
        "Output": lambda v: v.causality == "output",
        "Derivative": lambda v: v.derivative,
        "InitialUnknown": lambda v: (
            v.derivative or (v.causality == "output" and not v.initial)
        ),
        "EventIndicator": lambda v: v.is_indicator,
    }
    lines = []
    for word, test in tests.items():
        found = [k for k, variable in enumerate(variables) if test(variable)]
        if not found:
            continue
        if version == "3.0":
            name = {"Derivative": "ContinuousStateDerivative"}.get(word, word)
            lines += [f'<{name} valueReference="{k}"/>' for k in found]
        else:
            inner = [f'<Unknown index="{k + 1}"/>' for k in found]
            lines += [f"<{word}s>", *inner, f"</{word}s>"]
    return lines


def build_description(identifier: str, sources: list[str]) -> str:
    """`buildDescription.xml` of FMI 3.0: how the sources become a binary."""
    inner = "".join(f"<SourceFile{_attributes({'name': n})}/>" for n in sources)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<fmiBuildDescription fmiVersion="3.0">\n'
        f"<BuildConfiguration{_attributes({'modelIdentifier': identifier})}>\n"
        f'<SourceFileSet language="C99">{inner}</SourceFileSet>\n'
        '<Library name="m" external="true"/>\n'
        "</BuildConfiguration>\n</fmiBuildDescription>\n"
    )


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


def _attributes(words: dict[str, str]) -> str:
    return "".join(f" {word}={quoteattr(value)}" for word, value in words.items())
