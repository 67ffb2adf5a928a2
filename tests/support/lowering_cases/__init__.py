"""The registry of small functions by which the compiler is tested, by subject."""

from lowering_cases import (
    arithmetic,
    control,
    elementary,
    indexing,
    integers,
    linear_algebra,
    long_arrays,
    memory,
    random_bits,
    reduction,
    sorting,
    structure,
)
from lowering_cases.case import SYSTEMS, Case, check, compiled, on_xla, primitives_of

SUBJECTS = (
    arithmetic,
    control,
    elementary,
    indexing,
    integers,
    linear_algebra,
    long_arrays,
    memory,
    random_bits,
    reduction,
    sorting,
    structure,
)
CASES: list[Case] = [case for subject in SUBJECTS for case in subject.CASES]

__all__ = [
    "CASES",
    "SYSTEMS",
    "Case",
    "check",
    "compiled",
    "on_xla",
    "primitives_of",
]
