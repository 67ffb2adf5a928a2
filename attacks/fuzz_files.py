"""Files with random faults: TOML, URDF, netCDF headers, notes of sweeps.

Each is refused in our own words, model files with line and column, or loads. Nothing
hangs, crashes, or takes memory without bound.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import h5py
import numpy as np

import polhode as ph
from attacks.attack import Attack
from attacks.worker import Worker
from polhode.errors import PolhodeError
from polhode.files.model import model_text
from polhode.integrate.kernel.packing import Columns
from polhode.integrate.storage.create import put_text
from polhode.integrate.storage.header import digest
from polhode.integrate.storage.layout import Chain

ODD = (
    "[]", "{}", "[[]]", "[{}]", "{ a = 1 }", "[1, 2]", "[1, [2, {}]]", '""', '"x"',
    '"a.b"', "true", "0", "-1", "nan", "inf", "-inf", "1e999", "1" * 400,
    "-" + "9" * 350, "0x" + "f" * 300, "1979-05-27",
    "07:32:00", '"\\u0000"', "'" + "y" * 300 + "'",
    '"1" ', '"2 ** 2 ** 9999"', '"-" ', '"m m"', '"' + "(" * 60 + '1"', '"1/0"',
    '"' + "9" * 1900 + '"', '"exp(1000)"', '"(-1) ** 0.5"', '"`"', '"1e400"', "1e-400",
    '[1, 2, 3, "x"]', "[1e308, 1e308, 1e308]", '"-Y"', '["X", "Y", "Z"]',
)  # fmt: skip
SIGNS = "\"'[]{}=.,#\n\\-+eE_0159 \t\r\x00\x7f\u00e9\u2028"
WORDS = ("hinge", "rod", "world", "kind", "solid", "mass", "joints", "bodies", "start")


@cache
def _models() -> list[str]:
    """The text of every model of the gallery that has one."""
    found = []
    for name in ph.models.GALLERY:
        state = ph.models.start(name)
        try:
            found.append(model_text(state.system, start=state))
        except PolhodeError:  # laws of Python are in it
            continue
    return found


_PENDULUM = """polhode = 1
name = "pendulum"
[parameters]
m = 1.2
l = 0.8
[bodies.rod]
solid = "rod"
mass = "m"
length = "l"
points = { end = [0, 0, "l / 2"] }
[joints.hinge]
kind = "revolute"
first = "world"
second = "rod.end"
axis = "-Y"
[actions.weight]
kind = "weight"
gravity = 9.81
[start]
coordinates = { hinge = 0.3 }
[run]
until = 2.0
method = { kind = "RungeKutta4", step = 0.01 }
"""
_ROBOT = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 0.2" rpy="0 0.1 0"/><mass value="1.5"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/>
  </inertial></link>
  <link name="lower"><inertial><mass value="0.5"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>
  </inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="9" velocity="2"/>
    <dynamics damping="0.1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/>
    <origin xyz="0 0 0.4"/><axis xyz="0 1 0"/></joint>
</robot>
"""
ENCODINGS = ("utf-8", "utf-16", "utf-32", "ascii", "latin-1", "cp037", "shift_jis",
             "utf-7", "punycode", "idna", "rot13", "hex", "nonesuch", "")  # fmt: skip


# ----------------------------------------------------------------- what the worker does


def load_model(path: str) -> str:
    """Load a model file, and ask its system for its rest."""
    ph.load_model(path)
    return "loaded"


def load_urdf(path: str) -> str:
    """Load a robot."""
    ph.load_urdf(path)
    return "loaded"


def load_motion(path: str) -> str:
    """Load a motion, go on with it, and look at all that a recording has."""
    found = ph.load_motion(path)
    assert repr(found)
    assert len(found.names) == len(found.units)
    assert found.outcome.sentence
    found.of()
    ph.resume(path, limit=50_000)
    return "loaded"


# --------------------------------------------------------------------------- mutations


def _mutated_toml(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        k = chance.randrange(len(lines))
        kind = chance.randrange(8)
        if kind <= 3 and "=" in lines[k]:
            lines[k] = f"{lines[k].partition('=')[0]}= {chance.choice(ODD)}"
        elif kind == 4:
            lines.insert(k, chance.choice(lines))
        elif kind == 5:
            del lines[k]
            lines = lines or [""]
        elif kind == 6:
            line, at = lines[k], chance.randrange(len(lines[k]) + 1)
            lines[k] = (
                line[:at] + chance.choice(SIGNS) + line[at + chance.randrange(2) :]
            )
        else:
            word = re.search(r"\w+", lines[k])
            if word:
                lines[k] = lines[k].replace(word[0], chance.choice(WORDS), 1)
    return "\n".join(lines)


def _mutated_xml(text: str, chance: random.Random) -> bytes:
    for _ in range(chance.choice((1, 1, 2, 4))):
        kind, at = chance.randrange(6), chance.randrange(len(text))
        if kind == 0:
            texts = re.findall(r'"[^"]*"', text)
            odd = chance.choice(["", "nan", "1e999", "x", "1 2", "9" * 400, "0", "-1"])
            text = text.replace(chance.choice(texts), f'"{odd}"', 1)
        elif kind == 1:
            tags = re.findall(r"</?\w+|/?>", text)
            text = text.replace(chance.choice(tags), chance.choice(tags), 1)
        elif kind == 2:
            text = text[:at] + chance.choice('<>&"\x00\u00e9 =/') + text[at + 1 :]
        elif kind == 3:
            end = min(len(text), at + chance.randrange(80))
            text = text[:at] + text[end:] or "<"
        elif kind == 4:
            end = min(len(text), at + chance.randrange(200))
            text = text[:end] + text[at:]
        else:
            word = chance.choice(ENCODINGS)
            text = text.replace('version="1.0"', f'version="1.0" encoding="{word}"', 1)
    try:
        return text.encode(chance.choice(("utf-8", "utf-8", *ENCODINGS[:6])))
    except (UnicodeError, LookupError):
        return text.encode()


@cache
def _motion() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "motion.nc"
        start = ph.models.start("pendulum")
        ph.simulate(start.system, start, until=0.5, to=path)
        return path.read_bytes()


def _odd_value(chance: random.Random) -> Any:
    return chance.choice(
        [
            None,
            [],
            {},
            "",
            "x",
            0,
            -1,
            10**400,
            1e300,
            [None],
            {"a": 1},
            True,
            [[]],
            2**63,
        ]
    )


def _mutated_json(value: Any, chance: random.Random) -> Any:
    """A document with one entry changed, taken out or doubled."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        key = chance.choice([*value])
        if chance.random() < 0.12:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: _mutated_json(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.8:
        k = chance.randrange(len(value))
        if chance.random() < 0.15:
            return value[:k] + value[k + 1 :]
        return [*value[:k], _mutated_json(value[k], chance), *value[k + 1 :]]
    return _odd_value(chance)


def _crafted(path: Path, chance: random.Random) -> None:
    """A motion with another header or other datasets, and all hashes put right."""
    path.write_bytes(_motion())
    with h5py.File(path, "r+", libver="v110") as file:
        header = json.loads(file["header"][:].tobytes())
        kind = chance.randrange(4)
        if kind <= 1:
            header = _mutated_json(header, chance)
        elif kind == 2:
            name = chance.choice([*file])
            if file[name].maxshape[:1] == (None,):
                file[name].resize(chance.choice((0, 1, 7, 10**6, 2 * 10**9)), axis=0)
            else:
                del file[name]
        else:
            _replace_dataset(file, chance)
        text = json.dumps(header)
        try:
            put_text(file, "header", text)
            file.attrs["header_sha256"] = np.bytes_(digest(text))
            _chained(file, digest(text))
        except Exception:  # what is missing cannot be put right
            return


def _replace_dataset(file: Any, chance: random.Random) -> None:
    name = chance.choice([*file])
    del file[name]
    kind = chance.randrange(6)
    if kind == 0:
        file[name] = h5py.ExternalLink("/etc/hostname", "/")
    elif kind == 1:
        file[name] = h5py.SoftLink("/x")
    elif kind == 2:
        file.create_group(name)
    elif kind == 3:
        file.create_dataset(name, (10**9,), "f8", chunks=(2**20,), maxshape=(None,))
    elif kind == 4:
        file.create_dataset(name, (40,), "f8", chunks=(40,), compression="gzip")
    else:
        file[name] = chance.choice([1.0, "text", b"x", np.zeros((2, 2), "i4")])


def _chained(file: Any, identity: str) -> None:
    chain, start = Chain(identity), 0
    names = [n for n in ("time", "x", "slope", "bend") if n in file]
    for part, end in enumerate(file["part_rows"][:10]):
        rows = {n: file[n][start:end] for n in names} if end > start else {}
        cursor = Columns(file["cursor_numbers"][part], file["cursor_counts"][part])
        chain = chain.link(rows, cursor, None)
        file["part_checksum"][part], start = chain.checksum, end


# ----------------------------------------------------------------------------- tries


@cache
def _worker() -> Worker:
    return Worker("attacks.fuzz_files", seconds=10.0)


def _judged(said: tuple[str, str], *, by_line: bool) -> str | None:
    how, words = said
    if how == "ok" or (how == "refused" and not by_line):
        return None
    if how == "refused":
        told = re.search(r"line \d+, column \d+", words) is not None
        return None if told else f"refused without a line: {words[:200]}"
    return f"{how} {words[:300]}"


def _toml(seed: int) -> str | None:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.toml"
        text = _mutated_toml(chance.choice([_PENDULUM, *_models()]), chance)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        return _judged(_worker().call("load_model", str(path)), by_line=True)


def _urdf(seed: int) -> str | None:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        path.write_bytes(_mutated_xml(_ROBOT, chance))
        return _judged(_worker().call("load_urdf", str(path)), by_line=False)


def _netcdf(seed: int) -> str | None:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "motion.nc"
        _crafted(path, chance)
        return _judged(_worker().call("load_motion", str(path)), by_line=False)


ATTACKS = (
    Attack("fuzz-toml", 2000, _toml),
    Attack("fuzz-urdf", 1000, _urdf),
    Attack("fuzz-netcdf", 300, _netcdf),
)
