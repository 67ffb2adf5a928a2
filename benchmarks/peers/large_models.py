"""Large models in MuJoCo and Exudyn: built, and first moved, in a fresh process.

The same chains, rows of four-bars and nets as `subjects.size` has of ours, each with
its library's own constraints: MuJoCo's loops are soft (`connect`), Exudyn's exact, and
its steps implicit. They start at rest. What is timed is from the description to the end
of a short motion.
"""

from __future__ import annotations

from typing import Any

GRAVITY = 9.81


# ------------------------------------------------------------------------- MuJoCo


def _mujoco_moved(text: str, until: float, step: float) -> Any:
    import mujoco

    head = f'<option timestep="{step}" gravity="0 0 {-GRAVITY}">'
    head += '<flag contact="disable"/></option>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{head}{text}</mujoco>")
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(until / step))
    return data.qpos


def _rod(length: float, mass: float, along: str) -> str:
    """The inertia of a rod that begins at the body's origin."""
    half, J = length / 2, mass * length**2 / 12
    thin = 1e-6 * J
    pos, moments = {
        "-z": (f"0 0 {-half}", f"{J} {J} {thin}"),
        "z": (f"0 0 {half}", f"{J} {J} {thin}"),
        "x": (f"{half} 0 0", f"{thin} {J} {J}"),
    }[along]
    return f'<inertial pos="{pos}" mass="{mass}" diaginertia="{moments}"/>'


def mujoco_chain(links: int) -> Any:
    """So many links in a row, a millisecond."""
    import mujoco

    # Text nested so deeply is refused by MuJoCo's reader.
    length, spec = 1.0 / links, mujoco.MjSpec()
    spec.option.timestep, spec.option.gravity = 1e-4, [0.0, 0.0, -GRAVITY]
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    body, J = spec.worldbody, length**3 / 12
    for k in range(links):
        body = body.add_body(
            pos=[0.0, 0.0, -length if k else 0.0],
            mass=length,
            ipos=[0.0, 0.0, -length / 2],
            inertia=[J, J, 1e-3 * J],
            explicitinertial=True,
        )
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 1.0, 0.0])
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 10)
    return data.qpos


def mujoco_four_bars(loops: int, until: float = 0.01) -> Any:
    """Four-bars in a row, closed by `connect`."""
    bodies, ties = "", ""
    for k in range(loops + 1):
        bodies += f'<body name="u{k}" pos="{k} 0 0"><joint type="hinge" axis="0 1 0"/>'
        bodies += _rod(1.0, 1.0, "z")
        if k < loops:
            bodies += (
                f'<body name="c{k}" pos="0 0 1"><joint type="hinge" axis="0 1 0"/>'
            )
            bodies += _rod(1.0, 1.0, "x") + "</body>"
            ties += f'<connect body1="c{k}" body2="u{k + 1}" anchor="1 0 0"/>'
        bodies += "</body>"
    text = f"<worldbody>{bodies}</worldbody><equality>{ties}</equality>"
    return _mujoco_moved(text, until, 1e-3)


def mujoco_net(side: int) -> Any:
    """Particles on springs (tendons) between neighbours, a hundredth of a second."""
    bodies, cords = "", ""
    for i in range(side):
        for j in range(side):
            bodies += f'<body pos="{0.1 * i} {0.1 * j} 0">'
            for axis in ("1 0 0", "0 1 0", "0 0 1"):
                bodies += f'<joint type="slide" axis="{axis}"/>'
            bodies += '<inertial pos="0 0 0" mass="0.01" diaginertia="1e-9 1e-9 1e-9"/>'
            bodies += f'<site name="s{i}_{j}"/></body>'
            for a, b in ((i + 1, j), (i, j + 1)):
                if a < side and b < side:
                    cords += '<spatial stiffness="100" springlength="0.1">'
                    cords += f'<site site="s{i}_{j}"/><site site="s{a}_{b}"/></spatial>'
    last = side - 1
    for i, j in ((0, 0), (0, last), (last, 0), (last, last)):
        bodies += f'<site name="w{i}_{j}" pos="{0.1 * i} {0.1 * j} 0.001"/>'
        cords += '<spatial stiffness="1000" springlength="0.001">'
        cords += f'<site site="s{i}_{j}"/><site site="w{i}_{j}"/></spatial>'
    text = f"<worldbody>{bodies}</worldbody><tendon>{cords}</tendon>"
    return _mujoco_moved(text, 0.01, 1e-3)


# ------------------------------------------------------------------------- Exudyn


def _exudyn_moved(mbs: Any, until: float, step: float) -> Any:
    import exudyn as exu

    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.endTime = until
    settings.timeIntegration.numberOfSteps = round(until / step)
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    mbs.SolveDynamic(settings)
    return mbs.systemData.GetODE2Coordinates()


def _exudyn() -> tuple[Any, Any, Any, int]:
    import exudyn as exu
    from exudyn import itemInterface as items

    exu.config.suppressWarnings = True
    mbs = exu.SystemContainer().AddSystem()
    ground = mbs.AddObject(items.ObjectGround())
    return exu, items, mbs, ground


def _plane_rod(
    items: Any, mbs: Any, place: tuple[float, float, float], rod: tuple[float, float]
) -> int:
    """A rod in the plane (x, z), its centre and angle at a place; (mass, length)."""
    mass, length = rod
    node = mbs.AddNode(items.NodeRigidBody2D(referenceCoordinates=list(place)))
    body = mbs.AddObject(
        items.ObjectRigidBody2D(
            physicsMass=mass, physicsInertia=mass * length**2 / 12, nodeNumber=node
        )
    )
    centre = mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body))
    pull = [0.0, -GRAVITY * mass, 0.0]
    mbs.AddLoad(items.LoadForceVector(markerNumber=centre, loadVector=pull))
    return body


def _hinged(items: Any, mbs: Any, first: tuple, second: tuple) -> None:
    """A hinge between points (body, x, y) of two bodies."""
    markers = [
        mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=b, localPosition=[x, y, 0.0]))
        for b, x, y in (first, second)
    ]
    mbs.AddObject(items.ObjectJointRevolute2D(markerNumbers=markers))


def exudyn_chain(links: int) -> Any:
    """So many links in a row, a millisecond."""
    _, items, mbs, ground = _exudyn()
    length, before = 1.0 / links, None
    for k in range(links):
        # Along x of the body, which hangs: turned by -90 degrees.
        place = (0.0, -length * (k + 0.5), -1.5707963267948966)
        body = _plane_rod(items, mbs, place, (length, length))
        upper = (ground, 0.0, 0.0) if before is None else (before, length / 2, 0.0)
        _hinged(items, mbs, upper, (body, -length / 2, 0.0))
        before = body
    return _exudyn_moved(mbs, 1e-3, 1e-4)


def exudyn_four_bars(loops: int, until: float = 0.01) -> Any:
    """Four-bars in a row, every hinge a constraint."""
    _, items, mbs, ground = _exudyn()
    upright = 1.5707963267948966
    rods = [
        _plane_rod(items, mbs, (float(k), 0.5, upright), (1.0, 1.0))
        for k in range(loops + 1)
    ]
    for k, rod in enumerate(rods):
        _hinged(items, mbs, (ground, float(k), 0.0), (rod, -0.5, 0.0))
    for k in range(loops):
        coupler = _plane_rod(items, mbs, (k + 0.5, 1.0, 0.0), (1.0, 1.0))
        _hinged(items, mbs, (rods[k], 0.5, 0.0), (coupler, -0.5, 0.0))
        _hinged(items, mbs, (rods[k + 1], 0.5, 0.0), (coupler, 0.5, 0.0))
    return _exudyn_moved(mbs, until, 1e-3)


def exudyn_net(side: int) -> Any:
    """Particles on springs between neighbours, a hundredth of a second."""
    _, items, mbs, ground = _exudyn()
    markers = {}
    for i in range(side):
        for j in range(side):
            place = [0.1 * i, 0.1 * j, 0.0]
            node = mbs.AddNode(items.NodePoint(referenceCoordinates=place))
            body = mbs.AddObject(
                items.ObjectMassPoint(physicsMass=0.01, nodeNumber=node)
            )
            marker = mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body))
            pull = [0.0, 0.0, -GRAVITY * 0.01]
            mbs.AddLoad(items.LoadForceVector(markerNumber=marker, loadVector=pull))
            markers[i, j] = marker

    def tied(first: int, second: int, length: float, stiffness: float) -> None:
        mbs.AddObject(
            items.ObjectConnectorSpringDamper(
                markerNumbers=[first, second],
                referenceLength=length,
                stiffness=stiffness,
                damping=0.0,
                force=0.0,
            )
        )

    for (i, j), marker in markers.items():
        for other in ((i + 1, j), (i, j + 1)):
            if other in markers:
                tied(marker, markers[other], 0.1, 100.0)
    last = side - 1
    for i, j in ((0, 0), (0, last), (last, 0), (last, last)):
        # A spring without length has no direction in Exudyn: held from just above.
        above = [0.1 * i, 0.1 * j, 0.001]
        held = items.MarkerBodyPosition(bodyNumber=ground, localPosition=above)
        tied(mbs.AddMarker(held), markers[i, j], 0.001, 1000.0)
    return _exudyn_moved(mbs, 0.01, 1e-3)
