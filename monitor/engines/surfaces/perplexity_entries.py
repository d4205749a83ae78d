"""Messages of a Perplexity stream or thread, folded into what they say of each answer.

A message has single fields and `blocks`. A block is whole, or a list of changes of the block that
was sent before under the same `intended_usage`. The last message of a finished stream repeats
everything; only streams that broke off depend on the changes.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from monitor.engines.shapes.payload import decode, mapping_at
from monitor.engines.surfaces.perplexity_patches import patched
from monitor.errors import PayloadError

_GAP = re.compile(r"\n{2,}")


@dataclass(slots=True)
class Entry:
    """All that was said of one answer, the latest word for each field."""

    fields: dict[str, Any] = field(default_factory=dict)
    blocks: dict[str, dict[str, Any]] = field(default_factory=dict)
    """`intended_usage` -> name of the block -> the block."""
    misfits: int = 0
    """Changes that fitted nowhere."""

    def block(self, usage: str, name: str) -> Mapping[str, Any]:
        """A block's fields; empty where it is absent."""
        found = self.blocks.get(usage, {}).get(name)
        return found if isinstance(found, Mapping) else {}

    def has(self, usage: str) -> bool:
        """Whether a block was sent, empty or not."""
        return any(block is not None for block in self.blocks.get(usage, {}).values())

    def take(self, message: Mapping[str, Any]) -> None:
        """Add what a message says."""
        self.fields.update({key: value for key, value in message.items() if key != "blocks"})
        blocks = message.get("blocks")
        for block in blocks if isinstance(blocks, list) else ():
            if isinstance(block, Mapping) and isinstance(block.get("intended_usage"), str):
                self._take_block(block["intended_usage"], block)

    def _take_block(self, usage: str, block: Mapping[str, Any]) -> None:
        known = self.blocks.setdefault(usage, {})
        change = block.get("diff_block")
        whole = {key: value for key, value in block.items() if key.endswith("_block")}
        whole.pop("diff_block", None)
        known.update(whole)
        if not isinstance(change, Mapping) or not isinstance(change.get("field"), str):
            return
        patches = change.get("patches")
        for patch in patches if isinstance(patches, list) else ():
            known[change["field"]], fitted = patched(known.get(change["field"]), patch)
            self.misfits += not fitted


def read_messages(engine: str, body: bytes) -> tuple[tuple[Mapping[str, Any], ...], bool]:
    """Messages of an event stream, and whether it broke off within one.

    Line ends are CRLF or LF; comments and fields but `data` say nothing. Broken JSON is the end of
    a cut stream where nothing follows, else PayloadError.
    """
    text = decode(engine, body).replace("\r\n", "\n").replace("\r", "\n")
    blocks = _GAP.split(text.strip("\n"))
    messages: list[Mapping[str, Any]] = []
    for number, block in enumerate(blocks):
        lines = (line.partition(":") for line in block.split("\n"))
        said = "\n".join(value.removeprefix(" ") for key, _, value in lines if key == "data")
        if not said.strip() or said.strip() == "[DONE]":
            continue
        try:
            message = json.loads(said)
        except (ValueError, RecursionError) as error:
            if number == len(blocks) - 1 and not isinstance(error, RecursionError):
                return tuple(messages), True
            raise PayloadError(engine, f"event {number}", f"broken data {said[:60]!r}") from error
        messages.append(mapping_at(engine, message, f"event {number}"))
    return tuple(messages), False


def fold(messages: Iterable[Mapping[str, Any]]) -> tuple[Entry, ...]:
    """One entry per answer (`backend_uuid`), in order of first word; ends of streams are none."""
    entries: dict[str, Entry] = {}
    latest = ""
    for message in messages:
        if not message:
            continue
        name = message.get("backend_uuid")
        latest = name if isinstance(name, str) and name else latest
        entries.setdefault(latest, Entry()).take(message)
    return tuple(entries.values())
