"""One file a subject; each gives the claims that it can measure."""

from benchmarks.subjects import (
    accelerations,
    analysis,
    bulk,
    derivation,
    derivatives,
    described,
    energy,
    first_run,
    fleet,
    gradients,
    precision,
    rolling,
    startup,
    stepping,
)

CLAIMS = [
    *stepping.CLAIMS,
    *accelerations.CLAIMS,
    *fleet.CLAIMS,
    *bulk.CLAIMS,
    *precision.CLAIMS,
    *energy.CLAIMS,
    *derivatives.CLAIMS,
    *gradients.CLAIMS,
    *startup.CLAIMS,
    *first_run.CLAIMS,
    *rolling.CLAIMS,
    *derivation.CLAIMS,
    *described.CLAIMS,
    *analysis.CLAIMS,
]
