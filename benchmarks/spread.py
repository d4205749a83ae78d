"""Work over many settings in two processes; each setting draws from a seed of its own."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

Setting = TypeVar("Setting")
Found = TypeVar("Found")
PROCESSES = 2
_THREADS = ("OPENBLAS", "OMP", "MKL", "VECLIB_MAXIMUM", "BLIS")


def spread(work: Callable[[Setting], Found], settings: Sequence[Setting]) -> list[Found]:
    """What `work` finds in every setting, in their order; products use one thread a process."""
    os.environ.update({f"{name}_NUM_THREADS": "1" for name in _THREADS})
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        return list(pool.map(work, settings))
