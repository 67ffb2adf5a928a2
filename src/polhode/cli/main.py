"""The command line itself. Heavy libraries are imported by the commands that use them.

Exit codes: 0 well, 2 the words were not understood, 3 the model was refused.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from polhode.errors import PolhodeError


def main(words: Sequence[str] | None = None) -> int:
    """Run `polhode` with the words given, or those of the command line."""
    import cyclopts

    from polhode.cli.demo import demo
    from polhode.cli.doctor import doctor
    from polhode.version import __version__

    app = cyclopts.App(
        name="polhode",
        help="Rigid-body mechanics described once, read and run in every form.",
        version=__version__,
        result_action="return_value",
    )
    app.command(demo)
    app.command(doctor)
    try:
        app(None if words is None else list(words))
    except PolhodeError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 3
    return 0
