"""Integration methods: `ph.methods.DormandPrince(rtol=1e-9)`."""

from polhode.lazy import lazy_names

# Public name -> the module that defines it; loaded on first use.
HOMES = {
    "DormandPrince": "polhode.integrate.methods.dormand_prince",
    "DormandPrince8": "polhode.integrate.methods.dop853",
    "Calvo7": "polhode.integrate.methods.calvo",
    "RungeKutta4": "polhode.integrate.methods.rk4",
    "ImplicitMidpoint": "polhode.integrate.methods.implicit_midpoint",
    "GaussLegendre4": "polhode.integrate.methods.gauss_legendre",
    "GaussLegendre6": "polhode.integrate.methods.gauss_legendre",
    "RadauIIA": "polhode.integrate.methods.radau",
    "SemiImplicitEuler": "polhode.integrate.methods.semi_implicit_euler",
    "StormerVerlet": "polhode.integrate.methods.stormer_verlet",
    "GeneralisedAlpha": "polhode.integrate.methods.generalised_alpha",
    "GearGuptaLeimkuhler": "polhode.integrate.methods.gear_gupta_leimkuhler",
    "Rattle": "polhode.integrate.methods.rattle",
    "Variational": "polhode.integrate.methods.variational",
    "EnergyMomentum": "polhode.integrate.methods.energy_momentum",
    "MuntheKaas4": "polhode.integrate.methods.rkmk",
    "CrouchGrossman4": "polhode.integrate.methods.crouch_grossman",
    "CommutatorFree4": "polhode.integrate.methods.commutator_free",
    "CommutatorFree5": "polhode.integrate.methods.commutator_free",
    "CommutatorFree6": "polhode.integrate.methods.commutator_free_six",
    "MoserVeselov": "polhode.integrate.methods.moser_veselov",
    "Moreau": "polhode.integrate.methods.moreau",
    "Composed": "polhode.integrate.methods.composed",
    "Unprojected": "polhode.integrate.methods.projection",
}

__all__ = [*HOMES]
__getattr__, __dir__ = lazy_names(__name__, HOMES)
