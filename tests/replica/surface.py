"""The replica as a surface: its selectors, and how its answers are read."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from monitor.domain.turn import Document, Turn
from monitor.engines.surfaces import chat_page
from monitor.engines.surfaces.chat_page import Chat
from monitor.engines.surfaces.chat_turns import chat_turns
from monitor.engines.surfaces.selectors import Selectors, load_selectors, read_selectors
from tests.replica.server import SELECTORS_FILE

NAME = "replica"
CHAT = Chat(NAME, own=("replica.example",), names=("data-turn-id",))


def replica_selectors() -> Selectors:
    """Where things stand on the replica's page."""
    return read_selectors(NAME, SELECTORS_FILE.read_text("utf-8"))


def replica_turns(document: Document) -> tuple[Turn, ...]:
    """Answers of a page of the replica; only inside `known_replica`."""
    return chat_turns(CHAT, document)


@contextmanager
def known_replica() -> Iterator[None]:
    """Let readers of pages find the replica's selectors, which the package does not have."""
    own = replica_selectors()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            chat_page,
            "load_selectors",
            lambda surface: own if surface == NAME else load_selectors(surface),
        )
        yield
