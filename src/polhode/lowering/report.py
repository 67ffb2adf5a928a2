"""What became of a function: sizes, times, and why it runs where it runs."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass
class Report:
    """Facts about a program; `print` it."""

    name: str
    backend: str
    reason: str = ""  # why it runs on XLA
    equations: int = 0  # of the jaxpr, loops unrolled as lowered
    operations_traced: int = 0  # scalar operations as traced, every turn counted
    operations_before: int = 0  # zeros and equal terms gone, loops counted once
    operations: int = 0  # after fusing products with sums
    loops: int = 0
    bytes: int = 0  # of machine code
    scratch: int = 0  # bytes of memory a thread needs
    lanes: int = 1
    threads: int = 1
    trace_seconds: float = 0.0
    compile_seconds: float = 0.0
    cache_hit: bool = False
    cache_note: str = ""

    def __str__(self) -> str:
        words = {
            "equations": "equations of the trace",
            "operations_traced": "operations, as traced",
            "operations_before": "operations, folded",
            "operations": "operations, fused",
            "bytes": "bytes of machine code",
            "scratch": "bytes of scratch memory",
            "trace_seconds": "seconds to trace",
            "compile_seconds": "seconds to compile",
            "cache_hit": "from the cache",
            "cache_note": "cache",
        }
        rows = []
        for field in fields(self)[1:]:
            value = getattr(self, field.name)
            if value == "" or (
                self.backend == "xla" and isinstance(value, int | float)
            ):
                continue
            if isinstance(value, float):
                value = f"{value:.3f}"
            label = words.get(field.name, field.name)
            rows.append(f"  {label:26} {value}")
        return "\n".join([self.name, *rows])
