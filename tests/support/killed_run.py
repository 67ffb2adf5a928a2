"""A run to a file, in a process of its own that a test may kill.

    python killed_run.py begin|resume FILE ROWS_WRITTEN UNTIL SAMPLES [DELAY]

After every part that is in the file, the number of its rows goes to ROWS_WRITTEN. With
a DELAY it kills itself, as kill -9 does, so many seconds after the first part: another
process might be told too late on a busy machine, when the run is over.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

import polhode as ph
from moving import double_pendulum
from polhode.integrate.storage import appender, recorder


def acknowledge(place: str, delay: float | None) -> None:
    """Tell after each part how many rows the file has; after the first, set the end."""
    put = appender.Appender.put
    file = os.open(place, os.O_WRONLY | os.O_CREAT)
    end = threading.Timer(delay or 0.0, os.kill, (os.getpid(), signal.SIGKILL))

    def telling(self, *part):
        put(self, *part)
        os.pwrite(file, b"%020d" % self.chain.rows, 0)
        if delay is not None and not end.is_alive():
            end.start()

    appender.Appender.put = telling
    recorder.SECONDS = 0.005


def main(
    verb: str, path: str, place: str, until: str, samples: str, *delay: str
) -> None:
    """Begin the run, or go on with it."""
    acknowledge(place, float(delay[0]) if delay else None)
    system = double_pendulum()
    if verb == "resume":
        ph.resume(path, system)
        return
    times = int(samples) or None
    start = system.state(shoulder=1.0, elbow=0.5)
    ph.simulate(system, start, until=float(until), samples=times, to=path)


if __name__ == "__main__":
    main(*sys.argv[1:])
