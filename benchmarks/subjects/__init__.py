"""One file a subject; each gives the claims that it can measure."""

from benchmarks.subjects import (
    accelerations,
    analysis,
    bulk,
    contact,
    derivation,
    derivatives,
    described,
    energy,
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
    *rolling.CLAIMS,
    *contact.CLAIMS,
    *derivation.CLAIMS,
    *described.CLAIMS,
    *analysis.CLAIMS,
]
