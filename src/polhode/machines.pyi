# Written by tests/support/stubs.py from the table of public names.
from polhode.actions.force_elements.damper import RotationalDamper as RotationalDamper
from polhode.actions.force_elements.rotational_spring import RotationalSpring as RotationalSpring
from polhode.actions.force_elements.rotational_spring import TorsionalSpring as TorsionalSpring
from polhode.actions.force_elements.spring import NonlinearSpring as NonlinearSpring
from polhode.actions.force_elements.transmission import Servo as Servo
from polhode.actions.force_elements.transmission import TendonDamper as TendonDamper
from polhode.actions.force_elements.transmission import TendonSpring as TendonSpring
from polhode.actions.machines.bump_stop import BumpStop as BumpStop
from polhode.actions.machines.bushing import Bushing as Bushing
from polhode.actions.machines.curves import DamperCurve as DamperCurve
from polhode.actions.machines.curves import JointCurve as JointCurve
from polhode.actions.machines.curves import SpringCurve as SpringCurve
from polhode.actions.machines.gas_force import GasForce as GasForce
from polhode.actions.machines.torque_motor import TorqueMotor as TorqueMotor
from polhode.constraints.machines.cam import Cam as Cam
from polhode.constraints.machines.rope import Pulley as Pulley
from polhode.constraints.machines.rope import Rope as Rope
from polhode.constraints.machines.shafts import ConstantVelocityCoupling as ConstantVelocityCoupling
from polhode.constraints.machines.shafts import HookeCoupling as HookeCoupling
from polhode.constraints.machines.transmissions import Belt as Belt
from polhode.constraints.machines.transmissions import Chain as Chain
from polhode.constraints.machines.transmissions import differential as differential
from polhode.constraints.machines.transmissions import planetary_gear as planetary_gear
from polhode.constraints.machines.transmissions import rack_and_pinion as rack_and_pinion
from polhode.constraints.machines.transmissions import worm_gear as worm_gear
from polhode.constraints.tendon_length import TendonLength as TendonLength
from polhode.joints.flywheel import flywheel as flywheel

HOMES: dict[str, str]
