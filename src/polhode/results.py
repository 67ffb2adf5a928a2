"""Types of what the library gives back: for annotations and `isinstance`."""

from polhode.lazy import lazy_names

# Public name -> the module that defines it; loaded on first use.
HOMES = {
    "Audit": "polhode.formulation.audit",
    "Balance": "polhode.formulation.questions.balance",
    "Branch": "polhode.analyse.continuation",
    "Branches": "polhode.analyse.continuation",
    "Conserved": "polhode.analyse.conserved",
    "ContactMode": "polhode.formulation.contact.questions",
    "ContactModes": "polhode.formulation.contact.questions",
    "Coriolis": "polhode.formulation.questions.coriolis",
    "Equilibria": "polhode.analyse.equilibrium",
    "Equilibrium": "polhode.analyse.equilibrium",
    "EquilibriumSweep": "polhode.analyse.equilibrium_sweep",
    "Events": "polhode.integrate.events.event",
    "Gradient": "polhode.analyse.gradient",
    "Identifiable": "polhode.analyse.identifiable",
    "Identified": "polhode.analyse.identify",
    "Impact": "polhode.formulation.contact.questions",
    "Integrability": "polhode.analyse.integrability",
    "Ledger": "polhode.integrate.audit.ledger",
    "LimitMargins": "polhode.analyse.margins",
    "Linear": "polhode.analyse.linearise",
    "LinearAlong": "polhode.analyse.linear_along",
    "Model": "polhode.files.model",
    "Modes": "polhode.analyse.modes",
    "Motions": "polhode.integrate.results.motions",
    "Picture": "polhode.show.plots.picture",
    "PositionIntegrals": "polhode.analyse.machinery.leaves",
    "Program": "polhode.lowering.compile",
    "ReactionParts": "polhode.formulation.questions.real_reactions",
    "ReactionTable": "polhode.analyse.reactions",
    "Recording": "polhode.integrate.storage.recording",
    "RestSensitivity": "polhode.analyse.rest_sensitivity",
    "Sensitivity": "polhode.analyse.sensitivity",
    "Stability": "polhode.analyse.stability",
    "SteadyMotion": "polhode.analyse.steady_motion",
    "SteadyMotions": "polhode.analyse.steady_motion",
    "Sweep": "polhode.integrate.results.sweep_result",
    "SweepEvents": "polhode.integrate.events.sweep_events",
    "Trajectory": "polhode.integrate.results.trajectory",
    "Uncertainty": "polhode.analyse.uncertainty",
}

__all__ = [*HOMES]
__getattr__, __dir__ = lazy_names(__name__, HOMES)
