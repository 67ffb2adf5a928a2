"""The table of robots: which URDF files load, and how far from Pinocchio they are.

    python docs/robot_table.py FOLDER [FOLDER ...] [--to docs/robots.md]

Every .urdf below the folders is read as users read it, then once more with the numbers
of the file as they are (`unphysical="keep"`), and its mass matrix and inverse dynamics
at a random state are held against Pinocchio's. `pip install pin example-robot-data`
gives the peer and most of the robots. Without Pinocchio the table says which load.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import polhode as ph

HEAD = """# Robots that load

Written by `python docs/robot_table.py FOLDER`: every URDF below a folder, read by
`ph.load_urdf`. *Put right* counts links whose inertia no spread of mass has; *fixed*
counts joints that carry nothing with mass. The last columns are the largest differences
from Pinocchio of the mass matrix and of inverse dynamics (random places, speeds and
accelerations; damping included), relative to the largest entry, with the file's own
numbers.

| robot | links | speeds | put right | fixed | mass matrix | inverse dynamics |
|---|---|---|---|---|---|---|
"""


class Row(NamedTuple):
    """A robot of the table, or the first line of why it is none."""

    name: str
    cells: tuple[str, ...]
    worst: float = 0.0


def row_of(path: Path, name: str) -> Row:
    """Read a robot, and compare it where Pinocchio is installed."""
    free = False
    try:
        robot = ph.load_urdf(path)
    except ph.PolhodeError as refused:
        free = "does not move" in str(refused)
        if not free:
            return Row(name, (f"refused: {_first_line(refused)}",))
    if free:
        robot = ph.load_urdf(path, base="free")
    system = robot.system
    right = sum("are used" in n or "are taken" in n for n in robot.notes)
    still = sum(n.endswith("it is fixed") for n in robot.notes)
    own = (str(len(system.bodies)), str(system.speeds), str(right), str(still))
    if free:
        return Row(name, (*own, "free base", ""))
    errors = compared(path)
    return Row(name, (*own, *(f"{e:.0e}" for e in errors)), max(errors, default=0.0))


def compared(path: Path) -> list[float]:
    """Relative differences of mass matrix and inverse dynamics from Pinocchio."""
    try:
        import pinocchio as pin
    except ImportError:
        return []
    model = pin.buildModelFromUrdf(str(path))
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    system = ph.load_urdf(path, unphysical="keep").system
    rng = np.random.default_rng(0)
    places, q, v, a = [], pin.neutral(model), *np.zeros((2, model.nv))
    state_q, state_z, rates = system.neutral(), *np.zeros((2, system.speeds))
    for edge in system.tree.edges:
        if edge.joint.speeds != 1:
            continue
        joint = model.joints[model.getJointId(edge.joint.name)]
        angle, rate, acceleration = rng.uniform(-1, 1, 3)
        turned = [angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
        q[joint.idx_q : joint.idx_q + joint.nq] = turned
        v[joint.idx_v], a[joint.idx_v] = rate, acceleration
        state_q[edge.q], state_z[edge.z], rates[edge.z] = angle, rate, acceleration
        places.append((edge.z.start, joint.idx_v))
    ours, theirs = map(list, zip(*places, strict=True))
    data = model.createData()
    M = pin.crba(model, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    tau = pin.rnea(model, data, q, v, a) + model.damping * v
    form, state = ph.recursive(system), ph.State(system, 0.0, state_q, state_z)
    found = form.mass_matrix(state)[np.ix_(ours, ours)]
    torque = form.inverse_dynamics(state, rates)[ours]
    return [
        _relative(found, M[np.ix_(theirs, theirs)]),
        _relative(torque, tau[theirs]),
    ]


def _relative(ours: Any, theirs: Any) -> float:
    return float(np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs)))


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[1] if len(lines) > 1 and "no model that" in lines[0] else lines[0]
    return text.replace("|", "/")[:110]


def table(folders: list[Path]) -> str:
    """The page, with a row for each robot; told on stderr as it grows."""
    lines, counts = [], {"read": 0, "refused": 0}
    for folder in folders:
        for path in sorted(folder.rglob("*.urdf")):
            start = time.perf_counter()
            row = row_of(path, path.relative_to(folder).as_posix())
            counts["read" if len(row.cells) > 1 else "refused"] += 1
            cells = row.cells if len(row.cells) > 1 else (*row.cells, *[""] * 5)
            lines.append(f"| {row.name} | {' | '.join(cells)} |")
            seconds = time.perf_counter() - start
            print(f"{seconds:6.1f} s {lines[-1]}", file=sys.stderr, flush=True)
    total = f"\n{counts['read']} robots are read, {counts['refused']} are refused.\n"
    return HEAD + "\n".join(lines) + "\n" + total


def main() -> None:
    """Write the table, or print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--to", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    text = table(given.folders)
    if given.to:
        given.to.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
