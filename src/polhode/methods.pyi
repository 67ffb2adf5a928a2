# Written by tests/support/stubs.py from the table of public names.
from polhode.integrate.methods.calvo import Calvo7 as Calvo7
from polhode.integrate.methods.commutator_free import CommutatorFree4 as CommutatorFree4
from polhode.integrate.methods.commutator_free import CommutatorFree5 as CommutatorFree5
from polhode.integrate.methods.commutator_free_six import CommutatorFree6 as CommutatorFree6
from polhode.integrate.methods.composed import Composed as Composed
from polhode.integrate.methods.crouch_grossman import CrouchGrossman4 as CrouchGrossman4
from polhode.integrate.methods.dop853 import DormandPrince8 as DormandPrince8
from polhode.integrate.methods.dormand_prince import DormandPrince as DormandPrince
from polhode.integrate.methods.energy_momentum import EnergyMomentum as EnergyMomentum
from polhode.integrate.methods.gauss_legendre import GaussLegendre4 as GaussLegendre4
from polhode.integrate.methods.gauss_legendre import GaussLegendre6 as GaussLegendre6
from polhode.integrate.methods.gear_gupta_leimkuhler import GearGuptaLeimkuhler as GearGuptaLeimkuhler
from polhode.integrate.methods.generalised_alpha import GeneralisedAlpha as GeneralisedAlpha
from polhode.integrate.methods.implicit_midpoint import ImplicitMidpoint as ImplicitMidpoint
from polhode.integrate.methods.moreau import Moreau as Moreau
from polhode.integrate.methods.moser_veselov import MoserVeselov as MoserVeselov
from polhode.integrate.methods.projection import Unprojected as Unprojected
from polhode.integrate.methods.radau import RadauIIA as RadauIIA
from polhode.integrate.methods.rattle import Rattle as Rattle
from polhode.integrate.methods.rk4 import RungeKutta4 as RungeKutta4
from polhode.integrate.methods.rkmk import MuntheKaas4 as MuntheKaas4
from polhode.integrate.methods.semi_implicit_euler import SemiImplicitEuler as SemiImplicitEuler
from polhode.integrate.methods.stormer_verlet import StormerVerlet as StormerVerlet
from polhode.integrate.methods.variational import Variational as Variational

HOMES: dict[str, str]
