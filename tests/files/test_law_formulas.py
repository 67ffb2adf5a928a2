"""Forces and surfaces by formulas: in Python, in files, and as functions alike."""

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph

MOTION = ("x", "y", "z", "vx", "vy", "vz", "t")
BALL, WORLD = ph.Particle("ball", 2.0), ph.World()
K, A = ph.Parameter("k", 3.0), ph.Parameter("a", 0.5)
TEXTS = ("-k * x - 0.1 * vx", "-k * y * y", "a * sin(2 * t) - vz")


def formulas(texts=TEXTS):
    known = {"k": K, "a": A}
    return [
        ph.Formula(
            text, MOTION, {key: known[key] for key in known if f"{key} *" in text}
        )
        for text in texts
    ]


def pulled(law, **constants):
    pull = ph.ForceLaw(BALL.mass_centre, WORLD.frame, law, name="pull", **constants)
    return ph.System([BALL], [pull], name="pulled")


def bowl(law, **constants):
    on = ph.PointOn(BALL.mass_centre, WORLD.frame, law, name="bowl", **constants)
    return ph.System([BALL], [ph.Weight(9.81)], [on], name="bowl")


def final(system, start):
    return ph.simulate(system, start, until=0.5).final.q


def test_three_formulas_are_a_force(tmp_path):
    """The same motion as by a function, and again from a file; the constants sweep."""

    def law(x, v, t, k, a):
        return jnp.stack(
            [-k * x[0] - 0.1 * v[0], -k * x[1] * x[1], a * jnp.sin(2 * t) - v[2]]
        )

    where = {"ball": (1.0, 0.3, 0.0)}
    plain = pulled(law, constants={"k": K, "a": A})
    written = pulled(formulas())
    ph.save_model(written, tmp_path / "pulled.toml")
    read = ph.load_model(tmp_path / "pulled.toml").system
    wanted = final(plain, plain.state(where))
    for system in (written, read):
        np.testing.assert_allclose(
            final(system, system.state(where)), wanted, rtol=1e-13
        )
        assert {"k", "a"} <= set(system.parameters)
    ends = ph.sweep(read, read.state(where), until=0.5, parameters={"k": [3.0, 4.0]})
    np.testing.assert_allclose(ends.final_q[0], wanted, rtol=1e-13)
    assert abs(ends.final_q[1] - wanted).max() > 1e-3


def test_a_formula_is_a_surface(tmp_path):
    """z = k x^2, as a function and from a file."""
    plain = bowl(lambda x, k: x[2] - k * x[0] ** 2, constants={"k": K})
    written = bowl(ph.Formula("z - k * x ** 2", ("x", "y", "z"), {"k": K}))
    ph.save_model(written, tmp_path / "bowl.toml")
    read = ph.load_model(tmp_path / "bowl.toml").system
    wanted = final(plain, ph.assemble(plain, {"ball.x": 0.3}).state)
    for system in (written, read):
        start = ph.assemble(system, {"ball.x": 0.3}).state
        np.testing.assert_allclose(final(system, start), wanted, rtol=1e-12)


def test_other_lists_are_no_forces():
    """Two of them, formulas of t alone, and a name that stands for two things."""
    with pytest.raises(ph.PolhodeError, match="three formulas"):
        pulled(formulas()[:2])
    with pytest.raises(ph.PolhodeError, match="three formulas"):
        pulled([ph.Formula("sin(t)")] * 3)
    twice = [ph.Formula("k * x", MOTION, {"k": value}) for value in (1.0, 2.0, 2.0)]
    with pytest.raises(ph.PolhodeError, match="two values of 'k'"):
        pulled(twice)
