"""Equations as MathML, which browsers set without any script."""

from __future__ import annotations

import html
import re
from typing import Any

# What is set upright already, and names of coordinates: words of several letters that
# no command begins, or `\text{...}`; with dots.
WORD = re.compile(
    r"\\(?:begin|end|operatorname|mathrm)\*?\{[^{}]*\}"
    r"|(?P<dot>\\d{1,4}ot\{)?"
    r"(?:\\text\{(?P<text>(?:[^{}\\]|\\.)*)\}"
    r"|(?P<name>(?<![\\A-Za-z])[A-Za-z]{2,}(?![A-Za-z])))"
    r"(?(dot)\})"
)
FUNCTION = re.compile(r"(?<=[\w})\]])\s*(?=\\(?:a?(?:sin|cos|tan)h?|exp|log)\b)")
# What a factor ends with, before a word, and begins with, after one that is no word.
ENDS = re.compile(r"[\w})\]']\s*$")
BEGINS = re.compile(
    r"\s*(?:\d|[A-Za-z](?![A-Za-z])"
    r"|\\(?!right|\\|(?:le|ge|to|in)\b|times|cdot|perp|quad|ldots|text|end|[,;: ]"
    r"|d{1,4}ot\{(?:\\text|[A-Za-z]{2})|a?(?:sin|cos|tan)h?\b|exp\b|log\b)[A-Za-z])"
)
# A word as an index, and what follows it.
INDEX = re.compile(
    rf"(_\{{\\text\{{[^{{}}]*\}}\}}(?:\^\{{[^{{}}]*\}})?)(?={BEGINS.pattern})"
)
ESCAPED = re.compile(r"\\([#$%&{}_])")
SIGNS = {"textasciitilde": "~", "textasciicircum": "^", "textbackslash": "\\"}
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
    if node.tag == "mtext" and node.text:
        node.text = plain(node.text)
    node.tail = html.unescape(node.tail) if node.tail else node.tail


def with_words(latex: str) -> str:
    r"""LaTeX in which names of several letters are set as words, apart from factors.

    >>> print(with_words(r"3 hinge \cos{\left(hinge \right)} x"))
    3 \,\text{hinge}\,\cos{\left(\text{hinge} \right)} x
    """
    parts: list[str] = []
    end = 0
    for found in WORD.finditer(latex):
        parts += [latex[end : found.start()], _word(found)]
        end = found.end()
    spaced = FUNCTION.sub(r"\\,", "".join([*parts, latex[end:]]))
    return INDEX.sub(r"\1\\,", spaced)


def _word(found: re.Match[str]) -> str:
    """A word with a thin space to each factor beside it."""
    text = found["text"] if found["name"] is None else found["name"]
    if text is None:
        return found.group()
    word = rf"\text{{{text}}}"
    whole = f"{found['dot']}{word}}}" if found["dot"] else word
    before = r"\," if ENDS.search(found.string[: found.start()]) else ""
    after = r"\," if BEGINS.match(found.string[found.end() :]) else ""
    return f"{before}{whole}{after}"


def plain(text: str) -> str:
    r"""Text as it reads: what was escaped for LaTeX stands for itself.

    >>> plain(r"left\_arm\#1")
    'left_arm#1'
    """
    for name, sign in SIGNS.items():
        text = re.sub(rf"\\{name}\b ?", sign.replace("\\", r"\\"), text)
    return ESCAPED.sub(r"\1", text)
