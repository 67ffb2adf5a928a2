"""A process for each GPU of a machine: the workers of a sweep by `executor="gpus"`.

CUDA serves one device a process best. A worker takes a number from a queue when it
starts, before CuPy is imported, and sees that device alone.
"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from polhode.lowering.backends.cuda.device import current_device

if TYPE_CHECKING:
    from collections.abc import Iterator

WORD = "gpus"
VISIBLE = "CUDA_VISIBLE_DEVICES"


def device_names(count: int, visible: str | None) -> list[str]:
    """What CUDA calls the devices that this process sees, for its children."""
    own = [name.strip() for name in (visible or "").split(",") if name.strip()]
    return own[:count] if own else [str(k) for k in range(count)]


def take_device(queue: Any) -> None:
    """See one device alone from here on: what a worker does first."""
    os.environ[VISIBLE] = queue.get()


@contextmanager
def executor_of(given: Any) -> Iterator[Any]:
    """An executor as it is; for "gpus" one with a process a device, ended with it."""
    if given != WORD:
        yield given
        return
    device = current_device()
    count = device.cupy.cuda.runtime.getDeviceCount()
    context = get_context("spawn")
    queue = context.Queue()
    for name in device_names(count, os.environ.get(VISIBLE)):
        queue.put(name)
    with ProcessPoolExecutor(
        count, context, initializer=take_device, initargs=(queue,)
    ) as pool:
        yield pool
