"""How much longer a reader takes for a document that is eight times as long.

The processor's time of this process is compared with itself, so that a busy machine changes little:
what grows with its length takes about 8 times as long, what grows with its square about 64 times.
"""

import time
from collections.abc import Callable

LONGER = 8
MOST = 24
"""Between the two, by factors: 8 times 3, and 64 by less than 3."""


def grows_in_proportion(read: Callable[[int], object], size: int) -> bool:
    """Whether reading `8 * size` parts takes less than 24 times as long as reading `size`.

    `read` makes a document of so many parts and reads it; what a first reading loads is not
    counted. A slow moment of the long reading gets a second chance.
    """
    read(size)
    short = min(_seconds(read, size) for _ in range(3))
    return any(_seconds(read, LONGER * size) < MOST * short for _ in range(2))


def _seconds(read: Callable[[int], object], size: int) -> float:
    begun = time.process_time()
    read(size)
    return time.process_time() - begun
