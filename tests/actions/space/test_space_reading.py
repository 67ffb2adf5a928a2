"""What acts in space is read as formulas of a page, and its laws take parameters."""

import jax.numpy as jnp
import numpy as np
import pytest
import sympy

import polhode as ph

space = ph.space
WORLD, EPOCH = ph.World(), ph.space.Epoch("2026-01-01T00:00:00")
SAT = ph.Particle("sat", 50.0)
ENDS = SAT.mass_centre, WORLD.origin
MOON = space.ThirdBody(SAT, WORLD.origin, space.MOON.mu, EPOCH.moon, name="Moon")
LIGHT = space.SolarPressure(*ENDS, EPOCH.sun, 1.3, 2.0)
AIR = space.AtmosphericDrag(*ENDS, 2.2, 0.8)
RANDOM = space.RandomLoad(SAT.mass_centre, force=1e-5, seed=3, name="gust")
WAVES = RANDOM.waves()


def gust(k):
    rates, phases = (table[3 + k] for table in WAVES)
    return lambda t: np.sqrt(2 / 16) * np.cos(rates * t + phases).sum()


def lit(x, y, z, *rest):
    return space.sunlit_fraction(np.array([x, y, z]), np.array(rest[:3]), *rest[3:])


def parts(name, ephemeris):
    return {
        f"{name}_{a}": lambda t, k=k: ephemeris.at(t)[k] for k, a in enumerate("xyz")
    }


CASES = {
    "Moon": (MOON, parts("Moon", EPOCH.moon)),
    "Sun": (LIGHT, {**parts("Sun", EPOCH.sun), "lit": lit}),
    "air": (AIR, {"rho": space.EARTH_AIR.at, "Max": max}),
    "gust": (RANDOM, {f"gust_F_{a}": gust(k) for k, a in enumerate("xyz")}),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_read_is_what_runs_with_its_functions_by_name(case):
    """Newton's law with the printed force, its named functions put in."""
    action, functions = CASES[case]
    system = ph.System([SAT], [action], name="read")
    reading = ph.lagrange(system).read()
    row = reading.motion[0]
    assert sum(map(sympy.count_ops, (row, *dict(reading.where).values()))) < 120
    place, speed, t = np.array([5.1e6, -4.0e6, 2.2e6]), np.array([4e3, 5e3, 3e3]), 700.0
    state = system.state({"sat": place}, speeds={"sat": speed}).changed(t=t)
    numbers = {f"sat_{a}": v for a, v in zip("xyz", place, strict=True)}
    numbers |= {f"sat_v{a}": v for a, v in zip("xyz", speed, strict=True)}
    numbers |= {k.replace(".", "_"): v for k, v in system.parameters.items()}
    row = row.subs(list(reversed(reading.where)))
    force = system.wrenches(t, state.q, state.z)[action.name].forces[0, 0]
    values = {"t": t, "sat_vxdot": force / 50.0, **numbers}
    symbols = sorted(row.free_symbols, key=str)
    read = sympy.lambdify(symbols, row, [functions, "numpy"])
    miss = read(*(values[str(symbol)] for symbol in symbols))
    assert force != 0.0
    assert abs(miss) < 1e-9 * abs(force)


def require_swept(action, name, values):
    """A sweep over a constant has the bits of runs alone, and the constant matters."""
    craft = ph.Body.from_inertia("craft", mass=50.0, inertia=(2.0, 3.0, 4.0))
    system = ph.System([craft], [action(craft)], name="swept")
    start = system.state({"craft.x": 7e6}, speeds={"craft.vy": 7.5e3, "craft.wx": 0.01})
    swept = ph.sweep(system, start, until=50.0, parameters={name: values}).final_z
    alone = [
        ph.simulate(system, start, until=50.0, parameters={name: value}).final.z
        for value in values
    ]
    np.testing.assert_array_equal(swept, alone)
    assert not np.array_equal(*swept)


def test_a_law_of_the_air_takes_parameters():
    """A scale height varies in a sweep."""

    def law(h, t, rho, H):
        return rho * jnp.exp(-(h - 6e5) / H)

    def drag(craft):
        values = {"rho": ph.Parameter("rho_0", 1e-9), "H": 6e4}
        ends = craft.point(0, 0, 0.1), WORLD.origin
        return space.AtmosphericDrag(*ends, 2.2, 0.8, law, constants=values)

    require_swept(drag, "air drag.H", [6e4, 1e4])


def test_a_law_of_the_field_takes_parameters():
    """The size of a field of the user's varies in a sweep."""

    def law(x, t, B):
        return B * jnp.array([0.0, 1.0, 0.3])

    field = {"field": law, "constants": {"B": ph.Parameter("B", 3e-5)}}
    require_swept(
        lambda craft: space.MagneticTorque(
            craft.origin, WORLD.origin, moment=(5.0, 0, 1.0), **field
        ),
        "B",
        [3e-5, 6e-5],
    )


def test_constants_that_no_law_takes_are_refused():
    """Our own air has its numbers as fields."""
    with pytest.raises(ph.PolhodeError, match="'k' that nothing takes"):
        space.AtmosphericDrag(*ENDS, 2.2, 0.8, constants={"k": 1.0})


def test_a_formula_of_the_air_in_a_file_has_its_parameters(tmp_path):
    """rho is a parameter of the model, written and read again."""
    law = ph.Formula(
        "rho * exp(-h / 6e4)", ("h", "t"), {"rho": ph.Parameter("rho", 1e-9)}
    )
    system = ph.System(
        [SAT], [space.AtmosphericDrag(*ENDS, 2.2, 0.8, law)], name="file"
    )
    assert "rho" in system.parameters
    ph.save_model(system, tmp_path / "file.toml")
    again = ph.load_model(tmp_path / "file.toml").system
    assert again.parameters["rho"] == 1e-9
