"""Bodies off the wire: gzip or as is, never more than a cap of bytes in memory."""

import re
import zlib

from monitor.domain.page import FetchStatus
from monitor.errors import PageError

_GZIP = 31
_SPARE_BYTES = 65_536
"""Raw bytes allowed beyond the cap: gzip of what does not compress is a little larger."""


class FetchStoppedError(PageError):
    """A fetch ended without a page; `retry` says whether one more try may help."""

    def __init__(self, status: FetchStatus, detail: str, *, retry: bool = False) -> None:
        """Keep what became of the fetch, in a status and in words."""
        super().__init__(detail)
        self.status = status
        self.retry = retry


def content_coding(header: str | None) -> str:
    """`gzip` or `identity`; FetchStoppedError for any other or stacked coding."""
    codings = [part for part in re.split(r"[\s,]+", (header or "").lower()) if part != "identity"]
    codings = [part.removeprefix("x-") for part in codings if part]
    if not codings:
        return "identity"
    if codings == ["gzip"]:
        return "gzip"
    raise FetchStoppedError(
        FetchStatus.UNSUPPORTED_ENCODING,
        f"Content-Encoding {header!r}; expected gzip or identity",
    )


class BodyReader:
    """Collects one body under a cap; a bomb is stopped before it unfolds."""

    def __init__(self, coding: str, cap: int) -> None:
        """Take the content coding and the most decoded bytes to hold."""
        self._cap = cap
        self._body = bytearray()
        self._raw = 0
        self._members = 0
        self._inflate = zlib.decompressobj(_GZIP) if coding == "gzip" else None

    def feed(self, chunk: bytes) -> None:
        """Add raw bytes; FetchStoppedError once the body passes the cap or is no gzip."""
        self._raw += len(chunk)
        if self._raw > self._cap + _SPARE_BYTES:
            raise self._too_large()
        if self._inflate is None:
            self._body += chunk
        else:
            self._unfold(chunk)
        if len(self._body) > self._cap:
            raise self._too_large()

    def _unfold(self, chunk: bytes) -> None:
        while chunk and self._inflate is not None:
            if self._inflate.eof:  # a further gzip member, or padding that browsers ignore
                if not chunk.startswith(b"\x1f\x8b"):
                    return
                self._inflate = zlib.decompressobj(_GZIP)
                self._members += 1
            room = self._cap + 1 - len(self._body)
            try:
                self._body += self._inflate.decompress(chunk, room)
            except zlib.error as error:
                raise self._broken(error) from error
            if len(self._body) > self._cap:
                raise self._too_large()
            chunk = self._inflate.unused_data

    def _broken(self, error: zlib.error) -> FetchStoppedError:
        if not self._body and not self._members:
            detail = f"said gzip, sent something else ({error})"
            return FetchStoppedError(FetchStatus.UNSUPPORTED_ENCODING, detail)
        return FetchStoppedError(FetchStatus.INCOMPLETE, f"broken gzip ({error})", retry=True)

    def _too_large(self) -> FetchStoppedError:
        return FetchStoppedError(FetchStatus.TOO_LARGE, f"more than {self._cap} bytes")

    def finish(self) -> bytes:
        """The whole body; FetchStoppedError where gzip ended early."""
        if self._inflate is not None and self._raw and not self._inflate.eof:
            detail = f"gzip ended early after {self._raw} raw bytes"
            raise FetchStoppedError(FetchStatus.INCOMPLETE, detail, retry=True)
        return bytes(self._body)

    def so_far(self) -> bytes:
        """What has been read, complete or not; for robots.txt and block pages only."""
        return bytes(self._body)
