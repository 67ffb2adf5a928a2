"""Forms of a sweep's files: all read back alike, by us and by others."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import polhode as ph
from moving import double_pendulum
from polhode.errors import FileError, IntegrationError
from strategies_system import cart_pendulum
from swept_by import hashes

RUNS, SLAB = 23, 8


@pytest.fixture(scope="module")
def drawn() -> ph.Ensemble:
    system = cart_pendulum()
    start = system.state(pivot=1.0, track=0.3)
    name = next(n for n in system.parameters if "mass" in n or n.startswith("m"))
    own = {"coordinates": {"pivot": ph.distributions.Uniform(-2, 2)}}
    own["parameters"] = {name: ph.distributions.Uniform(0.5, 2.0)}
    return ph.Ensemble(start, RUNS, seed=5, **own)


@pytest.fixture(scope="module")
def folders(drawn, tmp_path_factory):
    """The same sweep in memory, in netCDF and in Parquet; audited and sampled."""
    place = tmp_path_factory.mktemp("forms")
    wish = {"until": 1.0, "samples": 4, "audited": True, "slab": SLAB}
    found = {"memory": ph.sweep(drawn.system, drawn, **wish)}
    for form in ("netcdf", "parquet"):
        found[form] = ph.sweep(drawn.system, drawn, **wish, to=place / form, form=form)
    return found


def arrays(sweep) -> dict[str, np.ndarray]:
    words = ("t", "q", "z", "status", "accepted", "rejected", "stiff", "tried")
    found = {word: getattr(sweep, word) for word in words}
    found |= sweep.parameters | sweep.ledger.work
    ends = ("kinetic", "potential", "momentum", "angular_momentum")
    return found | {word: getattr(sweep.ledger, word) for word in ends}


@pytest.mark.parametrize("form", ["netcdf", "parquet"])
def test_every_form_gives_the_sweep_again(folders, form):
    """To the bit, from the call and from the folder alone."""
    kept = arrays(folders["memory"])
    for parts in (folders[form], ph.load_sweep(folders[form].folder)):
        found = arrays(parts.whole())
        assert found.keys() == kept.keys()
        for name, values in kept.items():
            assert found[name].dtype == values.dtype
            assert np.array_equal(found[name], values), name
    again = ph.load_sweep(folders[form].folder)
    assert again.system.name == folders[form].system.name
    assert len(again) == RUNS
    assert again.missing == []


def test_a_table_is_read_by_pandas_polars_and_duckdb(folders):
    """Sweeps, their folders and motions: the same mean of a column by each."""
    polars = pytest.importorskip("polars")
    pandas, duckdb = pytest.importorskip("pandas"), pytest.importorskip("duckdb")
    kept = folders["memory"]
    mean = kept.q[..., kept.system.coordinate_names.index("pivot")].mean()
    for sweep in folders.values():
        table = polars.DataFrame(sweep)
        assert table["pivot"].mean() == pytest.approx(mean, rel=1e-14)
        assert table["run"].to_list() == np.repeat(np.arange(RUNS), 4).tolist()
        assert set(table["outcome"]) == {"DONE"}
        assert duckdb.sql('select avg("pivot") from sweep').fetchall()[0][0] == (
            pytest.approx(mean, rel=1e-13)
        )
        frame = pandas.DataFrame.from_arrow(sweep)
        assert frame["pivot"].mean() == pytest.approx(mean, rel=1e-13)
        assert frame["kinetic at end"].iloc[0] == kept.ledger.kinetic[0, 1]
    scanned = polars.scan_parquet(folders["parquet"].folder / "*.parquet")
    found = scanned.select(polars.col("pivot").mean()).collect().item()
    assert found == pytest.approx(mean, rel=1e-14)


def test_motions_are_tables_with_units(folders):
    """A field knows its unit; several motions have the number of their run."""
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    system = double_pendulum()
    states = [system.state(shoulder=1.0), system.state(shoulder=2.0)]
    motions = ph.simulate(system, states, until=0.5)
    table = pyarrow.table(motions[0])
    assert table.schema.field("shoulder").metadata[b"unit"] == b"rad"
    assert np.array_equal(table["elbow"].to_numpy(), motions[0].q[:, 1])
    both = polars.DataFrame(motions)
    assert len(both) == len(motions[0]) + len(motions[1])
    assert both["run"].unique().sort().to_list() == [0, 1]


def test_parquet_that_is_exported_is_the_table(folders, tmp_path):
    """From memory in one file, from a folder in as many as it has parts."""
    polars = pytest.importorskip("polars")
    folders["memory"].to_parquet(tmp_path / "one")
    folders["netcdf"].to_parquet(tmp_path / "many")
    tables = [polars.read_parquet(tmp_path / n / "*.parquet") for n in ("one", "many")]
    assert tables[0].equals(tables[1])
    assert len(list((tmp_path / "many").iterdir())) == 3
    with pytest.raises(FileError, match="cannot take Parquet files"):
        folders["memory"].to_parquet(tmp_path / "none" / "there")


def test_one_file_over_all_parts_is_lazy(folders, tmp_path):
    """`sweep.nc` has the values of the parts; a missing one reads as NaN."""
    import netCDF4
    import xarray

    folder = tmp_path / "a"
    shutil.copytree(folders["netcdf"].folder, folder)  # it may be moved
    kept = folders["memory"]
    with xarray.open_dataset(folder / "sweep.nc", engine="h5netcdf") as whole:
        assert not whole.q._in_memory
        assert np.array_equal(whole.q, kept.q)
        assert list(whole.coordinate.values) == list(kept.system.coordinate_names)
        name, values = next(iter(kept.parameters.items()))
        assert np.array_equal(whole[name], values)
        assert whole.kinetic.shape == (RUNS, 2)
    with netCDF4.Dataset(folder / "sweep.nc") as file:
        assert np.array_equal(file["z"][:], kept.z)
    (folder / "part-00000008.nc").unlink()
    parts = ph.load_sweep(folder)
    assert parts.missing == [8]
    with parts.to_xarray() as whole:
        gone = slice(8, 16)
        assert np.isnan(whole.q[gone]).all()
        assert (whole.status[gone] == -1).all()
        assert np.array_equal(whole.q[16:], kept.q[16:])
    (folder / "sweep.nc").unlink()
    with parts.to_xarray() as whole:  # an incomplete folder has one, too, when asked
        assert np.isnan(whole.q).sum() == 8 * 4 * kept.q.shape[2]


def test_damaged_parquet_is_refused(folders, tmp_path):
    """A flipped byte, a part in another's place, and another number of runs."""
    folder = tmp_path / "a"
    shutil.copytree(folders["parquet"].folder, folder)
    one, two = (folder / f"part-{k:08d}.parquet" for k in (0, 8))
    parts, whole = ph.load_sweep(folder), one.read_bytes()
    for place in range(8, len(whole), len(whole) // 40):
        one.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            found = next(iter(parts))
        except FileError:
            continue
        # A byte that says nothing of the numbers.
        assert np.array_equal(found.q, folders["memory"].q[:8])
    shutil.copy(two, one)
    with pytest.raises(FileError, match=r"part-00000000\.parquet' is damaged"):
        parts.whole()


def test_shares_make_the_whole(drawn, folders, tmp_path):
    """Three jobs of an array, in any order; what is left is made as missing."""
    wish = {"until": 1.0, "samples": 4, "audited": True, "slab": SLAB}
    to = {"to": tmp_path / "a"}
    one = ph.sweep(drawn.system, drawn, **wish, **to, part="2/3")
    assert one.missing == [0, 16]
    assert not (tmp_path / "a" / "sweep.nc").exists()
    ph.sweep(drawn.system, drawn, **wish, **to, part="3/3")
    last = ph.sweep(drawn.system, drawn, **wish, **to, part="missing")
    assert last.missing == []
    assert (tmp_path / "a" / "sweep.nc").exists()
    assert hashes(last.folder) == hashes(folders["netcdf"].folder)
    for wrong in ("0/3", "4/3", "2", "x/y"):
        with pytest.raises(IntegrationError, match="has no part"):
            ph.sweep(drawn.system, drawn, **wish, **to, part=wrong)
    with pytest.raises(IntegrationError, match="needs a folder"):
        ph.sweep(drawn.system, drawn, **wish, part="1/3")
    with pytest.raises(IntegrationError, match="cannot make the share '1/3' alone"):
        ph.sweep(
            drawn.system, drawn, **wish, **to, part="1/3", executor=ThreadPoolExecutor()
        )


def test_damage_is_told_of_the_file_that_has_it(drawn, folders, tmp_path):
    """A part cut short, on its way to a table; a header that somebody has edited."""
    shutil.copytree(folders["netcdf"].folder, tmp_path / "a")
    parts = ph.load_sweep(tmp_path / "a")
    cut = tmp_path / "a" / "part-00000008.nc"
    cut.write_bytes(cut.read_bytes()[:5000])
    with pytest.raises(FileError, match=r"part-00000008\.nc' is damaged"):
        parts.to_parquet(tmp_path / "table")
    shutil.copytree(folders["netcdf"].folder, tmp_path / "b")
    with (tmp_path / "b" / "sweep.json").open("a") as note:
        note.write(" ")
    again = {"until": 1.0, "samples": 4, "audited": True, "slab": SLAB}
    with pytest.raises(FileError, match=r"sweep\.json is not as it was written\."):
        ph.sweep(drawn.system, drawn, **again, to=tmp_path / "b")


def test_refusals_of_forms(drawn, folders, tmp_path):
    """Another form in a folder, events in Parquet, lazy arrays of tables."""
    wish = {"until": 1.0, "slab": SLAB}
    with pytest.raises(FileError, match="Known are netcdf, parquet"):
        ph.sweep(drawn.system, drawn, **wish, to=tmp_path / "a", form="zarr")
    low = ph.Event("low", lambda t, state: state["pivot"])
    with pytest.raises(FileError, match="events cannot be kept in Parquet"):
        ph.sweep(
            drawn.system, drawn, **wish, to=tmp_path / "b", form="parquet", events=low
        )
    ph.sweep(drawn.system, drawn, **wish, to=tmp_path / "c")
    with pytest.raises(FileError, match="forms of the parts"):
        ph.sweep(drawn.system, drawn, **wish, to=tmp_path / "c", form="parquet")
    with pytest.raises(FileError, match="read lazily"):
        folders["parquet"].to_xarray()
    with pytest.raises(FileError):
        ph.load_sweep(tmp_path / "none")
    (tmp_path / "c" / "sweep.json").write_text("{}")
    with pytest.raises(FileError, match="is damaged"):
        ph.load_sweep(tmp_path / "c")
