"""`polhode compare`: every formulation of a model side by side."""

from __future__ import annotations

from dataclasses import asdict

from polhode.cli.words import Changes, Json, ModelName

AGREED = 1e-6  # relative; beyond it the forms do not describe one system


def compare(
    model: ModelName,
    /,
    *,
    set: Changes | None = None,
    steps: int = 8,
    json: Json = False,
) -> int:
    """Derive the equations in every form, and show that all agree.

    A model with supports is compared in the mode that its contacts have at the start.
    Ends with code 1 if two forms differ by more than 1e-6 of the accelerations.
    Example: polhode compare cart_pendulum

    Parameters
    ----------
    steps
        Length of the short motion that is compared, too; 0 for none.
    """
    import polhode as ph
    from polhode.cli.answers import print_json, say
    from polhode.cli.waiting import waiting
    from polhode.cli.words import chosen, require_not_negative

    require_not_negative("--steps", steps)
    found = chosen(model, set or ())
    system = found.system
    # Contacts are in the mode that they have at the start; others need no state.
    state = found.start if system.supports else None
    with waiting(f"Comparing {system.name}") as tell:
        table = ph.compare(system, state, steps=steps, watch=tell)
    if json:
        rows = [asdict(row) for row in table.rows]
        print_json({"system": table.system, "worst": table.worst, "rows": rows})
    else:
        say(str(table))
        say(f"\nLargest disagreement {table.worst:.1e}.")
    return 0 if table.worst <= AGREED else 1
