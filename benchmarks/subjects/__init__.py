"""One file a subject; each gives the claims that it can measure."""

from benchmarks.subjects import (
    accelerations,
    bulk,
    derivation,
    derivatives,
    described,
    fleet,
    rolling,
    startup,
    stepping,
)

CLAIMS = [
    *stepping.CLAIMS,
    *accelerations.CLAIMS,
    *fleet.CLAIMS,
    *bulk.CLAIMS,
    *derivatives.CLAIMS,
    *startup.CLAIMS,
    *rolling.CLAIMS,
    *derivation.CLAIMS,
    *described.CLAIMS,
]
