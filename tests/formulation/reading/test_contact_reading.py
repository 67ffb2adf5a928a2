"""Equations with contact forces, for people: complementarity and friction."""

from __future__ import annotations

import pytest
import sympy

import polhode as ph
from polhode.errors import ModelError


@pytest.mark.row("C-08")
def test_a_ball_over_a_floor_reads_as_in_books():
    """m z'' = N - m g, 0 <= z _|_ N >= 0."""
    read = ph.contact_reading(ph.models.bouncing_ball())
    said = str(read)
    assert "-N_floor + ball_vzdot*m + g*m = 0" in said
    assert "0 <= ball_z  _|_  N_floor >= 0" in said
    assert "W_r = -e^2 W_c where it strikes (Stronge)" in said
    assert r"\perp" in read.latex()


@pytest.mark.row("C-09")
@pytest.mark.row("C-10")
def test_friction_of_a_block_is_read_with_both_its_laws():
    """|T| <= mu_s N at rest, T = -mu_d N v/|v| where it slides."""
    block, world = ph.Particle("block", ph.Parameter("m", 1.0)), ph.World()
    law = ph.Coulomb(ph.Parameter("mu", 0.3), 0.4)
    on = ph.Support(ph.surfaces.point(block.mass_centre), world.point(0, 0, 0.5),
                    friction=law, name="floor")  # fmt: skip
    weight = ph.Weight(ph.Parameter("g", 9.81))
    read = ph.contact_reading(ph.System([block], [weight], supports=[on]))
    said = str(read)
    assert "|(T1_floor, T2_floor)| <= floor_static*N_floor" in said
    assert "(T1_floor, T2_floor) = -mu*N_floor v/|v|" in said
    assert "u_N+ = 0 where it strikes" in said
    (law,) = read.laws
    assert law.gap.has(sympy.Symbol("block_z"))
    T1 = sympy.Symbol("T1_floor")
    assert sympy.diff(read.motion[0], T1) == -1


def test_a_run_reads_the_equations_that_it_integrates():
    """motion.equations.read() has the laws of contact too."""
    start = ph.models.start("bouncing_ball")
    motion = ph.simulate(start.system, start, until=0.1)
    assert "_|_" in str(motion.equations.read())


def test_a_program_of_one_mode_is_not_written():
    """C and MATLAB know of no switches."""
    read = ph.contact_reading(ph.models.bouncing_ball())
    with pytest.raises(ModelError, match="cannot be written as a program"):
        read.c()
