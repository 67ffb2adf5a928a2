"""`polhode audit`: is anything missing from a model, and does a motion balance?"""

from __future__ import annotations

from typing import Any

from polhode.cli.words import Changes, Json, ModelName, Span


def audit(
    subject: str,
    model: ModelName = "",
    /,
    *,
    until: float | None = None,
    set: Changes | None = None,
    json: Json = False,
) -> int:
    """Audit a model: invariance, answers to all that acts, and a short ledger.

    Of a motion in a file, its ledger alone. Ends with code 1 if something fails.
    Examples: polhode audit four_bar; polhode audit motion.nc

    Parameters
    ----------
    subject
        A model, or the file of a motion; of a motion under laws written in Python
        its model follows.
    until
        Time at which the motion that is audited ends, s; 1 s after its start.
    """
    import polhode as ph
    from polhode.cli.answers import ledger_facts, print_json, say
    from polhode.cli.waiting import waiting
    from polhode.cli.words import chosen, motion_of

    whole: Any = None
    span = Span(until)
    if not subject.endswith(".nc"):
        found = chosen(subject, set or ())
        with waiting(f"Auditing {found.system.name}"):
            whole = ph.audit(found.system)
        span = Span(float(found.start.t) + 1.0 if until is None else until)
    motion = motion_of(subject, model, set or (), span)
    with waiting("Balancing the ledger"):
        ledger = motion.ledger()
    facts = ledger_facts(ledger)
    if json:
        print_json({**_facts(whole), "ledger": facts})
    else:
        say(str(ledger) if whole is None else f"{whole}\n\n{ledger}")
    return 0 if facts["is_sound"] and (whole is None or whole.is_sound) else 1


def _facts(whole: Any) -> dict[str, Any]:
    """What each action and constraint says of invariance, and all of answers."""
    if whole is None:
        return {"findings": []}
    findings = [
        {"name": name, "is_invariant": bool(report.is_invariant), "says": str(report)}
        for name, report in whole.reports.items()
    ]
    left = {"force": whole.force, "moment": whole.moment}
    return {"findings": findings, "unanswered": left}
