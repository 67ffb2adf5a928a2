"""`polhode demo`: a body that turns over, from its equations to its page."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from polhode.cli.words import Json

STEP = 1e-3  # seconds
SPIN = (0.25, 0.12, 6.0)  # rad/s along the body's axes; Z has the middle moment
SECONDS, EVERY = 12.0, 10  # of the motion drawn; steps from row to row
MANY, LONG = 10_000, 1_000_000  # systems in the batch; steps in the timed run


def demo(*, out: Path = Path("out/demo"), json: Json = False) -> None:
    """A T-handle that flips as it spins: equations, ledger, speed, a picture, a page.

    Examples: polhode demo; polhode demo --out handle

    Parameters
    ----------
    out
        Folder for the picture and the page.
    """
    from rich.console import Console

    from polhode.cli.answers import print_json
    from polhode.models.rigid_bodies import free_body

    console = Console(markup=False, highlight=False, quiet=json)
    body = free_body.t_handle()
    inertia = body.moments().inertia
    _introduce(console, body, inertia)
    _equations(console, free_body)
    program = _compile_loop(console, free_body, inertia)
    _ledger(console, free_body, inertia, program)
    _batch(console, free_body, inertia)
    path = _picture(free_body, body, program, out)
    page = _page(console, body, out)
    if json:
        print_json({"picture": str(path), "page": str(page)})
    console.print(f"\nThe polhode on its inertia ellipsoid: {path}")
    console.print(f"The motion in 3D, its equations and ledger: {page}")
    console.print("Open the page in any browser; then try `polhode gallery`.")


def _heading(console: Any, text: str) -> None:
    console.print(f"\n{text}", style="bold")


def _introduce(console: Any, body: Any, inertia: Any) -> None:
    _heading(console, "A steel T-handle spins freely about its middle axis")
    console.print(f"  mass                {body.mass:.4f} kg")
    for axis, moment in zip("XYZ", inertia.diagonal(), strict=True):
        console.print(f"  moment about {axis}      {moment:.4e} kg m²")


def _equations(console: Any, free_body: Any) -> None:
    """Euler's equations as mathematics."""
    _heading(console, "Its equations, read from the function that runs")
    for equation in free_body.equations():
        console.print(_indent(equation))


def _compile_loop(console: Any, free_body: Any, inertia: Any) -> Any:
    """The stepping loop as native code, and its speed."""
    import polhode as ph

    start = _start(free_body)
    program = ph.compile(free_body.advance(inertia, STEP), start, EVERY)
    began = time.perf_counter()
    program(start, LONG)
    seconds = time.perf_counter() - began
    report = program.report()
    known = "found in the cache" if report.cache_hit else "compiled"
    _heading(console, "One native loop")
    console.print(f"  operations          {report.operations} a step, folded and fused")
    console.print(f"  code                {report.bytes} bytes, {known}", end="")
    console.print(f" in {report.compile_seconds:.2f} s")
    console.print(f"  one step            {seconds / LONG * 1e9:.0f} ns")
    return program


def _ledger(console: Any, free_body: Any, inertia: Any, program: Any) -> None:
    """What must not change, before and after a million steps."""
    import numpy as np
    from rich.table import Table

    import polhode as ph

    def invariants(state: Any) -> tuple:
        momentum = free_body.angular_momentum(inertia, state)
        return free_body.kinetic_energy(inertia, state.spin), momentum

    start = _start(free_body)
    audit = ph.compile(invariants, start)
    before, after = audit(start), audit(program(start, LONG))
    scale = np.linalg.norm(before[1])
    _heading(console, f"Ledger after {LONG:,} steps")
    table = Table(box=None, pad_edge=True)
    for word in ("", "before", "after", "relative drift"):
        table.add_column(word, justify="left" if not word else "right")
    drift = abs(after[0] / before[0] - 1)
    table.add_row("energy [J]", f"{before[0]:.6e}", f"{after[0]:.6e}", f"{drift:.0e}")
    for axis, one, other in zip("XYZ", before[1], after[1], strict=True):
        drift = abs(other - one) / scale
        row = (f"{one:.6e}", f"{other:.6e}", f"{drift:.0e}")
        table.add_row(f"momentum {axis} [N m s]", *row)
    console.print(table)


def _batch(console: Any, free_body: Any, inertia: Any) -> None:
    """Ten thousand initial spins in one call: how long until the first flip."""
    import numpy as np

    import polhode as ph

    steps = round(10.0 / STEP)
    draw = np.random.default_rng(0)
    decades = np.repeat(np.arange(-5, 0), MANY // 5)
    tilt, side = 10.0**decades, draw.uniform(0, 2 * np.pi, MANY)
    across = np.sin(tilt)
    spins = 6 * np.stack(
        [across * np.cos(side), across * np.sin(side), np.cos(tilt)], axis=-1
    )
    function = free_body.first_flip(inertia, STEP, steps)
    program = ph.compile(function, spins[0], batched=True)
    began = time.perf_counter()
    first = program(spins)
    rate = MANY * steps / (time.perf_counter() - began)
    report = program.report()
    _heading(console, f"{MANY:,} initial spins in one call")
    console.print(f"  lanes, threads      {report.lanes}, {report.threads}")
    console.print(f"  rate                {rate / 1e6:.0f} million steps a second")
    waits = {k: np.median(first[decades == k]) for k in np.unique(decades)}
    for decade, seconds in waits.items():
        console.print(f"  tilt 1e{decade} rad       first flip after {seconds:.2f} s")
    longer = -np.mean(np.diff([*waits.values()]))
    console.print(f"  ten times nearer to the axis waits {longer:.2f} s longer")


def _picture(free_body: Any, body: Any, program: Any, out: Path) -> Path:
    """The motion along the principal axes, drawn."""
    import numpy as np

    import polhode as ph
    from polhode.show.plots.polhode_picture import polhode_picture

    state = _start(free_body)
    spins = [state.spin]
    for _ in range(round(SECONDS / STEP / EVERY)):
        state = program(state, EVERY)
        spins.append(state.spin)
    principal = ph.theory.inertia.principal(body.inertia)
    times = EVERY * STEP * np.arange(len(spins))
    along = np.array(spins) @ principal.rotation.matrix
    return polhode_picture(principal.moments, times, along, out / "polhode.png")


def _page(console: Any, body: Any, out: Path) -> Path:
    """The same body as a system: a motion audited, every form compared, a page."""
    import numpy as np

    import polhode as ph
    from polhode.cli.words import uncut

    system = ph.System([body], name="T-handle")
    spin = np.array(SPIN)
    still = np.cross(body.mass_centre.coordinates, spin)  # so that G stays where it is
    state = system.state(speeds={body.name: (*spin, *still)})
    motion = uncut(ph.simulate(system, state, until=SECONDS))
    _heading(console, "The same body as a system: ph.simulate, audited")
    console.print(_indent(str(motion.ledger())))
    _heading(console, "Every form of its equations, side by side: ph.compare")
    comparison = ph.compare(system)
    console.print(_indent(str(comparison)), soft_wrap=True)
    read = ph.gauss(_about_its_centre(body))
    return motion.page(out / "motion.html", compare=comparison, equations=read)


def _about_its_centre(body: Any) -> Any:
    """The body with symbols for its moments: equations that fit on a line."""
    import polhode as ph

    mass, _, moments = body.moments()
    inertia = [
        ph.Parameter(f"I_{axis}", float(moment))
        for axis, moment in zip("xyz", moments.diagonal(), strict=True)
    ]
    m = ph.Parameter("m", float(mass))
    central = ph.Body.from_inertia("body", mass=m, inertia=inertia)
    return ph.System([central], name="T-handle about its mass centre")


def _start(free_body: Any) -> Any:
    import numpy as np

    return free_body.State(np.array([1.0, 0.0, 0.0, 0.0]), np.array(SPIN))


def _indent(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.splitlines())
