"""Equations as MathML, which browsers set without any script."""

from __future__ import annotations

import html
import re
from typing import Any

# What is left alone: environments, and words that are set upright already.
KEPT = re.compile(r"\\(?:begin|end|text|operatorname|mathrm)\*?\{[^{}]*\}")
# Words of several letters that no command begins: names of coordinates; with a dot.
NAME = r"(?<![\\A-Za-z])[A-Za-z]{2,}(?![A-Za-z])"
WORD = re.compile(rf"(\\d{{1,2}}ot\{{)?({NAME})(?(1)\}})(?=(\s*[_^])?)")
DOTS = ("\u02d9", "\u00a8")
TAG = re.compile(r"m[a-z]+")
ATTRIBUTES = {
    "accent",
    "display",
    "displaystyle",
    "fence",
    "form",
    "mathvariant",
    "stretchy",
    "width",
    "xmlns",
}


def mathml(latex: str) -> str:
    r"""One formula; a name of several letters is a word, not their product.

    >>> mathml(r"\theta").partition(">")[2]
    '<mrow><mi>θ</mi></mrow></math>'
    """
    return as_written(with_words(latex), "block")


def as_written(latex: str, display: str) -> str:
    """One formula, every letter of it by itself; on a line of its own, or inline."""
    from xml.etree.ElementTree import tostring

    from latex2mathml.converter import convert_to_element

    tree = convert_to_element(latex, display=display)
    for node in tree.iter():
        _clean(node)
    return tostring(tree, encoding="unicode")


def _clean(node: Any) -> None:
    """Only MathML, its text as characters: what is written escapes them again."""
    if not TAG.fullmatch(node.tag):
        node.tag = "mtext"
    for key in set(node.attrib) - ATTRIBUTES:
        del node.attrib[key]
    if node.tag == "mover":
        # As accents, browsers set dots into a low letter; as scripts, above it.
        marks = html.unescape(node[-1].text or "") if len(node) else ""
        node.set("accent", "false" if marks in DOTS else "true")
    node.text = html.unescape(node.text) if node.text else node.text
    node.tail = html.unescape(node.tail) if node.tail else node.tail


def with_words(latex: str) -> str:
    """LaTeX in which names of several letters are set as words."""
    parts: list[str] = []
    end = 0
    for found in KEPT.finditer(latex):
        parts += [WORD.sub(_word, latex[end : found.start()]), found.group()]
        end = found.end()
    return "".join([*parts, WORD.sub(_word, latex[end:])])


def _word(found: Any) -> str:
    """The word between thin spaces, so that a product of words can be told from one."""
    dot, name, index = found.groups()
    word = rf"\text{{{name}}}"
    whole = f"{dot}{word}}}" if dot else word
    return rf"\,{whole}" if index else rf"\,{whole}\,"
