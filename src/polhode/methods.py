"""Integration methods: `ph.methods.DormandPrince(rtol=1e-9)`."""

from polhode.public.lazy import lazy_names

# Public name -> the module that defines it; loaded on first use.
HOMES = {
    "DormandPrince": "polhode.integrate.methods.runge_kutta.dormand_prince",
    "DormandPrince8": "polhode.integrate.methods.runge_kutta.dop853",
    "Calvo7": "polhode.integrate.methods.runge_kutta.calvo",
    "Taylor": "polhode.integrate.methods.taylor",
    "RungeKutta4": "polhode.integrate.methods.runge_kutta.rk4",
    "ImplicitMidpoint": "polhode.integrate.methods.runge_kutta.implicit_midpoint",
    "GaussLegendre4": "polhode.integrate.methods.runge_kutta.gauss_legendre",
    "GaussLegendre6": "polhode.integrate.methods.runge_kutta.gauss_legendre",
    "RadauIIA": "polhode.integrate.methods.runge_kutta.radau",
    "SemiImplicitEuler": "polhode.integrate.methods.mechanical.semi_implicit_euler",
    "StormerVerlet": "polhode.integrate.methods.mechanical.stormer_verlet",
    "GeneralisedAlpha": "polhode.integrate.methods.mechanical.generalised_alpha",
    "GearGuptaLeimkuhler": "polhode.integrate.methods.mechanical.gear_gupta_leimkuhler",
    "Rattle": "polhode.integrate.methods.mechanical.rattle",
    "Variational": "polhode.integrate.methods.mechanical.variational",
    "EnergyMomentum": "polhode.integrate.methods.mechanical.energy_momentum",
    "MuntheKaas4": "polhode.integrate.methods.lie_group.rkmk",
    "CrouchGrossman4": "polhode.integrate.methods.lie_group.crouch_grossman",
    "CommutatorFree4": "polhode.integrate.methods.lie_group.commutator_free",
    "CommutatorFree5": "polhode.integrate.methods.lie_group.commutator_free",
    "CommutatorFree6": "polhode.integrate.methods.lie_group.commutator_free_six",
    "MoserVeselov": "polhode.integrate.methods.mechanical.moser_veselov",
    "Moreau": "polhode.integrate.methods.mechanical.moreau",
    "Composed": "polhode.integrate.methods.composed",
    "Unprojected": "polhode.integrate.methods.projection",
}

__all__ = [*HOMES]
__getattr__, __dir__ = lazy_names(__name__, HOMES)
