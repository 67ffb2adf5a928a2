# Written by tests/support/stubs.py from the table of public names.
from polhode.integrate.methods.composed import Composed as Composed
from polhode.integrate.methods.lie_group.commutator_free import CommutatorFree4 as CommutatorFree4
from polhode.integrate.methods.lie_group.commutator_free import CommutatorFree5 as CommutatorFree5
from polhode.integrate.methods.lie_group.commutator_free_six import CommutatorFree6 as CommutatorFree6
from polhode.integrate.methods.lie_group.crouch_grossman import CrouchGrossman4 as CrouchGrossman4
from polhode.integrate.methods.lie_group.rkmk import MuntheKaas4 as MuntheKaas4
from polhode.integrate.methods.mechanical.energy_momentum import EnergyMomentum as EnergyMomentum
from polhode.integrate.methods.mechanical.gear_gupta_leimkuhler import GearGuptaLeimkuhler as GearGuptaLeimkuhler
from polhode.integrate.methods.mechanical.generalised_alpha import GeneralisedAlpha as GeneralisedAlpha
from polhode.integrate.methods.mechanical.moreau import Moreau as Moreau
from polhode.integrate.methods.mechanical.moser_veselov import MoserVeselov as MoserVeselov
from polhode.integrate.methods.mechanical.rattle import Rattle as Rattle
from polhode.integrate.methods.mechanical.semi_implicit_euler import SemiImplicitEuler as SemiImplicitEuler
from polhode.integrate.methods.mechanical.stormer_verlet import StormerVerlet as StormerVerlet
from polhode.integrate.methods.mechanical.variational import Variational as Variational
from polhode.integrate.methods.projection import Unprojected as Unprojected
from polhode.integrate.methods.runge_kutta.calvo import Calvo7 as Calvo7
from polhode.integrate.methods.runge_kutta.dop853 import DormandPrince8 as DormandPrince8
from polhode.integrate.methods.runge_kutta.dormand_prince import DormandPrince as DormandPrince
from polhode.integrate.methods.runge_kutta.gauss_legendre import GaussLegendre4 as GaussLegendre4
from polhode.integrate.methods.runge_kutta.gauss_legendre import GaussLegendre6 as GaussLegendre6
from polhode.integrate.methods.runge_kutta.implicit_midpoint import ImplicitMidpoint as ImplicitMidpoint
from polhode.integrate.methods.runge_kutta.radau import RadauIIA as RadauIIA
from polhode.integrate.methods.runge_kutta.rk4 import RungeKutta4 as RungeKutta4
from polhode.integrate.methods.taylor import Taylor as Taylor

HOMES: dict[str, str]
