"""Panels and prompts: what is asked, fixed and versioned."""

from dataclasses import dataclass
from enum import StrEnum

from monitor.domain.keys import content_key


class Risk(StrEnum):
    """Topic risk class; `ymyl` is your-money-or-your-life."""

    YMYL = "ymyl"
    STANDARD = "standard"


class Recall(StrEnum):
    """The recall that leads for a prompt; all are computed."""

    REQUIRED_SOURCE = "required_source"
    CLAIM_EVIDENCE = "claim_evidence"
    BOUNDED = "bounded"


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question in a panel, exactly as it is asked."""

    id: str
    text: str
    locale: str
    """BCP 47, for example en-GB."""
    persona: str | None = None
    intent: str | None = None
    topic: str | None = None
    risk: Risk = Risk.STANDARD
    freshness_matters: bool = False
    recall: Recall = Recall.CLAIM_EVIDENCE

    @property
    def version_key(self) -> str:
        """Hash of text, locale and persona: an edited prompt is another prompt version."""
        return content_key([self.text, self.locale, self.persona], 16)

    @property
    def country(self) -> str | None:
        """Region of the locale, ISO 3166 alpha-2, or None."""
        parts = self.locale.split("-")
        return next((p.upper() for p in parts[1:] if len(p) == 2 and p.isalpha()), None)

    @property
    def language(self) -> str:
        """Language of the locale, for example `en`."""
        return self.locale.split("-")[0].lower()


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a panel runs: five cron fields and a time zone."""

    cron: str
    timezone: str


@dataclass(frozen=True, slots=True)
class EnginePlan:
    """A narrower plan for one engine: only some prompts, another number of repeats."""

    engine: str
    prompts: tuple[str, ...] | None = None
    """Prompt ids; None means all."""
    repeats: int | None = None


@dataclass(frozen=True, slots=True)
class Panel:
    """A fixed, versioned set of prompts and the engines they are put to."""

    name: str
    version: int
    repeats: int
    locale: str
    engines: tuple[str, ...]
    prompts: tuple[Prompt, ...]
    schedule: Schedule | None = None
    client_domains: tuple[str, ...] = ()
    watch: tuple[str, ...] = ()
    """Source families whose changes the client wants to hear of."""
    engine_plans: tuple[EnginePlan, ...] = ()

    @property
    def content_key(self) -> str:
        """Hash of everything that makes the panel; same version with another key is an error."""
        return content_key(
            [
                self.name,
                self.version,
                self.repeats,
                self.locale,
                list(self.engines),
                [
                    [p.id, p.text, p.locale, p.persona, p.intent, p.topic, p.risk,
                     p.freshness_matters, p.recall]
                    for p in self.prompts
                ],
                list(self.client_domains),
                list(self.watch),
                [[e.engine, list(e.prompts or ()), e.repeats] for e in self.engine_plans],
            ]
        )  # fmt: skip

    def prompt(self, prompt_id: str) -> Prompt | None:
        """Prompt of that id, or None."""
        return next((p for p in self.prompts if p.id == prompt_id), None)

    def plan(self, engine: str) -> tuple[tuple[Prompt, ...], int]:
        """Prompts and number of repeats for one engine."""
        own = next((e for e in self.engine_plans if e.engine == engine), None)
        if own is None:
            return self.prompts, self.repeats
        chosen = self.prompts
        if own.prompts is not None:
            chosen = tuple(p for p in self.prompts if p.id in own.prompts)
        return chosen, own.repeats or self.repeats


@dataclass(frozen=True, slots=True)
class PanelOutline:
    """What a panel's file says about itself, as far as a file with mistakes can be read."""

    name: str | None
    client_domains: tuple[str, ...]
    prompt_ids: tuple[str, ...]
