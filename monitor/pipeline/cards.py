"""Answer cards: a stored API answer drawn on demand, and kept only where somebody asks for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256 as digest
from pathlib import Path
from typing import Any

from monitor.capture.card import LABEL, WIDTH, Card, CardSource, draw_card
from monitor.domain.engine import Access, Citation
from monitor.domain.screenshot import Screenshot, ScreenshotKind
from monitor.engines import ENGINES
from monitor.errors import MonitorError
from monitor.pipeline.bench import Bench
from monitor.pipeline.exporting import write_bytes
from monitor.store import captures, citations
from monitor.store.screenshots import save_screenshot

_ENDINGS = (".jpg", ".jpeg")
_OTHER: Mapping[Access, str] = {
    Access.BROWSER: (
        "was captured through a browser, so there are pictures of what was shown: "
        "`monitor report` has them"
    ),
    Access.IMPORT: (
        "was handed in by a person, so no API sent it: what was handed in is in `monitor report`"
    ),
}


@dataclass(frozen=True, slots=True)
class WrittenCard:
    """A card that was drawn, and where it is."""

    card: Card
    path: Path
    sha256: str
    size: tuple[int, int]
    kept_as: str | None
    """Name under which it is kept beside the capture; None where it is not."""


def write_card(
    bench: Bench, capture_id: int, *, out: Path | None = None, keep: str | None = None
) -> WrittenCard:
    """Draw the card of a stored API capture into a file.

    MonitorError where there is no API answer to draw or the file is no JPEG's; BrowserError where
    there is no Chromium.
    """
    path = out or Path(bench.settings.reports) / f"card-{capture_id}.jpg"
    if path.suffix.lower() not in _ENDINGS:
        raise MonitorError(f"{path}: a card is a JPEG; name a file that ends in .jpg")
    card = card_of(bench, capture_id)
    drawn = draw_card(card, executable=bench.settings.browser.executable)
    write_bytes(path, drawn.jpeg)
    sha256 = bench.artifacts.put(drawn.jpeg) if keep else digest(drawn.jpeg).hexdigest()
    if keep:
        shot = Screenshot(
            kind=ScreenshotKind.CARD,
            sha256=sha256,
            url="about:blank",
            taken_at=bench.clock.now(),
            browser=drawn.browser,
            viewport=(WIDTH, drawn.size[1]),
            size=drawn.size,
            locale=card.locale,
            name=keep,
            altered=LABEL,
        )
        bench.write(lambda connection: save_screenshot(connection, capture_id, shot))
    return WrittenCard(card, path, sha256, drawn.size, keep)


def card_of(bench: Bench, capture_id: int) -> Card:
    """What the card of a capture says; MonitorError where there is no API answer to draw."""
    capture = bench.read(lambda c: captures.load_capture(c, capture_id))
    if capture.access is not Access.API:
        raise MonitorError(
            f"capture {capture_id} {_OTHER[capture.access]}; a card is for answers of an API"
        )
    stored = bench.read(lambda c: citations.load_reading(c, capture_id))
    if stored is None or not stored.reading.text.strip():
        said = "is not stored yet" if stored is None else f"ended as {stored.reading.outcome.value}"
        raise MonitorError(
            f"capture {capture_id} {said}: there is no answer to draw; name an answered capture"
        )
    payloads = bench.read(lambda c: captures.load_payloads(c, capture_id))
    engine = ENGINES.get(capture.engine)
    return Card(
        capture=capture_id,
        engine=engine.label if engine else capture.engine,
        prompt=capture.prompt.text,
        locale=capture.prompt.locale,
        asked_at=capture.asked_at,
        model=stored.reading.served_model or stored.reading.requested_model,
        payload=payloads[-1].sha256,
        text=stored.reading.text,
        sources=tuple(map(_source, stored.reading.citations)),
    )


def card_json(written: WrittenCard) -> dict[str, Any]:
    """A written card for programs."""
    return {
        "capture": written.card.capture,
        "engine": written.card.engine,
        "file": str(written.path),
        "sha256": written.sha256,
        "width": written.size[0],
        "height": written.size[1],
        "sources": len(written.card.sources),
        "kept_as": written.kept_as,
        "label": LABEL,
    }


def _source(cited: Citation) -> CardSource:
    ends = tuple(dict.fromkeys(span.end for span in cited.spans))
    return CardSource(cited.url, cited.title, cited.role.value, ends)
