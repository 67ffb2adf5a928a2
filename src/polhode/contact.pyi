# Written by tests/support/stubs.py from the table of public names.
from polhode.actions.contact.carried_friction import ConstraintFriction as ConstraintFriction
from polhode.actions.contact.contact_laws import Flores as Flores
from polhode.actions.contact.contact_laws import Hertz as Hertz
from polhode.actions.contact.contact_laws import HuntCrossley as HuntCrossley
from polhode.actions.contact.contact_laws import KelvinVoigt as KelvinVoigt
from polhode.actions.contact.contact_laws import LankaraniNikravesh as LankaraniNikravesh
from polhode.actions.contact.friction import Friction as Friction
from polhode.actions.contact.friction import Regularised as Regularised
from polhode.actions.contact.friction import Viscous as Viscous
from polhode.actions.contact.friction_laws import Anisotropic as Anisotropic
from polhode.actions.contact.friction_laws import Stribeck as Stribeck
from polhode.supports.dry_joint import DryJoint as DryJoint
from polhode.supports.restitution import Newton as Newton
from polhode.supports.restitution import Poisson as Poisson
from polhode.supports.restitution import Stronge as Stronge
from polhode.supports.rolling_friction import RollingFriction as RollingFriction
from polhode.supports.rolling_friction import SpinningFriction as SpinningFriction

HOMES: dict[str, str]
