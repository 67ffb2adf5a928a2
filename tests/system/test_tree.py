"""Members become a tree, whatever their order; what makes no sense is refused."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import polhode as ph
from call_count import count_calls
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.system.tree import inward, outward
from strategies_system import TOPOLOGIES, arm, block, four_bar, topology


def chain(count: int) -> list[ph.Revolute]:
    """Hinges in a row."""
    before, joints = ph.World().origin, []
    for k in range(count):
        rod = ph.Body(f"rod{k}", ph.solids.rod(mass=1.0, length=0.8))
        end = rod.point(0, 0, 0.4)
        joints.append(ph.Revolute(f"j{k}", before, end, axis=ph.Y))
        before = rod.point(0, 0, -0.4)
    return joints


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_a_body_comes_after_the_one_that_carries_it(name):
    """Edges carry the bodies one by one; their slices of q and z leave no gap."""
    tree = topology(name).tree
    assert [edge.child for edge in tree.edges] == list(range(len(tree.bodies)))
    assert all(edge.parent < edge.child for edge in tree.edges)
    q = np.concatenate([np.arange(99)[edge.q] for edge in tree.edges])
    z = np.concatenate([np.arange(99)[edge.z] for edge in tree.edges])
    assert np.array_equal(q, np.arange(tree.coordinates))
    assert np.array_equal(z, np.arange(tree.speeds))


def test_the_order_of_members_does_not_matter_for_a_chain():
    """A chain given leaf first is the same chain."""
    joints = chain(5)
    one, other = ph.System(joints), ph.System(joints[::-1])
    assert one.bodies == other.bodies
    assert one.coordinate_names == other.coordinate_names


def test_the_last_joint_of_a_loop_closes_it():
    """Of four hinges round a loop three carry bodies; the fourth is a constraint."""
    system = four_bar()
    assert [joint.name for joint in system.tree.loops] == ["D"]
    assert [c.name for c in system.constraints] == ["D"]
    assert system.row_names == tuple(f"D: row {k}" for k in (1, 2, 3, 4, 5))


def test_what_nothing_holds_is_free():
    """Bodies get six freedoms and particles three, by their own names."""
    ship, pod, dust = block("ship"), block("pod"), ph.Particle("dust", 0.1)
    hinge = ph.Revolute("hinge", pod.origin, ship.origin, axis=ph.Z)
    system = ph.System([ship, hinge, dust])
    kinds = {joint.name: type(joint).__name__ for joint in system.joints}
    assert kinds == {"pod": "Free", "hinge": "Revolute", "dust": "Translation"}
    assert system.speeds == 6 + 1 + 3
    assert system.tree.world.name == "world"


def test_a_loop_that_floats_is_carried_by_one_free_joint():
    """A cycle without the world is a floating loop, not a fault."""
    a, b, c = block("a"), block("b"), block("c")
    joints = [
        ph.Revolute("ab", a.point(1, 0, 0), b.origin, axis=ph.Y),
        ph.Revolute("bc", b.point(1, 0, 0), c.origin, axis=ph.Y),
        ph.Spherical("ca", c.point(1, 0, 0), a.origin),
    ]
    system = ph.System(joints)
    assert [type(j).__name__ for j in system.joints] == ["Free", "Revolute", "Revolute"]
    assert [joint.name for joint in system.tree.loops] == ["ca"]
    assert ph.mobility(system).by_rank == 6


def test_the_walks_gather_what_they_should():
    """Outward a body knows its depth, inward how many it carries."""
    tree = topology("floating_chain").tree
    depth = outward(tree, 0, lambda edge, before: before + 1)
    assert depth == [1, 2, 2]
    carried = inward(tree, [1, 1, 1], lambda edge, parent, child: parent + child)
    assert carried == [3, 1, 1]


def refused(match: str, *args, **kwargs) -> str:
    with pytest.raises(ModelError, match=match) as caught:
        ph.System(*args, **kwargs)
    return str(caught.value)


def test_two_things_of_one_name_are_refused():
    """Bodies, joints, actions and constraints are called by their names."""
    world, a, b = ph.World(), block("a"), block("a")
    assert "own name" in refused("two bodies are named 'a'", [a, b])
    refused("body 'a' is given twice", [a, a])
    refused("two bodies are named 'world'", [block("world")])
    c = block("c")
    one = ph.Revolute("j", world.origin, a.origin, axis=ph.Z)
    two = ph.Revolute("j", world.origin, c.origin, axis=ph.Z)
    refused("two joints are named 'j'", [one, two])
    refused("two joints are named 'j'", [one, one])
    refused("two actions are named 'weight'", [one], [ph.Weight(9.81), ph.Weight(1)])


def test_members_are_joints_bodies_and_particles():
    """Forces are no members, and nothing is no system."""
    refused("as a member", [ph.Weight(9.81)])
    refused("needs something that moves", [])


def test_there_is_one_world():
    """Joints to the origins of two worlds do not meet."""
    a, b = block("a"), block("b")
    joints = [
        ph.Revolute("one", ph.World().origin, a.origin, axis=ph.Z),
        ph.Revolute("two", ph.World().origin, b.origin, axis=ph.Z),
    ]
    refused("has 2 worlds", joints)


def test_a_joint_leads_to_bodies():
    """A bare frame has no mass to carry."""
    place = Point.origin(Frame("nowhere"))
    joint = ph.Revolute("j", ph.World().origin, place, axis=ph.Z)
    refused("leads to frame 'nowhere', which no body has", [joint])


def test_actions_and_constraints_act_on_members():
    """A spring to a body that is not in the system is said, not guessed."""
    a, b = block("rotor"), block("stator")
    hinge = ph.Revolute("hinge", ph.World().origin, a.origin, axis=ph.Z)
    spring = ph.Spring(a.origin, b.origin, 10.0)
    text = refused("action 'spring' is on 'stator'", [hinge], [spring])
    assert "give it as a member" in text
    tie = ph.Distance(a.origin, b.origin, 1.0, name="tie")
    refused("constraint 'tie' is on 'stator'", [hinge], constraints=[tie])
    other = ph.Revolute("other", ph.World().origin, b.origin, axis=ph.Z)
    gear = ph.Gear(hinge, other, 2.0)
    refused("no joint 'other'", [hinge], constraints=[gear])


def test_parameters_are_one_flat_table():
    """Every named number of bodies, joints, actions and constraints is in the table."""
    m = ph.Parameter("m", 2.0)
    rod = ph.Body("rod", ph.solids.rod(mass=m, length=0.8))
    hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, 0.4), axis=ph.Y)
    system = ph.System([hinge], [ph.Weight(9.81)])
    assert system.parameters == {
        "m": 2.0,
        "rod.length": 0.8,
        "rod.point(0, 0, 0.4).z": 0.4,
        "weight.gravity": 9.81,
    }


def test_other_values_give_another_system():
    """`with_` changes values, keeps the old system, and knows the names."""
    system = ph.System(chain(2), [ph.Weight(9.81)])
    heavy = system.with_({"rod0.mass": 3.0})
    assert heavy.parameters["rod0.mass"] == 3.0
    assert system.parameters["rod0.mass"] == 1.0
    q = np.array([0.3, -0.2])
    assert heavy.mass_matrix(0, q)[0, 0] > system.mass_matrix(0, q)[0, 0]
    expected = system.mass_matrix(0, q, {"rod0.mass": 3.0})
    assert np.array_equal(heavy.mass_matrix(0, q), expected)
    assert heavy.with_({"rod0.mass": 1.0}).parameters == system.parameters
    with pytest.raises(ModelError, match=r"no parameter 'rod0.mas'"):
        system.with_({"rod0.mas": 1.0})
    with pytest.raises(ModelError, match="rod0"):
        system.with_({"rod0.mass": -1.0})
    with pytest.raises(ModelError, match=r"'weight\.gravity' is not finite"):
        system.with_({"weight.gravity": np.nan})


def test_a_chain_of_100_bodies_builds_at_once():
    """Calls of functions grow as the bodies do, some 1300 for each of them."""

    def calls(bodies: int) -> int:
        joints, weight = chain(bodies), ph.Weight(9.81)
        return count_calls(lambda: ph.System(joints, [weight]))

    fifty, hundred = calls(50), calls(100)
    assert hundred < 2.2 * fifty
    assert hundred < 100 * 2000


def test_building_needs_no_jax():
    """A tree and a loop are built, checked and set without importing JAX or SciPy."""
    program = """
        import sys
        import polhode as ph
        world, a = ph.World(), ph.Body("a", ph.solids.rod(mass=1.0, length=2.0))
        b = ph.Body("b", ph.solids.rod(mass=1.0, length=2.0))
        joints = [
            ph.Revolute("one", world.origin, a.point(0, 0, 1), axis=ph.Y),
            ph.Revolute("two", a.point(0, 0, -1), b.point(0, 0, 1), axis=ph.Y),
            ph.Revolute("three", b.point(0, 0, -1), world.point(1, 0, 0), axis=ph.Y),
        ]
        system = ph.System(joints, [ph.Weight(9.81)])
        system.rest()
        assert not {"jax", "scipy", "sympy"} & set(sys.modules)
    """
    run = [sys.executable, "-c", textwrap.dedent(program)]
    subprocess.run(run, check=True, timeout=280)


def test_a_system_reads_well():
    """Its representation counts bodies, joints, constraints and freedoms."""
    assert (
        repr(arm()) == "System('7-link arm': 7 bodies, 7 joints, 7 degrees of freedom)"
    )
    text = "System('four-bar': 3 bodies, 3 joints, 1 constraint, 1 degree of freedom)"
    assert repr(topology("four_bar")) == text
