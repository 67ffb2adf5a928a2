"""The ways in which Polhode refuses: who, what with numbers, why, how to repair.

Every error is built from the same four sentences, so that all read alike:

    SingularMassMatrix: 'crane' has no unique acceleration at t = 0 s: ...   (what)

      Nothing resists z3, the speed of joint 'hook' ...                      (why)

      Give 'hook' a moment of inertia about k, or make the joint fixed.      (repair)
      Loose direction in (z1, z2, z3, z4): (0, 0, 1, 0).                     (fact)
"""

from __future__ import annotations

from typing import ClassVar


class PolhodeError(Exception):
    """The parent of everything that Polhode raises on purpose."""

    code: ClassVar[str] = "ERROR"

    def __init__(self, what: str, why: str = "", repair: str = "", fact: str = ""):
        self.what, self.why, self.repair, self.fact = what, why, repair, fact
        super().__init__(what, why, repair, fact)

    def __str__(self) -> str:
        last = "\n".join(part for part in (self.repair, self.fact) if part)
        blocks = [part for part in (self.why, last) if part]
        indented = ["  " + block.replace("\n", "\n  ") for block in blocks]
        return "\n\n".join([self.what, *indented])


class ModelError(PolhodeError, ValueError):
    """A description that no physical system can have."""

    code = "MODEL"


class UnknownName(ModelError, KeyError):
    """A name that nothing has."""

    __str__ = PolhodeError.__str__


class UnphysicalInertia(ModelError):
    """Mass or moments of inertia that no spread of mass has."""


class FrameMismatch(ModelError):
    """Two quantities of different frames or points were mixed."""


class StateError(PolhodeError, ValueError):
    """A position, orientation or velocity that is not one."""

    code = "STATE"


class ForceError(PolhodeError, ValueError):
    """A force law that gave no usable force."""

    code = "FORCE"


class CompileError(PolhodeError, ValueError):
    """A function that cannot be turned into a program as asked."""

    code = "COMPILE"


class UnsupportedPrimitive(CompileError):
    """A JAX primitive for which the asked backend has no rule."""


class ArgumentError(CompileError, TypeError):
    """Arguments that do not fit the program they were given to."""


class CacheWarning(UserWarning):
    """Compiled programs that cannot be kept, so that each process compiles anew."""


class FallbackWarning(UserWarning):
    """Equations or a law without native code: their runs are on XLA, and slow."""


class UnreadableProgram(CompileError):
    """A program that has no closed form to read."""


class FileError(PolhodeError, OSError):
    """A file that cannot be read or written."""

    code = "IO"


class NotARotation(StateError):
    """Numbers that were to describe a rotation and describe none."""


class ZeroQuaternion(NotARotation):
    """Four zeros, which have no direction to normalise to."""


class ZeroAxis(NotARotation):
    """An axis of no length, about which nothing can turn."""


class SingularParametrisation(StateError):
    """An orientation at which these parameters, or their rates, are not unique."""


class NumericalWarning(UserWarning):
    """A number that is allowed, but is hardly what was meant."""


class DegenerateMesh(ModelError):
    """A surface that encloses no volume: open, inside out or flat."""


class UnfinishedReading(UserWarning):
    """An expression was given right, but not in its shortest form."""


class ConstraintError(PolhodeError, ValueError):
    """Constraints that cannot be kept, or a state that does not keep them."""

    code = "CONSTR"


class InconsistentState(ConstraintError):
    """A state that breaks constraints of its system."""


class ConflictingConstraints(ConstraintError):
    """Constraints of which no state keeps all."""


class SingularMassMatrix(PolhodeError, ValueError):
    """A motion that nothing resists, so that no force gives it an acceleration."""

    code = "SING"


class ContactError(PolhodeError, ValueError):
    """A contact whose laws allow no motion, or several."""

    code = "CONTACT"


class NoMotion(ContactError):
    """An instant at which no motion obeys the laws of contact (Painleve)."""


class SeveralMotions(ContactError):
    """An instant at which several motions obey the laws of contact (Painleve)."""


class Overlap(StateError):
    """A state in which bodies are inside what they rest on."""


class IntegrationError(PolhodeError, ValueError):
    """A run that cannot be made as asked: times, steps, tolerances, memory."""

    code = "INTEG"


class IntegrationWarning(UserWarning):
    """A run that ended before its time; what it had reached is kept."""


class AnalysisError(PolhodeError, ValueError):
    """A question that has no answer here, or not the one that was asked for."""

    code = "ANALYSE"


class ShowError(PolhodeError, ValueError):
    """A picture that cannot be made as asked, or a viewer that is not installed."""

    code = "SHOW"


class ModelFileError(FileError, ModelError):
    """A model file that says no model: every error of it at once, with its line."""


class UnsafeFile(ModelFileError):
    """A file that asks for code to be run, or for files outside its own folder."""

    code = "SEC"


class CommandError(PolhodeError, ValueError):
    """Words of the command line that name nothing."""

    code = "WORDS"
