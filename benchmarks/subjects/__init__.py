"""One file a subject; each gives the claims that it can measure."""

from benchmarks.subjects import (
    accelerations,
    analysis,
    bouncing,
    bulk,
    derivation,
    derivatives,
    described,
    energy,
    environments,
    fleet,
    gradients,
    inside_jax,
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
    *bouncing.CLAIMS,
    *precision.CLAIMS,
    *energy.CLAIMS,
    *derivatives.CLAIMS,
    *gradients.CLAIMS,
    *inside_jax.CLAIMS,
    *environments.CLAIMS,
    *startup.CLAIMS,
    *rolling.CLAIMS,
    *derivation.CLAIMS,
    *described.CLAIMS,
    *analysis.CLAIMS,
]
