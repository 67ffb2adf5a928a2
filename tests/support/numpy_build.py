"""A builder that computes: elements are NumPy arrays or Python constants.

It takes the liberties that the compiler may take (see `elementary.build`), so that code
which depends on their absence fails here.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from polhode.lowering.ir import scalars

FMA = """
declare double @llvm.fma.f64(double, double, double)
define void @fma_all(ptr %a, ptr %b, ptr %c, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %pa = getelementptr double, ptr %a, i64 %i
  %pb = getelementptr double, ptr %b, i64 %i
  %pc = getelementptr double, ptr %c, i64 %i
  %po = getelementptr double, ptr %out, i64 %i
  %x = load double, ptr %pa
  %y = load double, ptr %pb
  %z = load double, ptr %pc
  %r = call double @llvm.fma.f64(double %x, double %y, double %z)
  store double %r, ptr %po
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
"""


@functools.cache
def _native_fma() -> tuple[Any, Any]:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten()
    )
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(FMA), machine)
    engine.finalize_object()
    address = engine.get_function_address("fma_all")
    signature = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, ctypes.c_int64)
    return signature(address), engine


def fma(a: Any, b: Any, c: Any) -> np.ndarray:
    """a b + c, rounded once, of broadcast arrays."""
    arrays = [np.asarray(v, np.float64) for v in (a, b, c)]
    a, b, c = (np.ascontiguousarray(v) for v in np.broadcast_arrays(*arrays))
    out = np.empty_like(a)
    if out.size:
        _native_fma()[0](
            a.ctypes.data, b.ctypes.data, c.ctypes.data, out.ctypes.data, out.size
        )
    return out


def known(*args: Any) -> bool:
    return not any(isinstance(a, np.ndarray) for a in args)


class NumpyBuild:
    """Evaluates at once, and counts the operations it was asked for."""

    def __init__(self) -> None:
        self.count = 0

    def apply(self, op: str, type: str, *args: Any, data: Any = None) -> Any:
        if known(*args):
            return scalars.fold_constant(op, type, args, data)
        self.count += 1
        source = scalars.operand_type(op, type, data)
        arrays = [np.asarray(a, dtype=source) for a in args]
        return scalars.evaluate(op, type, arrays, data)

    def add(self, a: Any, b: Any, type: str = "float64") -> Any:
        for x, y in ((a, b), (b, a)):
            if known(x) and not known(y) and x == 0:
                return y
        return self.apply("add", type, a, b)

    def sub(self, a: Any, b: Any, type: str = "float64") -> Any:
        if known(b) and b == 0:
            return a
        if known(a) and not known(b) and a == 0:
            return self.neg(b, type)
        if a is b and not known(a):
            return 0.0 if type == "float64" else 0
        return self.apply("sub", type, a, b)

    def mul(self, a: Any, b: Any, type: str = "float64") -> Any:
        if not known(a, b) and any(known(x) and x == 0 for x in (a, b)):
            return 0.0 if type == "float64" else 0
        return self.apply("mul", type, a, b)

    def div(self, a: Any, b: Any, type: str = "float64") -> Any:
        if known(a) and not known(b) and a == 0:
            return 0.0
        if known(b) and not known(a):
            return self.mul(a, 1.0 / b)
        return self.apply("div", type, a, b)

    def neg(self, a: Any, type: str = "float64") -> Any:
        return self.apply("neg", type, a)

    def fma(self, a: Any, b: Any, c: Any) -> Any:
        if known(a, b, c):
            return float(fma(a, b, c))
        if any(known(x) and x == 0 for x in (a, b)):
            return c
        if known(c) and c == 0:
            return self.mul(a, b)
        self.count += 1
        return fma(a, b, c)

    def sqrt(self, a: Any) -> Any:
        return self.apply("sqrt", "float64", a)

    def abs(self, a: Any) -> Any:
        return self.apply("abs", "float64", a)

    def compare(self, op: str, a: Any, b: Any, type: str) -> Any:
        return self.apply(op, "bool", a, b, data=type)

    def select(self, which: Any, yes: Any, no: Any, type: str) -> Any:
        if known(which):
            return yes if which else no
        self.count += 1
        yes, no = np.asarray(yes, type), np.asarray(no, type)
        return np.where(which, yes, no)

    def bitcast(self, a: Any, source: str, target: str) -> Any:
        if known(a):
            return scalars.fold_constant("bitcast", target, (a,), source)
        return np.ascontiguousarray(a).view(target)

    def table(self, values: np.ndarray, index: Any) -> Any:
        assert np.all((np.asarray(index) >= 0) & (np.asarray(index) < len(values)))
        self.count += 1
        return values[index]

    def rare(
        self,
        condition: Any,
        slow: Callable[[], list[Any]],
        fast: list[Any],
        types: list[str],
    ) -> list[Any]:
        self.count += 1
        before = self.count
        others = slow()
        self.count = before
        pairs = zip(others, fast, types, strict=True)
        return [
            np.where(condition, np.asarray(s, t), np.asarray(f, t)) for s, f, t in pairs
        ]

    def call(
        self,
        name: str,
        function: Callable[..., list[Any]],
        args: list[Any],
        types: list[str],
    ) -> list[Any]:
        results = function(self, *args)
        assert len(results) == len(types), name
        return results


def evaluated(function: Callable[..., Any], *args: Any) -> np.ndarray:
    """The values of an elementary function on arrays."""
    arrays = [np.ascontiguousarray(a, np.float64) for a in args]
    with np.errstate(all="ignore"):
        return np.asarray(function(NumpyBuild(), *arrays))
