"""The laws of bodies by name: they name all that acts, with its sign."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.formulation.questions.balance import balance
from polhode.formulation.reading.energies import short_energies
from polhode.formulation.shared.body_laws import body_laws
from polhode.system import rows


@pytest.fixture(scope="module")
def linkage():
    """Two rods, a particle on a string, a spring between rods, weight, a damper."""
    world = ph.World()
    upper, lower = (
        ph.Body(name, ph.solids.rod(mass=1.0, length=1.0))
        for name in ("upper", "lower")
    )
    bob = ph.Particle("bob", 0.3)
    shoulder = ph.Revolute("shoulder", world.origin, upper.point(0, 0, 0.5), axis=ph.Y)
    elbow = ph.Revolute(
        "elbow", upper.point(0, 0, -0.5), lower.point(0, 0, 0.5), axis=ph.X
    )
    string = ph.Distance(lower.point(0, 0, -0.5), bob.mass_centre, 0.5, name="string")
    spring = ph.Spring(
        upper.point(0.1, 0, 0), lower.point(0.1, 0, 0), 30.0, 0.2, name="spring"
    )
    acting = [ph.Weight(9.81), spring, ph.Damper(shoulder, 0.4)]
    return ph.System([shoulder, elbow, bob], acting, [string], name="linkage")


@pytest.fixture(scope="module")
def state(linkage):
    """Somewhere in motion, the string taut."""
    q = np.array([0.4, 0.7, 0.3, 0.2, -1.8])
    z = np.array([1.0, -0.5, 0.2, 0.1, 0.0])
    return linkage.consistent(ph.State(linkage, 0.0, q, z))


def test_each_law_names_all_that_acts_with_its_sign(linkage, state):
    """p_dot of a body is the sum of the forces named, and nothing named is missing."""
    equations = ph.gauss(linkage)
    by_body = {
        law.body: balance(equations, state, of=[law.body])
        for law in body_laws(linkage).laws
    }
    assert set(by_body) == {"upper", "lower", "bob"}
    for law in body_laws(linkage).laws:
        found = by_body[law.body]
        named = {term.name.partition(" on ")[0] or "weight" for term in law.terms}
        acting = {k for k, item in found.items.items() if np.any(item.force)}
        assert acting <= named, law.body
        forces = sum(found.items[name].force for name in named)
        assert_close(forces, found.momentum_rate, atol=1e-9)
    upper, lower = (by_body[n].items["elbow"] for n in ("upper", "lower"))
    assert_close(upper.force, -lower.force, atol=1e-9)
    assert_close(upper.moment, -lower.moment, atol=1e-9)
    signs = {
        law.body: {t.name: t.sign for t in law.terms} for law in body_laws(linkage).laws
    }
    assert signs["upper"]["elbow"] == -1
    assert signs["lower"]["elbow"] == 1
    assert signs["upper"]["shoulder"] == 1


def test_the_text_of_the_laws(linkage):
    """Golden: one line a momentum, then the joined equations and their speeds."""
    assert repr(body_laws(linkage)) == GOLDEN


GOLDEN = """\
Newton and Euler, linkage
pdot[upper] = m g + F[spring on upper] + F[damper of shoulder] + R[shoulder] - R[elbow]
Ldot[upper] = r x m g + M[spring on upper] + M[damper of shoulder] + Q[shoulder] - Q[elbow]
pdot[lower] = m g + F[spring on lower] + R[elbow] + R[string on lower]
Ldot[lower] = r x m g + M[spring on lower] + Q[elbow] + Q[string on lower]
pdot[bob] = m g + R[string on bob]
M(q) zdot + b(q, z) = f(q, z) + A^T lambda
A(q) zdot = gamma(q, z): string
z = (shoulder, elbow, bob.vx, bob.vy, bob.vz)"""  # noqa: E501


def test_names_cannot_break_a_formula():
    """What LaTeX would take for its own is a space."""
    body = ph.Body(r"a_b\frac{$%", ph.solids.sphere(mass=1.0, radius=1.0))
    first = body_laws(ph.System([body])).formulas()[1]
    assert first == r"\dot{\mathbf{p}}_{\text{a b frac}} = 𝟎"


def test_energies_are_the_systems_own():
    """What is read of T, V and g has the values that the system gives."""
    system = ph.models.GALLERY["tethered_pair"]()
    rng = np.random.default_rng(3)
    q, z = rng.normal(size=system.coordinates), rng.normal(size=system.speeds)
    found = short_energies(system)
    values = {
        n.replace(".", "_"): v for n, v in zip(system.coordinate_names, q, strict=True)
    }
    values |= {
        n.replace(".", "_"): v for n, v in zip(system.speed_names, z, strict=True)
    }
    values |= {name: float(value) for name, value in system.parameters.items()}
    at = {
        s: values[s.name]
        for e in (found.kinetic, *found.positions)
        for s in e.free_symbols
    }
    assert_close(
        float(found.kinetic.subs(at)), system.kinetic_energy(0.0, q, z), rtol=1e-12
    )
    (length,) = found.positions
    assert_close(float(length.subs(at)), rows.positions(system, 0.0, q)[0], rtol=1e-12)
    assert found.potential == 0
    assert not found.has_numbers


def test_what_is_long_is_left_out_at_once():
    """Seven links: neither T nor V is tried, and the laws are still there."""
    arm = ph.models.GALLERY["arm"]()
    found = short_energies(arm)
    assert found.kinetic is None
    assert found.potential is None
    assert len(body_laws(arm).formulas(most=2)) == 1 + 2 * 2 + 2
