"""XLA's code kept between runs of the tests, as `build/cache` keeps the compiler's own.

A run of all tests compiles thousands of small functions by JAX. Its cache on disk
writes an entry in place: a process beside it, or one after a kill, would read half of
one, warn, and fail a test. Here an entry is whole or not there. Processes that tests
start do not take part.
"""

from __future__ import annotations

import os
from pathlib import Path


def keep_xla_code(folder: Path) -> None:
    """Let this process keep and find there what XLA compiles, however small."""
    import jax

    try:
        from jax._src.lru_cache import _CACHE_SUFFIX, LRUCache
    except ImportError:  # another JAX keeps its entries otherwise: then none are kept
        return

    def put(cache: LRUCache, key: str, value: bytes) -> None:
        path = Path(cache.path) / f"{key}{_CACHE_SUFFIX}"
        aside = path.with_name(f".{path.name}-{os.getpid()}")
        aside.write_bytes(value)
        os.replace(aside, path)

    LRUCache.put = put
    folder.mkdir(parents=True, exist_ok=True)
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
