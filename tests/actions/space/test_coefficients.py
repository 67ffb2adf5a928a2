"""Published files of coefficients: what is read is what they say."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph

GFC = """product_type gravity_field
earth_gravity_constant 3.986004415E+14
radius 6378136.3
end_of_head ==========
gfc 0 0 1.0 0.0 0 0
gfc 2 0 -0.484165143790815D-03 0.0 0 0
gfc 2 1 -0.206615509074176D-09 0.138441389137979D-08 0 0
gfc 2 2 0.243938357328313D-05 -0.140027370385934D-05 0 0
gfc 3 0 0.957161207093473D-06 0.0 0 0
"""
IGRF = """# a comment
c/s deg ord IGRF IGRF SV
g/h n m 2015.0 2020.0 2020-25
g 1 0 -29441.46 -29404.8 5.7
g 1 1 -1501.77 -1450.9 7.4
h 1 1 4795.99 4652.5 -25.9
"""


def test_a_field_of_gravity_is_read(tmp_path):
    """C and S by degree and order, to the degree that is asked for; J2 is in them."""
    path = tmp_path / "field.gfc"
    path.write_text(GFC)
    C, S = ph.space.gravity_coefficients(path, 2)
    assert C.shape == S.shape == (3, 3)
    assert C[2, 2] == 0.243938357328313e-05
    assert S[2, 2] == -0.140027370385934e-05
    assert abs(-C[2, 0] * np.sqrt(5) / ph.space.EARTH.zonals[0] - 1) < 1e-6
    with pytest.raises(ph.PolhodeError, match="up to degree 3, not 4"):
        ph.space.gravity_coefficients(path, 4)


def test_a_magnetic_field_is_read_at_a_year(tmp_path):
    """In tesla: a column's own year, between two, and beyond by its variation."""
    path = tmp_path / "igrf.txt"
    path.write_text(IGRF)
    g, h = ph.space.magnetic_coefficients(path, 2020.0, degree=1)
    assert g[1, 0] == -29404.8 * 1e-9
    assert h[1, 1] == 4652.5 * 1e-9
    half, _ = ph.space.magnetic_coefficients(path, 2017.5, degree=1)
    assert abs(half[1, 0] + 29423.13e-9) < 1e-14
    later, _ = ph.space.magnetic_coefficients(path, 2022.0, degree=1)
    assert abs(later[1, 0] + (29404.8 - 2 * 5.7) * 1e-9) < 1e-14
    field = ph.space.HarmonicField(g, h)
    assert 5.5e-5 < np.linalg.norm(field.at([0, 0, 6371200.0])) < 6.5e-5
    for year in (1990.0, 2031.0):
        with pytest.raises(ph.PolhodeError, match="no magnetic field of"):
            ph.space.magnetic_coefficients(path, year, degree=1)
    path.write_text("nothing here at all\n")
    with pytest.raises(ph.PolhodeError, match="is no table of the IGRF"):
        ph.space.magnetic_coefficients(path, 2020.0)
