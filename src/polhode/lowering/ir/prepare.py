"""From a trace to a scheduled scalar program, the same for every kind of code."""

from __future__ import annotations

from polhode.lowering.ir.expand import Expander, expand
from polhode.lowering.ir.in_place import leave_out_copies
from polhode.lowering.ir.optimise import choose_roundings
from polhode.lowering.ir.program import (
    UNROLL_AT_MOST,
    ScalarProgram,
    Unlowerable,
    scalarise,
)
from polhode.lowering.ir.schedule import Schedule, Unordered, find_live, schedule
from polhode.lowering.ir.strided_views import roots_of
from polhode.lowering.ir.vector_trig import stand_abreast
from polhode.lowering.options import Choices
from polhode.lowering.series.writers import write_nodes
from polhode.lowering.trace.trace import ClosedJaxpr, scalar_operations


class Prepared:
    """A scalar program made ready for code, once for all that is written of it.

    shares    marked functions are called rather than inlined
    abreast   angles of which the sines and cosines may be taken at once
    """

    def __init__(
        self,
        jaxpr: ClosedJaxpr,
        fold: str,
        unroll_at_most: int = UNROLL_AT_MOST,
        shares: bool = False,
        abreast: int = 1,
    ):
        self.program: ScalarProgram = scalarise(
            jaxpr, fold, unroll_at_most=unroll_at_most, shares=shares
        )
        roots = roots_of(self.program.outputs)
        self.operations_traced = scalar_operations(jaxpr.jaxpr)
        live = find_live(roots)
        self.operations_before = live.operations()
        leave_out_copies(self.program.outputs, live)
        self.loops = sum(node.op == "loop" for node in live.nodes)
        if fold == "zeros":
            choose_roundings(self.program.graph, roots)
        self.operations = find_live(roots).operations()
        build = Expander(self.program.graph)
        try:
            if abreast == 1:
                write_nodes(self.program.graph, roots)
            else:
                stand_abreast(build, roots, abreast)
            expand(build, roots)
            self.plan: Schedule = schedule(roots)
        except Unordered as clash:
            reason = "an array is read in an old version after it was changed in place"
            name, line = self.program.graph.sources.get(clash.node, ("loop", ""))
            raise Unlowerable(name, reason, line) from None


def prepared(jaxpr: ClosedJaxpr, choices: Choices, abreast: int = 1) -> Prepared:
    """What native code and kernels are written of: the same roundings for both.

    Which products are fused with which sums is decided within each function, so that a
    function that is called has other bits than one that is inlined: all kinds of code
    that are to agree share the same functions. Sines taken abreast change no bit.
    """
    made = (jaxpr, choices.fold, choices.unroll_at_most)
    return Prepared(*made, shares=True, abreast=abreast)
