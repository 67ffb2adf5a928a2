"""`ph.load_urdf`: robots in URDF, links and joints as bodies and joints of a system.

A link's inertia is about its own mass centre. A joint's frame is the child's, placed in
the parent by xyz and by roll, pitch and yaw about the parent's axes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from polhode.actions.force_elements.joint_law import JointDamper
from polhode.actions.weight import Weight
from polhode.constraints.gear import Gear
from polhode.errors import ModelError, ModelFileError, PolhodeError
from polhode.files.issues import MOST, nearest, refusal
from polhode.files.model import Model
from polhode.files.report import Report
from polhode.files.robots.inertial import Inertial, body_of, require_choice
from polhode.files.robots.packages import folders_of
from polhode.files.robots.standing import on_floor, supports_of
from polhode.files.robots.urdf_numbers import (
    Robot,
    number_of,
    numbers_of,
    pose_of,
    text_of,
)
from polhode.files.robots.urdf_shapes import colours_of, shapes_of
from polhode.files.robots.urdf_tree import require_tree
from polhode.files.robots.xml_tree import Element, read_xml
from polhode.files.scope import UNFIT
from polhode.integrate.storage.paths import admit_path
from polhode.joints.fixed import Fixed
from polhode.joints.free import Free
from polhode.joints.planar import Planar
from polhode.joints.prismatic import Prismatic
from polhode.joints.revolute import Revolute
from polhode.joints.spherical import Spherical
from polhode.matter.world import World
from polhode.supports.floor import Floor, require_floor
from polhode.system.system import System

BASES = ("fixed", "free")
ENDS = ("parent", "child")
KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
BEYOND = ("spherical",)  # not of URDF itself, and known by several simulators
TAKEN = {
    "robot": ("link", "joint", "material"),
    "link": ("inertial", "visual"),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
}


COLLISIONS = "<collision> of <link> is not taken"


class Plan(NamedTuple):
    """A joint of the file, before its bodies are made."""

    name: str
    kind: str
    parent: str
    child: str
    element: Element


def load_urdf(
    path: Any,
    *,
    base: str = "fixed",
    gravity: float = 9.81,
    unphysical: str = "warn",
    packages: Any = None,
    floor: Floor | None = None,
) -> Model:
    """The robot of a URDF file as a model, with its weight and its shapes.

    base         "fixed": the root link is fixed in the world; "free": it moves freely.
                 A root called "world" is the world.
    unphysical   what is done with inertias that no spread of mass has: "warn" takes the
                 nearest that has one and notes it by link, "refuse" raises, "keep"
                 takes the numbers of the file. Rounding is put right silently.
    packages     folders in which `package://` meshes are looked for
    floor        a `ph.Floor` on which the shapes of <collision> may rest: supports of
                 the system; a free robot starts with its lowest point on it

    `model.notes` tells what the file says and is not taken, and what was put right.

        robot = ph.load_urdf("panda.urdf", packages=["/opt/robots"])
        motion = ph.simulate(robot.system, robot.start, until=1.0)
    """
    if base not in BASES:
        raise ModelError(
            f"a robot cannot be held by base={base!r}.",
            "Its root link is fixed in the world, or moves freely.",
            nearest(base, BASES),
        )
    require_choice(unphysical)
    require_floor(floor)
    place = admit_path(path)
    top = read_xml(place)
    robot = Robot(Report(place), unphysical, folders_of(packages))
    if top.tag != "robot":
        robot.refuse(top, f"<{top.tag}> is no <robot>: this is no URDF.")
        robot.report.raise_all()
    require_expanded(robot, top)
    links = _links(robot, top)
    plans = _plans(robot, top, links)
    robot.report.raise_all()
    with _refusing(robot, top):
        root = require_tree(place.name, [*links], [(p.parent, p.child) for p in plans])
        world = World()
        robot.colours.update(colours_of(robot, top))
        for name, link in links.items():
            is_world = name == root == "world"
            robot.bodies[name] = world if is_world else _body(robot, name, link)
        moving = [plan.name for plan in plans if plan.kind != "fixed"]
        plans = _held_still(robot, plans) if robot.is_sound else plans
        still = [p.name for p in plans if p.kind == "fixed" and p.name in moving]
        for plan in plans:
            robot.joints[plan.name] = _joint(robot, plan)
        actions: list[Any] = [Weight(gravity)] if gravity else []
        actions += [a for plan in plans for a in _damper(robot, plan)]
        mimics = [c for plan in plans for c in _mimic(robot, plan)]
        robot.report.raise_all()
        members = [*_hold(world, robot.bodies[root], base), *robot.joints.values()]
        _require_motion(place.name, members, still)
        _note_meshes(robot)
        name = top.attributes.get("name", "robot")
        own = [
            (robot.bodies[link], shape)
            for link, element in links.items()
            if robot.bodies[link] is not world and floor is not None
            for shape in shapes_of(robot, element, "collision")
        ]
        supports = supports_of(floor, world, own, robot.notes)
        system = System(members, actions, mimics, supports, name=name)
        start = on_floor(system, system.rest(), is_placed=False)
        taken = [n for n in robot.notes if floor is None or n != COLLISIONS]
        return Model(system, start, {}, tuple(dict.fromkeys(taken)))


def require_expanded(robot: Robot, top: Element) -> None:
    """Refuse a xacro: a program that writes a URDF, and not yet one."""
    waiting = [top]
    while waiting:
        element = waiting.pop()
        if element.tag.startswith("xacro:"):
            robot.refuse(
                element,
                f"<{element.tag}> is of xacro, which writes URDF and is none. Expand"
                f" it first: xacro {robot.report.path.name} > robot.urdf",
            )
            robot.report.raise_all()
        waiting += element.children


def _held_still(robot: Robot, plans: list[Plan]) -> list[Plan]:
    """The joints, those that carry nothing with mass made fixed: nothing resists."""
    above = {plan.child: plan.parent for plan in plans}
    heavy: set[str] = set()  # links that have mass, or carry what has
    for name, body in robot.bodies.items():
        mass, inertia = _matter_of(body)
        if not (mass or np.any(inertia)):
            continue
        link: str | None = name
        while link is not None and link not in heavy:  # each link is passed once
            heavy.add(link)
            link = above.get(link)
    found = []
    for plan in plans:
        if plan.kind != "fixed" and plan.child not in heavy:
            robot.notes.append(
                f"joint {plan.name!r} carries nothing that has mass, so nothing"
                " determines its motion: it is fixed"
            )
            plan = plan._replace(kind="fixed")
        found.append(plan)
    return found


def _matter_of(body: Any) -> tuple[Any, Any]:
    if isinstance(body, World):
        return 0.0, 0.0
    mass, _, inertia = body.moments()
    return mass, inertia


def _note_meshes(robot: Robot) -> None:
    if robot.lost_meshes:
        count, first = len(robot.lost_meshes), robot.lost_meshes[0]
        some = "1 mesh is" if count == 1 else f"{count} meshes are"
        robot.notes.append(
            f"{some} not found, {first!r} first: give packages=[...], the folders that"
            " hold the packages"
        )


@contextmanager
def _refusing(robot: Robot, top: Element) -> Iterator[None]:
    """The last line of defence: errors of numbers that no door expected become ours.

    What the model as a whole is refused for gets the lines of those that it names.
    """
    try:
        yield
    except ModelFileError:
        raise
    except PolhodeError as refused:
        lines = "\n".join(_lines_named(top, f"{refused.what} {refused.why}"))
        refused.fact = "\n".join(part for part in (refused.fact, lines) if part)
        refused.args = (refused.what, refused.why, refused.repair, refused.fact)
        raise
    except UNFIT as reason:
        robot.refuse(top, f"this cannot be made a model: {reason}.")
        raise refusal(robot.report.path, robot.report.issues) from reason


def _lines_named(top: Element, text: str) -> list[str]:
    """Where the links and joints that a text names are, and joints between such."""
    links = {e.attributes.get("name", "") for e in top.all("link")}
    named = {name for name in links if repr(name) in text}
    found = [e for e in top.all("link") if e.attributes.get("name") in named]
    for joint in top.all("joint"):
        ends = {e.attributes.get("link") for e in joint.children if e.tag in ENDS}
        if repr(joint.attributes.get("name")) in text or (ends and ends <= named):
            found.append(joint)
    lines = [f"{e.spot}: <{e.tag} name={e.attributes['name']!r}>" for e in found]
    return lines[:MOST] or [f"{top.spot}: <{top.tag}>"]


def _require_motion(who: str, joints: Sequence[Any], still: Sequence[str]) -> None:
    """Refuse what stands; `still` are joints that carry nothing with mass."""
    if any(joint.speeds for joint in joints):
        return
    if still:
        raise ModelError(
            f"{who!r} does not move: nothing that its {len(still)} joints carry has"
            f" mass, {still[0]!r} first.",
            "A motion is determined by inertia, and these links have none.",
            "Give each link its <inertial> with mass and inertia; files without are for"
            " drawing alone.",
        )
    raise ModelError(
        f"{who!r} does not move: all its joints are fixed, and so is its root.",
        "A system needs a freedom to have a motion.",
        'Load it with base="free", or correct the types of its joints.',
    )


def _hold(world: World, root: Any, base: str) -> list[Any]:
    if root is world:
        return []
    kind = Fixed if base == "fixed" else Free
    return [kind("base", world.origin, root.origin)]


def _links(robot: Robot, top: Element) -> dict[str, Element]:
    _note_others(robot, top)
    found: dict[str, Element] = {}
    for link in top.all("link"):
        name = text_of(robot, link, "name")
        if name in found:
            robot.refuse(link, f"two links are called {name!r}.")
        _note_others(robot, link)
        found[name] = link
    if not found:
        robot.refuse(top, "the robot has no <link>.")
    return found


def _plans(robot: Robot, top: Element, links: dict[str, Element]) -> list[Plan]:
    found: dict[str, Plan] = {}
    for joint in top.all("joint"):
        name, kind = (text_of(robot, joint, word) for word in ("name", "type"))
        _note_others(robot, joint)
        if kind not in (*KINDS, *BEYOND):
            text = f"joint {name!r} has the type {kind!r}. {nearest(kind, KINDS)}"
            robot.refuse(joint, text)
        if name in found:
            robot.refuse(joint, f"two joints are called {name!r}.")
        parent, child = (
            _end(robot, joint, word, links) for word in ("parent", "child")
        )
        found[name] = Plan(name, kind, parent, child, joint)
    return [*found.values()]


def _end(robot: Robot, joint: Element, word: str, links: Sequence[str] | Any) -> str:
    """The name of the link at one end of a joint."""
    end = joint.first(word)
    if end is None:
        robot.refuse(joint, f"<joint> has no <{word}>.")
        return ""
    name = text_of(robot, end, "link")
    if name and name not in links:
        robot.refuse(end, f"there is no link {name!r}. {nearest(name, links)}")
    return name


def _body(robot: Robot, name: str, link: Element) -> Any:
    shapes = shapes_of(robot, link)
    inertial = link.first("inertial")
    if inertial is None:
        nothing = Inertial(0.0, (0.0, 0.0, 0.0), np.zeros((3, 3)))
        return robot.built(link, lambda: body_of(name, nothing, "keep", shapes)[0])
    mass, inertia = inertial.first("mass"), inertial.first("inertia")
    if mass is None:
        return robot.refuse(inertial, f"the inertial of link {name!r} has no <mass>.")
    centre, R = pose_of(robot, inertial.first("origin"))
    amount = number_of(robot, mass, "value")
    if inertia is None:
        robot.notes.append(f"link {name!r} has no <inertia>: it is a point of mass")
        own = np.zeros((3, 3))
    else:
        words = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        xx, xy, xz, yy, yz, zz = (number_of(robot, inertia, w, 0.0) for w in words)
        own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    turned = R @ own @ R.T
    given = Inertial(amount, centre, (turned + turned.T) / 2)

    def make() -> Any:
        body, note = body_of(name, given, robot.unphysical, shapes)
        if note:
            robot.notes.append(note)
        return body

    return robot.built(inertial, make)


def _joint(robot: Robot, plan: Plan) -> Any:
    place, R = pose_of(robot, plan.element.first("origin"))
    xyz = numbers_of(robot, plan.element.first("axis"), "xyz", (1.0, 0.0, 0.0))
    own: dict[str, Any] = {} if np.array_equal(R, np.eye(3)) else {"first_axes": R}
    if plan.kind in ("revolute", "continuous", "prismatic"):
        own |= {"axis": xyz, **_limits(robot, plan)}
    if plan.kind == "planar":
        own |= {"normal": xyz}
    nouns: dict[str, Any] = {"fixed": Fixed, "floating": Free, "planar": Planar}
    nouns |= {"prismatic": Prismatic, "spherical": Spherical}
    noun: Any = nouns.get(plan.kind, Revolute)

    def make() -> Any:
        first = robot.bodies[plan.parent].point(*place)
        return noun(plan.name, first, robot.bodies[plan.child].origin, **own)

    return robot.built(plan.element, make)


def _limits(robot: Robot, plan: Plan) -> dict[str, Any]:
    limit = plan.element.first("limit")
    if limit is None:
        return {}
    found: dict[str, Any] = {}
    if plan.kind != "continuous" and {"lower", "upper"} & set(limit.attributes):
        lower, upper = (number_of(robot, limit, w, 0.0) for w in ("lower", "upper"))
        if lower <= upper:
            found["limits"] = (lower, upper)
        else:  # some simulators write a free joint so
            robot.notes.append(
                f"joint {plan.name!r} has its lower limit {lower:g} above its upper one"
                f" {upper:g}: it has none"
            )
    effort = abs(number_of(robot, limit, "effort", 0.0))
    if effort:
        found["effort_limits"] = (-effort, effort)
    if number_of(robot, limit, "velocity", 0.0):
        robot.notes.append("limits of speed are not taken: no force of a link has them")
    return found


def _damper(robot: Robot, plan: Plan) -> list[Any]:
    dynamics = plan.element.first("dynamics")
    if dynamics is None:
        return []
    if number_of(robot, dynamics, "friction", 0.0):
        robot.notes.append(
            f"the dry friction of joint {plan.name!r} is not taken: add"
            " supports=[ph.Brake(joint, ph.Coulomb(...))]"
        )
    damping = number_of(robot, dynamics, "damping", 0.0)
    if not damping:
        return []
    joint = robot.joints[plan.name]
    if plan.kind in ("fixed", "floating", "planar", "spherical"):
        robot.notes.append(
            f"the damping of {plan.kind} joint {plan.name!r} is not taken"
        )
        return []
    made = robot.built(dynamics, lambda: JointDamper(joint, damping))
    return [] if made is None else [made]


def _mimic(robot: Robot, plan: Plan) -> list[Any]:
    mimic = plan.element.first("mimic")
    if mimic is None:
        return []
    driver = _driver(robot, plan, text_of(robot, mimic, "joint"))
    if driver not in robot.joints:
        known = nearest(driver, robot.joints)
        robot.refuse(mimic, f"there is no joint {driver!r} to follow. {known}")
        return []
    ratio = number_of(robot, mimic, "multiplier", 1.0)
    offset = number_of(robot, mimic, "offset", 0.0)
    ends = robot.joints[plan.name], robot.joints[driver]
    still = [joint.name for joint in ends if joint is not None and not joint.speeds]
    if still:
        robot.notes.append(
            f"joint {plan.name!r} does not follow {driver!r}: {still[0]!r} is fixed"
        )
        return []
    name = f"{plan.name} follows"
    made = robot.built(mimic, lambda: Gear(*ends, ratio, offset, name=name))
    return [] if made is None else [made]


def _driver(robot: Robot, plan: Plan, name: str) -> str:
    """The joint to follow; a name without the prefix that others have is completed.

    A hand that is put on twice has joints 'left_index_1', whose followers still name
    'index_1'. The one meant has the follower's own prefix.
    """
    if name in robot.joints or not name:
        return name
    ends = [known for known in robot.joints if known.endswith(name)]
    meant = [k for k in ends if plan.name.startswith(k[: len(k) - len(name)])]
    if len(meant) != 1:
        return name
    robot.notes.append(
        f"joint {plan.name!r} follows {name!r}, which is none: {meant[0]!r} is taken,"
        " by its prefix"
    )
    return meant[0]


def _note_others(robot: Robot, element: Element) -> None:
    """Say once which tags are not read."""
    for child in element.children:
        if child.tag not in TAKEN[element.tag]:
            robot.notes.append(f"<{child.tag}> of <{element.tag}> is not taken")
