"""Pages of a long list: where one stands in it, and where its neighbours are."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pager:
    """One page of a list among its others."""

    page: int
    pages: int
    """Number of the last one, 1 for an empty list."""
    total: int
    """Rows of the whole list."""
    first: int
    """Place of this page's first row, from 1; 0 where there is none."""
    last: int
    earlier: str | None
    """Address of the page before."""
    later: str | None


def pages_of(total: int, size: int) -> int:
    """Pages that so many rows take; an empty list has one."""
    return max(1, -(-total // size))


def pager_of(page: int, size: int, total: int, address: Callable[[int], str]) -> Pager:
    """The pager of a page that is there; `address` is that of any other page."""
    pages = pages_of(total, size)
    return Pager(
        page=page,
        pages=pages,
        total=total,
        first=(page - 1) * size + 1 if total else 0,
        last=min(page * size, total),
        earlier=address(page - 1) if page > 1 else None,
        later=address(page + 1) if page < pages else None,
    )
