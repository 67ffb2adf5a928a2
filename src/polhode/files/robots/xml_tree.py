"""XML as plain elements with their lines: no entities, no outside, no depth."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final
from xml.parsers import expat

from polhode.errors import PolhodeError, UnsafeFile
from polhode.files.admission import DEEPEST, admitted_bytes
from polhode.files.issues import Issue, Spot, refusal


@final
@dataclass(frozen=True)
class Element:
    """An element of an XML file: its tag, its attributes, its children, its place."""

    tag: str
    attributes: dict[str, str]
    spot: Spot
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> list[Element]:
        """The children of a tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Element | None:
        """The first child of a tag, if there is one."""
        return next(iter(self.all(tag)), None)


def read_xml(path: Any) -> Element:
    """The outermost element of an XML file.

    A document type is refused: entities are how a small file becomes a large one, and
    how one file reads another.
    """
    place = Path(path)
    data = admitted_bytes(place)
    parser = expat.ParserCreate()
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    top: list[Element] = []
    open_ones: list[Element] = []

    def here() -> Spot:
        return Spot(parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)

    def begin(tag: str, attributes: dict[str, str]) -> None:
        if len(open_ones) > DEEPEST:
            words = f"more than {DEEPEST} levels in each other: no model is so deep."
            raise refusal(place, [Issue(here(), words)])
        element = Element(tag, attributes, here())
        (open_ones[-1].children if open_ones else top).append(element)
        open_ones.append(element)

    def refuse(*facts: Any) -> Any:
        raise UnsafeFile(
            f"{place.name!r} declares a document type ({here()}).",
            "Entities can grow without end, or read other files; no robot needs them.",
            "Take the <!DOCTYPE ...> out.",
        )

    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda tag: open_ones.pop()
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as reason:
        spot = Spot(reason.lineno, reason.offset + 1)
        words = f"this is no XML: {expat.ErrorString(reason.code)}."
        raise refusal(place, [Issue(spot, words)]) from None
    except PolhodeError:
        raise
    except (LookupError, ValueError) as reason:  # by the codec that the file names
        words = f"its encoding cannot be read: {reason}. Write it in UTF-8."
        raise refusal(place, [Issue(here(), words[:300])]) from None
    return top[0]
