"""A crane as a C library: built by the C compiler here, and its test run.

What surprises: the numbers of C and of the compiled programs here agree to the last
bits, because both follow one scalar program, roundings included.

Run it: python examples/14_c_package.py
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import polhode as ph

# %% A cart that a motor pushes, with a load on a rope.

cart = ph.Body("cart", ph.solids.box(mass=3.0, x=1.0, y=0.5, z=0.2))
load = ph.Body("load", ph.solids.sphere(mass=ph.Parameter("load", 1.5), radius=0.2))
track = ph.Prismatic("track", ph.World().origin, cart.origin, axis=ph.X)
rope = ph.Revolute("rope", cart.origin, load.point(0, 0, 1.2), axis=ph.Y)
actions = [ph.Motor(track, 0.0, name="push"), ph.Weight(9.81)]
crane = ph.System([track, rope], actions, name="crane")

# %% Its library: a header, a source, CMake and a test.

folder, name = ph.to_c_package(
    crane.state(rope=0.3), Path(tempfile.mkdtemp()) / "crane", inputs=["push"]
)
print(*sorted(file.name for file in folder.iterdir()))

# %% Build it and run its test.

if compiler := shutil.which("cc"):
    texts = [folder / "crane.c", folder / "test_crane.c"]
    command = [compiler, "-std=c99", "-O2", "-ffp-contract=off", *texts, "-lm"]
    subprocess.run([*command, "-o", folder / "test"], check=True)
    print(subprocess.run([folder / "test"], capture_output=True, text=True).stdout)
