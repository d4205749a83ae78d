"""Sections for what people see: live capture of surfaces, canaries of the locale, proofs."""

from datetime import date
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field, model_validator

from monitor.config.parts import Part, base_address

Canary = Literal["emergency_number", "currency"]


def _time_zone(value: str | None) -> str | None:
    """Name of a time zone that is known."""
    if value is not None:
        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError):
            raise ValueError("expected a time zone such as 'Europe/London'") from None
    return value


class AcknowledgementPart(Part):
    """That somebody read the terms of a surface and answers for capturing it."""

    terms: Annotated[str, AfterValidator(base_address)]
    """Address of the terms that were read; `monitor surfaces` names it for each surface."""
    read_on: date
    """Day on which they were read."""
    by: str = Field(min_length=1)
    """Who read them."""


class PlacePart(Part):
    """Where the browser says it is; that does not change its IP address."""

    latitude: float = Field(ge=-90, le=90)
    """Degrees north."""
    longitude: float = Field(ge=-180, le=180)
    """Degrees east."""


class SurfacePart(Part):
    """How one surface is captured live; off until its terms are acknowledged."""

    acknowledgement: AcknowledgementPart | None = None
    """Without it the surface is left out of plans."""
    session: Literal["profile", "attached", "anonymous"] = "profile"
    """A folder of a profile of its own, a browser you started (CDP), or a fresh one each time."""
    profile: str | None = None
    """Folder of a profile that serves this surface alone; None is data/profiles/NAME."""
    cdp: Annotated[str | None, AfterValidator(base_address)] = None
    """Address of your own browser's debugging port, such as http://127.0.0.1:9222."""
    headed: bool = True
    """A window you can see; logins are by hand."""
    spacing_seconds: float = Field(default=20, ge=20, le=3600)
    """Least time between two captures; up to half of it more is added by chance."""
    daily_cap: int = Field(default=50, ge=1, le=1000)
    """Most captures in a day (UTC)."""
    timezone: Annotated[str | None, AfterValidator(_time_zone)] = None
    """Time zone the page sees, such as Europe/London; None is that of the machine."""
    place: PlacePart | None = None
    """Where the page is told it is; None is not told."""
    egress_country: str | None = Field(default=None, pattern="^[A-Z]{2}$")
    """Country of the IP address, if somebody measured it; None is unknown."""
    keep_mhtml: bool = False
    """Keep the whole page as MHTML too."""

    @model_validator(mode="after")
    def _session_has_its_place(self) -> "SurfacePart":
        if self.session == "attached" and self.cdp is None:
            raise ValueError("session `attached` needs `cdp`, the address of your browser")
        return self


class LocalePart(Part):
    """Whether locales are confirmed by prompts whose answer depends on the country."""

    canaries: tuple[Canary, ...] = ()
    """Asked once per engine and locale in each run, and paid for; none confirms nothing."""


class EvidencePart(Part):
    """What is added to the manifest of hashes that every capture has."""

    signing_key_file: str | None = None
    """PEM file of an Ed25519 private key; None signs nothing."""
    timestamp_url: Annotated[str | None, AfterValidator(base_address)] = None
    """Address of an RFC 3161 time stamp service; None asks nobody."""
    timestamp_certificates_file: str | None = None
    """PEM file of the certificates that the service's tokens are checked against."""
