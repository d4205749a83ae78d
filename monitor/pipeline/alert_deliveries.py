"""What became of the messages that told of alerts, alert by alert."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from monitor.domain.alert import Digest, StoredAlert
from monitor.pipeline.notifying import run_digests
from monitor.pipeline.outboxes import Told, told_digest
from monitor.store import Connection, deliveries
from monitor.store.codec import decode
from monitor.store.deliveries import Delivery


def alert_deliveries(
    connection: Connection, found: Sequence[StoredAlert]
) -> Mapping[int, tuple[Told, ...]]:
    """Alert -> the messages that told of it, oldest first; none where no channel wanted it."""
    every: dict[tuple[str, str], list[Delivery]] = {}
    for message in _of_digests(connection, found):
        told = told_digest(message)
        every.setdefault((told.run, told.engine), []).append(message)
    return {
        one.id: tuple(
            told_digest(message)
            for message in every.get((one.alert.after, one.alert.engine), ())
            if _tells(message, one)
        )
        for one in found
    }


def alert_digest(connection: Connection, one: StoredAlert) -> Digest | None:
    """The message that told of an alert as it was made; None where there was none."""
    every = _of_digests(connection, [one])
    body = next((message.message.body for message in every if _tells(message, one)), None)
    return None if body is None else decode(Digest, body["digest"])


def _of_digests(connection: Connection, found: Sequence[StoredAlert]) -> tuple[Delivery, ...]:
    """Messages about the runs and engines of alerts."""
    asked = dict.fromkeys(run_digests(one.alert.after, one.alert.engine) for one in found)
    parts = _batched(asked, _AT_ONCE)
    return tuple(one for part in parts for one in deliveries.load_of(connection, *part))


_AT_ONCE = 200
"""Prefixes of one query."""


def _batched(names: Iterable[str], many: int) -> Iterator[tuple[str, ...]]:
    """Names in groups of so many."""
    rest = iter(names)
    while part := tuple(islice(rest, many)):
        yield part


def _tells(message: Delivery, one: StoredAlert) -> bool:
    """Whether an alert is among those that a message tells."""
    digest: Mapping[str, Any] = message.message.body.get("digest", {})
    wanted = (one.alert.kind.value, one.alert.entity, one.alert.direction.value)
    return (digest.get("run"), digest.get("engine")) == (one.alert.after, one.alert.engine) and any(
        (told.get("kind"), told.get("entity"), told.get("direction")) == wanted
        for told in digest.get("alerts", ())
    )
