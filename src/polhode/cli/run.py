"""`polhode run`: the motion of a model, printed as a table, kept in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from polhode.cli.codes import BAD_NEWS, INTERRUPTED, WELL
from polhode.cli.words import Changes, Chosen, Json, ModelName, Span
from polhode.errors import CommandError


def run(
    model: ModelName,
    /,
    *,
    until: float | None = None,
    out: Path | None = None,
    set: Changes | None = None,
    rtol: float | None = None,
    samples: int | None = None,
    json: Json = False,
) -> int:
    """Run a model from its start, and say where it ends and what its ledger says.

    Examples: polhode run pendulum --until 10; polhode run crane.toml --out motion.nc

    Parameters
    ----------
    until
        Time at which it ends, s. 10 s after its start unless its file says more.
    out
        A netCDF file for the rows, written as it runs. A run that was killed goes on
        from there when the same command is given again.
    rtol
        Relative error allowed in each step.
    samples
        How many rows to keep, evenly spread; every step without it.
    """
    from polhode.cli.answers import print_json
    from polhode.cli.words import chosen, run_of

    found = chosen(model, set or ())
    span = Span(until, rtol, samples)
    motion = (
        run_of(found, span) if out is None else _run_to_file(found, span, out, json)
    )
    if json:
        print_json(_facts(motion))
    else:
        _tell(motion, out)
    if motion.outcome.code == "INTERRUPTED":
        return INTERRUPTED
    return WELL if motion.outcome.is_complete else BAD_NEWS


def _run_to_file(found: Chosen, span: Span, out: Path, json: bool) -> Any:
    """A run into a file, or the rest of one that a file has begun."""
    from polhode.cli.words import run_of

    if not out.exists():
        return run_of(Chosen(found.system, found.start, {**found.run, "to": out}), span)
    import polhode as ph
    from polhode.cli.answers import say
    from polhode.cli.waiting import waiting

    loaded = ph.load_motion(out)
    _require_same_run(out, loaded.header, found, span)
    if loaded.outcome.is_complete:
        if not json:
            say(f"{out} holds this run already, until t = {loaded.outcome.t:g} s.")
        return loaded.of(found.system)
    if not json:
        say(f"{out} ends at t = {loaded.outcome.t:g} s; going on from there.")
    with waiting(f"Going on with {found.system.name}") as wait:
        return ph.resume(out, found.system, watch=wait.watch)


def _require_same_run(
    out: Path, header: dict[str, Any], found: Chosen, span: Span
) -> None:
    """A file is one run: what is requested now must be what it holds."""
    settings = header["method"]["settings"]
    held = {"until": header["until"], "samples": header["samples"]}
    held["rtol"] = settings.get("rtol")
    start = [[float(found.start.t)], [*found.start.q], [*found.start.z]]
    other = [
        f"{word} {held[word]}, not {wish}"
        for word, wish in (
            ("until", span.until),
            ("samples", span.samples),
            ("rtol", span.rtol),
        )
        if wish is not None and wish != held[word]
    ]
    if header["start"] != start:
        other.append("another start")
    if other:
        raise CommandError(
            f"{str(out)!r} holds another run: {', '.join(other)}.",
            "A file is one run, which the same words go on with.",
            "Give another file, or take this one away.",
        )


def _tell(motion: Any, out: Path | None) -> None:
    import numpy as np

    from polhode.cli.answers import print_table, say, state_rows

    say(str(motion.outcome))
    say(f"{len(motion)} rows by {motion.note}.\n")
    final = motion.final
    rows = state_rows(final() if callable(final) else final)
    print_table(f"At t = {float(motion.t[-1]):g} s", ("", "", ""), rows)
    if not np.ptp(motion.q, axis=0).any():
        say("\nIt stays where it starts: --set takes coordinates too, such as hinge=1.")
    if motion.is_dense:
        say()
        say(str(motion.ledger()))
    if out is not None:
        say(f"\nRows are in {out}.")


def _facts(motion: Any) -> dict[str, Any]:
    from polhode.cli.answers import ledger_facts

    outcome = motion.outcome
    names = motion.system.coordinate_names, motion.system.speed_names
    last = motion[len(motion) - 1]
    return {
        "system": motion.system.name,
        "outcome": {"code": outcome.code, "t": outcome.t, "sentence": str(outcome)},
        "steps": {"accepted": outcome.accepted, "rejected": outcome.rejected},
        "rows": len(motion),
        "method": motion.note,
        "coordinates": dict(zip(names[0], last.q, strict=True)),
        "speeds": dict(zip(names[1], last.z, strict=True)),
        "ledger": ledger_facts(motion.ledger()) if motion.is_dense else None,
    }
