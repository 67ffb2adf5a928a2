"""Sines and cosines of several angles at once, each in a lane of one vector.

A system alone has no neighbours to fill the lanes of a vector with, but it has several
angles. Of those that do not wait for one another the waves are taken together: as many
instructions as for one angle, and the same bits.

    x, y -> abreast x y -> sin x, sin y, cos x, cos y
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from polhode.lowering.elementary import ELEMENTARY
from polhode.lowering.ir.expand import Expander
from polhode.lowering.ir.graph import Block, Element, Node
from polhode.lowering.ir.schedule import Function, Needs

WAVES = ("sin", "cos")


def stand_abreast(build: Expander, roots: list[Element], most: int) -> None:
    """Every sine and cosine of angles that have company, in place."""
    needs = Needs.of(roots)
    waves = [n for n in needs.live.nodes if n.op in WAVES and n.type == "float64"]
    if len({(n.block, n.args[0]) for n in waves}) < 2:
        return
    by_angle: dict[tuple[Block, Element], list[Node]] = defaultdict(list)
    for node in sorted(waves, key=lambda n: n.number):
        by_angle[(node.block, node.args[0])].append(node)
    levels = _levels(needs, {node.block for node in waves})
    ranks: dict[tuple[Block, int], list[Element]] = defaultdict(list)
    for (block, angle), nodes in by_angle.items():
        ranks[(block, levels[nodes[0]])].append(angle)
    for (block, _), angles in ranks.items():
        for first in range(0, len(angles), most):
            some = tuple(angles[first : first + most])
            if len(some) > 1:
                _together(build, block, some, by_angle)


def _together(
    build: Expander, block: Block, angles: tuple[Any, ...], by_angle: dict
) -> None:
    graph = build.graph
    before, graph.current = graph.current, block
    node = graph.unique("abreast", "", angles, _function(build))
    for lane, angle in enumerate(angles):
        for wave in by_angle[(block, angle)]:
            place = WAVES.index(wave.op) * len(angles) + lane
            part = graph.make("proj", "float64", (node,), place)
            wave.op, wave.args, wave.data = "copy", (part,), None
    graph.current = before


def _function(build: Expander) -> Function:
    def waves(b: Expander, x: Element) -> list[Element]:
        return [ELEMENTARY[word](b, x) for word in WAVES]

    return build.function("waves", waves, 1, ["float64"] * len(WAVES), "inline")


def _levels(needs: Needs, blocks: set[Block]) -> dict[Node, int]:
    """How many waves, one after another, each node of the blocks waits for."""
    levels: dict[Node, int] = {}
    for block in blocks:
        for node in needs.ordered(block):
            below = (levels.get(a, 0) for a in needs.before(node))
            levels[node] = max(below, default=0) + (node.op in WAVES)
    return levels
