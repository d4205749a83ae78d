"""Tables of simulations, as Markdown."""

from collections.abc import Iterable, Sequence


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """A title, a table, and an empty line."""
    lines = [head, ["---"] * len(head), *rows]
    return (title, "", *("| " + " | ".join(line) + " |" for line in lines), "")
