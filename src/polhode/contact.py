"""Contact: laws of force, of restitution and of friction, and what rubs."""

from polhode.public.lazy import lazy_names

# Public name -> the module that defines it; loaded on first use.
HOMES = {
    "ConstraintFriction": "polhode.actions.contact.carried_friction",
    "Flores": "polhode.actions.contact.contact_laws",
    "Friction": "polhode.actions.contact.friction",
    "Hertz": "polhode.actions.contact.contact_laws",
    "HuntCrossley": "polhode.actions.contact.contact_laws",
    "KelvinVoigt": "polhode.actions.contact.contact_laws",
    "LankaraniNikravesh": "polhode.actions.contact.contact_laws",
    "Regularised": "polhode.actions.contact.friction",
    "Viscous": "polhode.actions.contact.friction",
    "Newton": "polhode.supports.restitution",
    "Poisson": "polhode.supports.restitution",
    "Stronge": "polhode.supports.restitution",
    "Anisotropic": "polhode.actions.contact.friction_laws",
    "Stribeck": "polhode.actions.contact.friction_laws",
    "DryJoint": "polhode.supports.dry_joint",
    "RollingFriction": "polhode.supports.rolling_friction",
    "SpinningFriction": "polhode.supports.rolling_friction",
}

__all__ = [*HOMES]
__getattr__, __dir__ = lazy_names(__name__, HOMES)
