"""Pages of a long list: which rows one shows, and where the others are."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pager:
    """One page among those of a list."""

    page: int
    pages: int
    total: int
    first: int
    """Number of its first row, from 1; 0 where there is none."""
    last: int
    earlier: str | None
    later: str | None


def pager(page: int, total: int, *, each: int, address: Callable[[int], str]) -> Pager:
    """A page of `each` rows of `total`; `address` spells that of another page."""
    pages = max(1, -(-total // each))
    return Pager(
        page=page,
        pages=pages,
        total=total,
        first=min(total, (page - 1) * each + 1),
        last=min(total, page * each),
        earlier=address(page - 1) if page > 1 else None,
        later=address(page + 1) if page < pages else None,
    )
