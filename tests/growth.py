"""How many more steps a reader takes for a document that is eight times as long.

Steps are lines of Python that are run: they are the same on every machine, however busy. What grows
with its length takes at most 8 times as many, what grows with its square up to 64 times. Work inside
libraries written in C is not counted; the limit of time on every test bounds that.
"""

import sys
from collections.abc import Callable
from types import FrameType

LONGER = 8
MOST = 12
"""Times as many steps that are still called proportion: a logarithm passes, a square does not."""


def grows_in_proportion(read: Callable[[int], object], size: int) -> bool:
    """Whether reading `8 * size` parts takes less than 12 times the steps of reading `size`.

    `read` makes a document of so many parts and reads it; what a first reading loads is not
    counted.
    """
    read(size)
    return steps(read, LONGER * size) < MOST * steps(read, size)


def steps(read: Callable[[int], object], size: int) -> int:
    """Lines that a call runs, in all that it calls."""
    count = 0

    def trace(_frame: FrameType, event: str, _value: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        read(size)
    finally:
        sys.settrace(before)
    return count
