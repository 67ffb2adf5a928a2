"""How a run stands: one number that compiled loops, the host and files share."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """A run goes on, waits for the host, or has ended; stored in files as a number."""

    RUNNING = 0
    DONE = 1
    NOT_A_NUMBER = 2  # a force, or the accelerations, are not finite
    TOO_SMALL = 3  # no step, however small, is accurate enough
    INTERRUPTED = 4  # by Ctrl-C
    WORK_LIMIT = 5  # all attempts that were allowed are made
    UNSOLVED = 6  # the equations of an implicit step
    EVENT = 7  # a terminal one
    ZENO = 8  # events without end in a finite time
    FAULT = 9  # of an event function, a reset or an input
    NEEDS_HOST = 10  # the last step may hold an event
    SWITCHING = 11  # at an event, whose changes are made in the next turn
    UNWRITTEN = 16  # the disk refused rows
    FULL = 17  # rows take all memory that was allowed
    UNMET = 18  # projection could not meet the constraints
    REFUSED = 19  # a run of a sweep that could not begin
    SINGULAR = 20  # the same, because its equations are singular
    CONTACT = 21  # contacts have no motion, or several (Painleve)

    @property
    def code(self) -> str:
        """What `Outcome.code` says of it."""
        return CODES[self]


CODES = {
    Status.DONE: "DONE",
    Status.NOT_A_NUMBER: "FORCE",
    Status.TOO_SMALL: "INTEG",
    Status.UNSOLVED: "INTEG",
    Status.UNMET: "CONSTR",
    Status.INTERRUPTED: "INTERRUPTED",
    Status.WORK_LIMIT: "INTEG",
    Status.FULL: "INTEG",
    Status.UNWRITTEN: "IO",
    Status.EVENT: "EVENT",
    Status.ZENO: "INTEG",
    Status.FAULT: "FORCE",
    Status.REFUSED: "STATE",
    Status.SINGULAR: "SING",
    Status.CONTACT: "CONTACT",
}

# Plain integers, for arrays and for code that is traced: JAX takes no other kind.
RUNNING, DONE = Status.RUNNING.value, Status.DONE.value
NOT_A_NUMBER, TOO_SMALL = Status.NOT_A_NUMBER.value, Status.TOO_SMALL.value
INTERRUPTED, WORK_LIMIT = Status.INTERRUPTED.value, Status.WORK_LIMIT.value
UNSOLVED, UNMET = Status.UNSOLVED.value, Status.UNMET.value
EVENT, ZENO, FAULT = Status.EVENT.value, Status.ZENO.value, Status.FAULT.value
NEEDS_HOST, SWITCHING = Status.NEEDS_HOST.value, Status.SWITCHING.value
UNWRITTEN, FULL = Status.UNWRITTEN.value, Status.FULL.value
REFUSED, SINGULAR = Status.REFUSED.value, Status.SINGULAR.value
CONTACT = Status.CONTACT.value

# From these no run goes on.
ENDS = (NOT_A_NUMBER, TOO_SMALL, UNSOLVED, UNMET, EVENT, ZENO, FAULT, CONTACT)
