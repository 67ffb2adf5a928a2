"""A run that is killed, and goes on where it was: files of motions.

A second process runs a double pendulum into a netCDF file and is killed in the middle.
The file is readable all the same, and `ph.resume` goes on from its last complete part.

What surprises: the motion that was killed and resumed has the bits of one that was left
alone, and the file holds its model as text: nothing has to be given again.

Run it: python examples/07_file_and_resume.py
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import polhode as ph

PATH = Path("out/07_swing.nc")
UNTIL = 5000.0  # s, a million steps


def run(**options) -> ph.results.Trajectory:
    """The run, from the start that the gallery gives; a row is kept every second."""
    start = ph.models.start("double_pendulum")
    return ph.simulate(start.system, start, until=UNTIL, samples=5001, **options)


def kill_at_half(progress) -> None:
    """End this process at once, as a power cut would: nothing is closed or flushed."""
    if progress.share > 0.5:
        os._exit(9)


# %% In the second process: run to the file, and die on the way.

if sys.argv[1:] == ["killed"]:
    run(to=PATH, watch=kill_at_half)

# %% In the first one: start it, look at what it left, go on, and compare.

PATH.parent.mkdir(exist_ok=True)
PATH.unlink(missing_ok=True)
done = subprocess.run([sys.executable, __file__, "killed"], check=False)
left = ph.load_motion(PATH)
print(f"killed with status {done.returncode}; {left}")
resumed = ph.resume(PATH)
print(f"resumed: {resumed}")
whole = run()
same = np.array_equal(resumed.t, whole.t) and np.array_equal(resumed.q, whole.q)
print(f"the same bits as a run that was left alone: {same}")
