"""`polhode verify`: the problems of the manual, printed answers beside ours."""

from __future__ import annotations

from typing import Any

from polhode.cli.words import Json, Several

SHOWN = 10  # digits of an answer in the table; --json and the manual have all


def verify(*, only: Several | None = None, json: Json = False) -> int:
    """Run the verification manual: problems of others, their answers and ours.

    Ends with code 1 if an answer has fewer digits than its problem states.
    Examples: polhode verify; polhode verify --only sleeping_top

    Parameters
    ----------
    only
        The name of a problem; may be given again. Without it, all.
    """
    from polhode.cli.answers import print_json
    from polhode.cli.waiting import waiting
    from polhode.verification import verified

    wanted, results = _chosen(only or ()), []
    with waiting("Verifying") as tell:
        for number, problem in enumerate(wanted):
            tell(number, len(wanted), problem.name)
            results.append(verified(problem))
    if json:
        print_json([_facts(result) for result in results])
    else:
        _print(results)
    return 0 if all(result.is_reached for result in results) else 1


def _chosen(only: Any) -> list[Any]:
    from polhode.errors import CommandError
    from polhode.files.issues import nearest
    from polhode.verification import PROBLEMS

    for name in only:
        if name not in PROBLEMS:
            raise CommandError(
                f"there is no problem {name!r} in the manual.",
                repair=nearest(name, PROBLEMS),
            )
    return [PROBLEMS[name] for name in only] if only else list(PROBLEMS.values())


def _facts(result: Any) -> dict[str, Any]:
    problem = result.problem
    answers = [
        {
            "what": answer.what,
            "expected": answer.expected,
            "found": answer.found,
            "digits": answer.digits,
        }
        for answer in result.answers
    ]
    return {
        "name": problem.name,
        "source": problem.citation,
        "basis": problem.basis,
        "answers": answers,
        "digits": result.digits,
        "stated": problem.digits,
        "is_reached": result.is_reached,
        "seconds": result.seconds,
        "failure": result.failure,
    }


def _print(results: list[Any]) -> None:
    from polhode.cli.answers import say

    head = ("problem", "source", "printed", "ours", "digits", "verdict")
    rows = [head, *(_row(result) for result in results)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)]
        say("  ".join(cells).rstrip())
    reached = sum(result.is_reached for result in results)
    sources = len({result.problem.source for result in results})
    seconds = sum(result.seconds for result in results)
    say(
        f"\n{reached} of {len(results)} problems from {sources} sources reach their"
        f" digits, in {seconds:.1f} s."
    )
    for result in results:
        if result.failure:
            say(f"\n{result.problem.name}: {result.failure}")


def _row(result: Any) -> tuple[str, ...]:
    """The answer that agrees least."""
    problem = result.problem
    source = f"{problem.source.short} {problem.source.year}"
    if result.failure:
        return (problem.name, source, "", "", "", "failed")
    worst = min(result.answers, key=lambda answer: answer.digits)
    expected, found = (f"{number:.{SHOWN}g}" for number in worst.worst_pair)
    verdict = "reached" if result.is_reached else f"below {problem.digits:g}"
    return (problem.name, source, expected, found, f"{result.digits:.1f}", verdict)
