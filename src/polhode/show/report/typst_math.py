"""Formulas in the language of typst, by way of MathML.

LaTeX has a thousand commands; what they mean is a tree of twenty kinds of nodes, which
is also what typst sets.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

from polhode.show.page.mathml import plain, with_words

# Signs that mean something to typst: by their names there.
SIGNS = {
    "(": "paren.l", ")": "paren.r", "[": "bracket.l", "]": "bracket.r",
    "{": "brace.l", "}": "brace.r", "|": "bar.v", "‖": "bar.v.double",
    ",": "comma", ";": "semi", ":": "colon", "/": "slash", "'": "prime", "′": "prime",
    "*": "ast", "-": "−", "#": '"#"', "$": '"$"', "&": '"&"', "_": '"_"', "^": '"^"',
    "\\": "backslash", "~": "tilde.op", "!": "excl", "\"": "quote.double",
    "<": "lt", ">": "gt", "⁢": "", "⁡": "", "⟨": "angle.l", "⟩": "angle.r",
}  # fmt: skip
OPEN, CLOSE = ("(", "[", "{", "⟨"), (")", "]", "}", "⟩")
ACCENTS = {
    "˙": "dot", "¨": "dot.double", "^": "hat", "ˆ": "hat", "~": "tilde", "˜": "tilde",
    "¯": "macron", "‾": "macron", "―": "overline", "→": "arrow", "⃗": "arrow",
}  # fmt: skip


def typst_math(latex: str) -> str:
    r"""One formula, for between two dollar signs of typst.

    >>> typst_math(r"\ddot{\theta} = - \frac{g}{l}")
    'dot.double(θ) = − frac(g, l)'
    """
    from latex2mathml.converter import convert_to_element

    return _of(convert_to_element(with_words(latex), display="block"))


def _of(node: Any) -> str:
    tag = node.tag.rpartition("}")[2]
    return NODES.get(tag, _row)(node)


def _row(node: Any) -> str:
    return _fence([_sign(child) for child in node], [_of(child) for child in node])


def _fence(signs: list[str], parts: list[str]) -> str:
    """Parts side by side; what stands between brackets grows them."""
    out: list[str] = []
    stack: list[int] = []
    for sign, part in zip(signs, parts, strict=True):
        if sign in OPEN:
            stack.append(len(out))
        out.append(part)
        if sign in CLOSE and stack:
            first = stack.pop()
            out[first:] = [f"lr({' '.join(filter(None, out[first:]))})"]
    return " ".join(filter(None, out))


def _sign(node: Any) -> str:
    return html.unescape(node.text or "") if node.tag.endswith("mo") else ""


def _identifier(node: Any) -> str:
    text = html.unescape(node.text or "").strip()
    if len(text) == 1:
        return SIGNS.get(text, text)
    return f"upright({_quote(text)})" if text else ""


def _operator(node: Any) -> str:
    text = html.unescape(node.text or "").strip()
    if len(text) > 1 and text.isalpha():
        return f"op({_quote(text)})"
    return " ".join(SIGNS.get(letter, letter) for letter in text)


def _number(node: Any) -> str:
    text = html.unescape(node.text or "").strip()
    return text if text.replace(".", "", 1).isdigit() else _quote(text)


def _text(node: Any) -> str:
    text = plain(html.unescape(node.text or ""))
    return f"upright({_quote(text.strip())})" if text.strip() else "space"


def _quote(text: str) -> str:
    safe = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{safe}"'


def _space(node: Any) -> str:
    return "thin"


def _fraction(node: Any) -> str:
    return f"frac({_of(node[0])}, {_of(node[1])})"


def _scripts(marks: str) -> Callable[[Any], str]:
    def set_scripts(node: Any) -> str:
        parts = [f"{{{_of(child)}}}".replace("{", "(").replace("}", ")")
                 for child in node[1:]]  # fmt: skip
        base = _of(node[0]) or '""'
        base = base if " " not in base else f"lr({base})"
        pairs = zip(marks, parts, strict=False)
        return base + "".join(f"{mark}{part}" for mark, part in pairs)

    return set_scripts


def _root(node: Any) -> str:
    return f"root({_of(node[1])}, {_of(node[0])})"


def _square_root(node: Any) -> str:
    return f"sqrt({_row(node)})"


def _over(node: Any) -> str:
    mark = html.unescape(node[1].text or "").strip()
    if mark in ACCENTS:
        return f"{ACCENTS[mark]}({_of(node[0])})"
    return f"limits({_of(node[0])})^({_of(node[1])})"


def _under(node: Any) -> str:
    return f"limits({_of(node[0])})_({_of(node[1])})"


def _table(node: Any) -> str:
    """Lines of a formula that is aligned, else a matrix without brackets."""
    rows = [[_row(cell) for cell in line] for line in node]
    if max(map(len, rows)) == 2:
        return " \\ ".join(f"{row[0]} & {row[-1]}" for row in rows)
    return f"mat(delim: #none, {'; '.join(', '.join(row) for row in rows)})"


NODES: dict[str, Callable[[Any], str]] = {
    "mfrac": _fraction,
    "mi": _identifier,
    "mn": _number,
    "mo": _operator,
    "mover": _over,
    "mroot": _root,
    "mspace": _space,
    "msqrt": _square_root,
    "msub": _scripts("_"),
    "msubsup": _scripts("_^"),
    "msup": _scripts("^"),
    "mtable": _table,
    "mtext": _text,
    "munder": _under,
}
