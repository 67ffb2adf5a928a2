"""`polhode sweep`: many runs of a model, drawn as its file says, into a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from polhode.cli.codes import BAD_NEWS, INTERRUPTED, WELL
from polhode.cli.words import Changes, Chosen, Json, ModelName
from polhode.errors import CommandError, IntegrationWarning


def sweep(
    model: ModelName,
    /,
    *,
    to: Path,
    runs: int | None = None,
    seed: int | None = None,
    until: float | None = None,
    set: Changes | None = None,
    rtol: float | None = None,
    samples: int | None = None,
    slab: int | None = None,
    form: Literal["netcdf", "parquet"] = "netcdf",
    part: str | None = None,
    missing: bool = False,
    threads: int | None = None,
    backend: Literal["llvm", "cuda"] = "llvm",
    json: Json = False,
) -> int:
    """Make the runs that [sweep] of a model file draws, part by part, in a folder.

    What is there already is not made again: after a kill, give the same command. In a
    job array each job makes its share, --part $SLURM_ARRAY_TASK_ID/200, without a
    service between them; all jobs reach one folder.

    Examples: polhode sweep crane.toml --to runs; polhode sweep crane.toml --to runs
    --part 17/200; polhode sweep crane.toml --to runs --missing

    Parameters
    ----------
    to
        The folder of the parts: new, or that of the same sweep.
    runs
        How many runs; [sweep] says it without.
    seed
        Of what is drawn; [sweep] says it without. Run 17 is the same in every part.
    until
        Time at which they end, s. 10 s after the start unless the file says more.
    rtol
        Relative error allowed in each step.
    samples
        How many states of each run to keep, evenly spread; the last one without it.
    slab
        Runs of one part; 16384 without it, 1048576 on a GPU.
    form
        Of the parts: netcdf, or parquet, which polars and duckdb read.
    part
        17/200 makes the 17th of 200 shares of the parts.
    missing
        Make the parts that are not there yet, in an order of chance: several such
        commands may go on together.
    threads
        At most so many; POLHODE_THREADS says it for all commands.
    backend
        Where runs are made: by the processor, or cuda, on a GPU with the same bits.
    """
    from polhode.cli.answers import print_json

    drawn, given = _drawn(model, set or (), runs, seed)
    wishes = {"until": until, "rtol": rtol, "samples": samples, "threads": threads}
    given |= {name: wish for name, wish in wishes.items() if wish is not None}
    if rtol is not None:
        given.pop("method", None)
    given["backend"] = backend
    share = _share(part, missing)
    files = {"to": to, "form": form, "slab": slab, "part": share}
    found = _sweep(drawn, given, files)
    failures = found.failures
    if json:
        print_json(_facts(found, failures))
    else:
        _tell(found, failures)
    if share is None and found.missing:
        return INTERRUPTED
    return BAD_NEWS if len(failures) else WELL


def _drawn(
    model: str, changes: Any, runs: int | None, seed: int | None
) -> tuple[Any, dict[str, Any]]:
    """The ensemble of a model file, and what its [run] says."""
    from polhode.cli.words import DRIVEN_AS, chosen, laws_of
    from polhode.integrate.field.ensemble import ensemble_from

    found: Chosen = chosen(model, changes)
    if found.ensemble is None:
        raise CommandError(
            f"{model!r} does not say what its runs are drawn from.",
            "Many runs differ in parameters or in where they start.",
            "Write a section [sweep] into its model file: runs = 1000, seed = 1, and"
            " parameters.m = { normal = [1.0, 0.1] }, coordinates.hinge = { uniform ="
            " [-1.0, 1.0] }.",
        )
    drawn_from = found.ensemble.described()
    _require_not_drawn(changes, drawn_from.get("parameters", {}))
    drawn_from |= {} if runs is None else {"runs": runs}
    drawn_from |= {} if seed is None else {"seed": seed}
    given = {**found.run, **laws_of(found)}
    given.pop(DRIVEN_AS, None)
    given.setdefault("until", float(found.start.t) + 10.0)
    return ensemble_from(found.start, drawn_from), given


def _require_not_drawn(changes: Any, drawn: Any) -> None:
    """Refuse a value for a parameter of which each run draws its own."""
    for change in changes:
        name = change.partition("=")[0].strip()
        if name in drawn:
            raise CommandError(
                f"--set {change} would change no run.",
                f"[sweep] draws {name!r} anew for each run.",
                f"Leave --set out, or change sweep.parameters.{name} in the file.",
            )


def _share(part: str | None, missing: bool) -> str | None:
    if part is not None and missing:
        raise CommandError(
            "--part and --missing cannot be given together.",
            "One is a share that is known before, the other what is left over.",
            "Give one of them.",
        )
    return "missing" if missing else part


def _sweep(drawn: Any, given: dict[str, Any], files: dict[str, Any]) -> Any:
    import warnings

    import polhode as ph
    from polhode.cli.waiting import waiting

    title = f"Compiling and sweeping {drawn.system.name}"
    with warnings.catch_warnings(), waiting(title) as wait:
        # Runs that failed are listed in a table.
        warnings.simplefilter("ignore", IntegrationWarning)
        return ph.sweep(drawn.system, drawn, watch=wait.watch, **given, **files)


def _tell(found: Any, failures: Any) -> None:
    from polhode.cli.answers import print_table, say

    count, slab = len(found.files.firsts), found.files.swept.slab
    there = count - len(found.missing)
    say(f"{len(found)} runs of {found.system.name} in {count} parts: {there} are"
        f" in {found.folder}.")  # fmt: skip
    if found.missing:
        numbers = spans([first // slab + 1 for first in found.missing])
        say(f"Missing are {len(found.missing)}: {numbers} of {count}.")
    if not found.missing:
        _tell_last_states(found)
    say()
    if not len(failures):
        say("No run failed.")
        return
    rows = [(f.code, str(f.count), str(f.first)) for f in failures]
    print_table("Runs that failed", ("why", "runs", "first"), rows)
    for failure in failures:
        say(f"\nRun {failure.first}: {failure.sentence}")


def _tell_last_states(found: Any) -> None:
    """Mean, deviation and ends of where runs are that reached the end."""
    import numpy as np

    from polhode.cli.answers import print_table
    from polhode.integrate.results.sweep_statistics import last_states

    names = [*found.system.coordinate_names]
    names += [f"speed of {name}" for name in found.system.speed_names]
    total = last_states(found)
    if not total.runs:
        return
    spread = np.sqrt(total.squares / total.runs)
    columns = zip(names, total.mean, spread, total.least, total.most, strict=True)
    rows = [(name, *(f"{float(v):.5g}" for v in values)) for name, *values in columns]
    title = f"\nAt t = {found.until:g} s"
    if total.runs < len(found):
        title += f", the {total.runs} runs that reached it"
    print_table(title, ("", "mean", "deviation", "least", "most"), rows)


def _facts(found: Any, failures: Any) -> dict[str, Any]:
    return {
        "system": found.system.name,
        "folder": str(found.folder),
        "runs": len(found),
        "parts": len(found.files.firsts),
        "missing": [first // found.files.swept.slab + 1 for first in found.missing],
        "failures": [
            {"code": f.code, "runs": f.count, "first": f.first, "sentence": f.sentence}
            for f in failures
        ],
    }


def spans(numbers: list[int]) -> str:
    """Numbers as job arrays take them.

    >>> spans([1, 2, 3, 7, 9, 10])
    '1-3,7,9-10'
    """
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in found)
