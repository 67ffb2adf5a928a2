"""A run to a file, in a process of its own that a test may kill.

    python killed_run.py begin|resume FILE ROWS_WRITTEN UNTIL SAMPLES

After every part that is in the file, the number of its rows goes to ROWS_WRITTEN.
"""

from __future__ import annotations

import os
import sys

import polhode as ph
from moving import double_pendulum
from polhode.integrate.storage import appender, recorder


def acknowledge(place: str) -> None:
    """Tell after each part how many rows the file has."""
    put = appender.Appender.put
    file = os.open(place, os.O_WRONLY | os.O_CREAT)

    def telling(self, *part):
        put(self, *part)
        os.pwrite(file, b"%020d" % self.chain.rows, 0)

    appender.Appender.put = telling
    recorder.SECONDS = 0.005


def main(verb: str, path: str, place: str, until: str, samples: str) -> None:
    """Begin the run, or go on with it."""
    acknowledge(place)
    system = double_pendulum()
    if verb == "resume":
        ph.resume(path, system)
        return
    times = int(samples) or None
    start = system.state(shoulder=1.0, elbow=0.5)
    ph.simulate(system, start, until=float(until), samples=times, to=path)


if __name__ == "__main__":
    main(*sys.argv[1:])
