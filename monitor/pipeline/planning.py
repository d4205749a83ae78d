"""Panel -> plan: which engines are asked, how often, and what it will cost at most."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime

from monitor.config.parts import EnginePart
from monitor.config.settings import Settings, secret
from monitor.domain.engine import Engine, EngineSettings, Surface
from monitor.domain.keys import content_key
from monitor.domain.money import micros_of
from monitor.domain.panel import Panel, Prompt
from monitor.engines import ENGINES
from monitor.engines.prices import CallPrice, call_price
from monitor.errors import ConfigError
from monitor.panels.canaries import canary_prompts
from monitor.pipeline.live_surfaces import acknowledgement_problem, off_reason
from monitor.store import runs


@dataclass(frozen=True, slots=True)
class EstimatedEngine:
    """Calls and price of one engine, as a dry run prints them."""

    engine: str
    captures: int
    max_calls: int
    """Calls if every capture needed all its continuations, retries not counted."""
    micros: int
    price: CallPrice
    """Of one call, and where the figure comes from."""


@dataclass(frozen=True, slots=True)
class SkippedEngine:
    """An engine of the panel that is not asked, and what would change that."""

    engine: str
    reason: str
    estimate: EstimatedEngine | None = None
    """What it would cost with a key; None where something else than a key keeps it out."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run will ask, what it leaves out, and its estimated price."""

    engines: tuple[runs.PlannedEngine, ...]
    skipped: tuple[SkippedEngine, ...]
    estimate: tuple[EstimatedEngine, ...]
    partial: bool = False
    """Whether engines or prompts were left out on purpose: such a run is a trial."""

    @property
    def captures(self) -> int:
        """Captures planned over all engines."""
        return sum(one.captures for one in self.estimate)

    @property
    def micros(self) -> int:
        """Estimated price in millionths of a USD."""
        return sum(one.micros for one in self.estimate)

    @property
    def with_all_keys(self) -> tuple[EstimatedEngine, ...]:
        """The estimate, and that of every engine which lacks nothing but its key."""
        return (*self.estimate, *(one.estimate for one in self.skipped if one.estimate))


def make_plan(
    panel: Panel,
    settings: Settings,
    *,
    only: tuple[str, ...] = (),
    limit: int | None = None,
    no_browser: bool = False,
    on: date | None = None,
) -> Plan:
    """Plan of one run; `limit` keeps the first prompts, `only` some engines, `on` dates prices.

    ConfigError tells every request that cannot be made, before anything is asked.
    """
    planned, skipped, estimate = [], [], []
    partial = False
    for name in panel.engines:
        if only and name not in only:
            partial = True
            continue
        whole, repeats = panel.plan(name)
        prompts = whole[:limit] if limit else whole
        partial = partial or len(prompts) < len(whole)
        price = price_of_call(ENGINES[name], settings, on=on)
        canaries = canary_prompts(settings.locale.canaries, prompts)
        cost = _estimate(ENGINES[name], price, len(prompts) * repeats + len(canaries))
        reason = skip_reason(ENGINES[name], settings, no_browser=no_browser)
        if reason:
            keyless = cost if missing_keys(ENGINES[name]) else None
            skipped.append(SkippedEngine(name, reason, keyless))
            continue
        one = engine_settings(ENGINES[name], settings.engine(name))
        planned.append(
            runs.PlannedEngine(
                engine=name,
                access=ENGINES[name].access,
                settings=one,
                request_key=request_key(one),
                prompts=prompts,
                repeats=repeats,
                canaries=canaries,
            )
        )
        estimate.append(cost)
    refused = [r for p in planned for r in refused_requests(p.engine, p.settings, p.prompts)]
    wrong = [r.message for r in refused] + _unacknowledged(panel, settings, only)
    if wrong:
        raise ConfigError("\n".join(dict.fromkeys(wrong)))
    return Plan(tuple(planned), tuple(skipped), tuple(estimate), partial)


def _unacknowledged(panel: Panel, settings: Settings, only: tuple[str, ...]) -> list[str]:
    """What is wrong with the acknowledgements of the surfaces that a panel asks for."""
    names = [one for one in panel.engines if one in settings.surfaces and one in (only or [one])]
    problems = (acknowledgement_problem(one, settings) for one in names)
    return [one for one in problems if one is not None]


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """A question that an engine module cannot turn into a call, and why."""

    engine: str
    prompt_id: str
    message: str


def refused_requests(
    engine: str, settings: EngineSettings, prompts: Iterable[Prompt]
) -> tuple[RefusedRequest, ...]:
    """Every prompt that cannot be put to an engine under these settings; nothing is sent."""
    refused = []
    for prompt in prompts:
        try:
            ENGINES[engine].request(prompt, settings)
        except ConfigError as error:
            refused.append(RefusedRequest(engine, prompt.id, str(error)))
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            message = f"engine {engine}: an option has a value it cannot use ({error})"
            refused.append(RefusedRequest(engine, prompt.id, message))
    return tuple(refused)


def skip_reason(engine: Engine, settings: Settings, *, no_browser: bool) -> str | None:
    """Why an engine is not asked, with the variable to set; None when it is."""
    if engine.surface is Surface.BROWSER:
        if no_browser:
            return "left out by --no-browser"
        if not settings.browser.enabled:
            return "browser.enabled is false in config.yaml"
        return off_reason(engine.name, settings)
    missing = missing_keys(engine)
    if missing:
        names = " and ".join(missing)
        return f"no key: set {names} (or {missing[0]}_FILE)"
    return None


def missing_keys(engine: Engine) -> tuple[str, ...]:
    """Variables of an engine's keys that hold none; empty for browser surfaces."""
    if engine.auth is None or engine.surface is Surface.BROWSER:
        return ()
    return tuple(v for v in engine.auth.variables if secret(v) is None)


def secrets_of(engine: Engine) -> tuple[str, ...]:
    """Keys of an engine, in the order its calls want them."""
    if engine.auth is None:
        return ()
    return tuple(value for v in engine.auth.variables if (value := secret(v)))


def engine_settings(engine: Engine, part: EnginePart) -> EngineSettings:
    """Settings an engine module reads, defaults filled in."""
    return EngineSettings(
        model=part.model or engine.default_model,
        base_url=part.base_url,
        country=part.country,
        options=part.options,
    )


def request_key(settings: EngineSettings) -> str:
    """Hash of the engine options; the model and the address are not part of it."""
    return content_key({"country": settings.country, "options": dict(settings.options)}, 12)


def price_of_call(engine: Engine, settings: Settings, *, on: date | None = None) -> CallPrice:
    """Estimated price of one call on a day, today unless it is named."""
    part = settings.engine(engine.name)
    return call_price(engine, part.model, on or datetime.now(UTC).date(), part.call_micros)


def run_caps(settings: Settings) -> runs.Caps:
    """Caps on what one run may take, unless it is given its own."""
    return runs.Caps(calls=settings.budget.calls, micros=micros_of(settings.budget.usd))


def month_caps(settings: Settings) -> runs.Caps:
    """Caps on what all runs of a calendar month may take together."""
    usd = settings.budget.month_usd
    micros = None if usd is None else micros_of(usd)
    return runs.Caps(calls=settings.budget.month_calls, micros=micros)


def _estimate(engine: Engine, price: CallPrice, captures: int) -> EstimatedEngine:
    """Estimate of one engine for a number of captures."""
    return EstimatedEngine(
        engine=engine.name,
        captures=captures,
        max_calls=captures * engine.max_calls,
        micros=captures * price.micros,
        price=price,
    )
