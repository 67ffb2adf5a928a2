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
    """Audit a model: invariance of its actions and constraints, and a short ledger.

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
    from polhode.cli.answers import ledger_facts, print_json, say
    from polhode.cli.waiting import waiting
    from polhode.cli.words import chosen, motion_of

    findings: list[dict[str, Any]] = []
    span = Span(until)
    if not subject.endswith(".nc"):
        found = chosen(subject, set or ())
        with waiting(f"Auditing {found.system.name}"):
            findings = _findings(found.system)
        span = Span(float(found.start.t) + 1.0 if until is None else until)
    motion = motion_of(subject, model, set or (), span)
    with waiting("Balancing the ledger"):
        ledger = motion.ledger()
    facts = ledger_facts(ledger)
    sound = [finding["is_invariant"] for finding in findings]
    if json:
        print_json({"findings": findings, "ledger": facts})
    else:
        for finding in findings:
            say(finding["says"])
        say(f"\n{ledger}" if findings else str(ledger))
    return 0 if facts["is_sound"] and all(sound) else 1


def _findings(system: Any) -> list[dict[str, Any]]:
    """What each action and each constraint says of invariance."""
    import polhode as ph
    from polhode.system.gather import ALONG_JOINTS

    reports: list[tuple[str, Any]] = []
    for action in system.actions:
        if not isinstance(action, ALONG_JOINTS):  # those are about relative motion
            reports.append((action.name, ph.audit_invariance(action)))
    for each in system.constraints:
        if not isinstance(each, ph.PrescribedMotion):  # its time is the driver's
            reports.append((each.name, ph.audit_constraint(each)))
    return [
        {
            "name": name,
            "is_invariant": bool(report.is_invariant),
            "says": str(report),
        }
        for name, report in reports
    ]
