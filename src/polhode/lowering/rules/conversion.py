"""One element of one type as another."""

from __future__ import annotations

from polhode.lowering.ir.graph import Element, Node
from polhode.lowering.ir.program import Lowering
from polhode.lowering.ir.scalars import is_float


def convert_element(low: Lowering, a: Element, source: str, target: str) -> Element:
    if source == target:
        return a
    if target == "bool":
        return low.build.compare("ne", a, 0.0 if is_float(source) else 0, source)
    narrowed = isinstance(a, Node) and a.op == "convert" and a.data == target
    if narrowed and a in low.ranges:  # an index that lost nothing
        return a.args[0]
    return low.build.apply("convert", target, a, data=source)
