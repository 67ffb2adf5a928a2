"""A system written into a file and read again, and that it is the same."""

from __future__ import annotations

import numpy as np

import polhode as ph


def again(tmp_path, system, **more):
    """The model read from the file that a system was written to."""
    path = tmp_path / "model.toml"
    ph.save_model(system, path, **more)
    return ph.load_model(path)


def assert_same(one, other, state):
    """Two systems of one structure, table and mechanics, bit for bit."""
    assert dict(one.parameters) == dict(other.parameters)
    assert one.coordinate_names == other.coordinate_names
    assert one.row_names == other.row_names
    assert [body.name for body in one.bodies] == [body.name for body in other.bodies]
    t, q, z = float(state.t), state.q, state.z
    for word in ("mass_matrix", "potential_energy"):
        a, b = (getattr(system, word)(t, q) for system in (one, other))
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(one.applied(t, q, z), other.applied(t, q, z))
    assert [j.limits[0].tolist() for j in one.joints] == [
        j.limits[0].tolist() for j in other.joints
    ]
