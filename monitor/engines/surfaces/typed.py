"""What a person typed off a page or a picture of it, contract `handed-in-1`.

One canonical JSON object (sorted keys, ASCII):

    contract   "handed-in-1"
    surface    engine name, such as chatgpt_web
    prompt     the text that was asked
    text       the answer as it was copied, or null where nobody handed it in
    urls       addresses that the page shows as sources of the answer, in its order
    picture    sha256 of the picture they were read from, or null

Each address is a displayed citation, for the person says so; no mark of it is known, so it is tied
to no statement. Without text the answer is known to exist and to cite, not what it says: sources
are measured, claims are not assessable.
"""

from collections.abc import Sequence

from monitor.domain.engine import Citation, Outcome, Reading, Role
from monitor.domain.keys import canonical_json
from monitor.engines.shapes.payload import list_at, optional_string, string_at
from monitor.engines.surfaces.live import read_record

CONTRACT = "handed-in-1"


def typed_payload(
    surface: str,
    prompt: str,
    *,
    text: str | None,
    urls: Sequence[str],
    picture: str | None,
) -> bytes:
    """The record of what a person typed."""
    return canonical_json(
        {
            "contract": CONTRACT,
            "surface": surface,
            "prompt": prompt,
            "text": text,
            "urls": list(urls),
            "picture": picture,
        }
    )


def is_typed(body: bytes) -> bool:
    """Whether bytes look like such a record."""
    return body[:1] == b"{" and b'"contract":"handed-in-' in body[:64]


def read_typed(engine: str, body: bytes) -> Reading:
    """The reading of such a record; PayloadError where a field is missing or strange."""
    payload = read_record(engine, body, CONTRACT)
    text = (optional_string(payload.get("text")) or "").strip()
    rows = list_at(engine, payload.get("urls") or [], "$.urls")
    urls = [string_at(engine, one, f"$.urls[{number}]") for number, one in enumerate(rows)]
    return Reading(
        Outcome.ANSWERED,
        text=text,
        citations=tuple(
            Citation(url, None, Role.DISPLAYED, marks=1) for url in dict.fromkeys(urls)
        ),
        hidden_citations=None,
        without_text=not text,
        warnings=() if text else ("no text of the answer was handed in",),
    )
