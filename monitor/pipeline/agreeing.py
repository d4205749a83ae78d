"""What settings say against what the program has: engines, judges, families, and every request."""

from collections.abc import Collection, Iterator, Mapping
from functools import partial

from monitor.config.pings import alive_ping_url, ping_url
from monitor.config.settings import Settings
from monitor.config.words import nearest
from monitor.config.yaml import Document, Place, Problem
from monitor.domain.panel import Panel
from monitor.engines import ENGINES
from monitor.errors import ConfigError, MonitorError
from monitor.pipeline.judge_choice import chosen_judge
from monitor.pipeline.live_surfaces import surface_problems
from monitor.pipeline.planning import RefusedRequest, engine_settings, refused_requests
from monitor.pipeline.sending import alerts_problems
from monitor.urls import family_map

_TOLD = 3
"""So many prompts are named for one complaint; the rest is counted."""


def check_words(settings: Settings, document: Document) -> list[Problem]:
    """Names in sound settings that nothing answers to."""
    problems = [
        _problem(document, ("engines", name), f"unknown engine {name!r}{nearest(name, ENGINES)}")
        for name in settings.engines
        if name not in ENGINES
    ]
    try:
        chosen_judge(settings)
    except MonitorError as error:
        problems.append(_problem(document, ("judge", "name"), str(error)))
    return [
        *problems,
        *(_problem(document, place, said) for place, said in surface_problems(settings)),
        *_families(settings, document),
        *_pings(settings, document),
        *_channels(settings, document),
    ]


def unpinged(settings: Settings, panels: Collection[str], document: Document) -> list[Problem]:
    """Panels with a ping URL of their own that no file has: a switch that nobody would ask."""
    return [
        document.problem(
            ("health", "panel_ping_urls", name),
            f"no panel is called {name!r}{nearest(name, panels)}; its ping URL is never asked",
            warning=True,
        )
        for name in settings.health.panel_ping_urls
        if name not in panels
    ]


def unheard(settings: Settings, panels: Collection[str], document: Document) -> list[Problem]:
    """Panels that a channel is to be told of and no file has: nothing would be told there."""
    return [
        document.problem(
            ("alerts", "channels", channel, "panels"),
            f"alerts.channels.{channel}: no panel is called {name!r}{nearest(name, panels)}",
            warning=True,
        )
        for channel, part in settings.alerts.channels.items()
        for name in part.panels
        if name not in panels
    ]


def _channels(settings: Settings, document: Document) -> Iterator[Problem]:
    """Channels that could not send anything, and engines that no channel will ever hear of."""
    place = ("alerts", "channels")
    for channel, why in alerts_problems(settings.alerts).items():
        said = why if why.startswith("alerts.") else f"alerts.channels.{channel}: {why}"
        yield _problem(document, (*place, channel), said)
    for channel, part in settings.alerts.channels.items():
        for name in part.engines:
            if name not in ENGINES:
                said = f"alerts.channels.{channel}: unknown engine {name!r}{nearest(name, ENGINES)}"
                yield document.problem((*place, channel, "engines"), said, warning=True)


def _pings(settings: Settings, document: Document) -> Iterator[Problem]:
    """Files of ping URLs that cannot be used: nobody would hear that a run failed."""
    part = settings.health
    for key, read in (
        ("ping_url_file", partial(ping_url, part, "")),
        ("alive_ping_url_file", partial(alive_ping_url, part)),
    ):
        try:
            read()
        except ConfigError as error:
            yield _problem(document, ("health", key), str(error))


def sound_families(settings: Settings) -> Mapping[str, str | Mapping[str, str]]:
    """The overrides that can be used; what is wrong with the others `check_words` tells."""
    return {
        pattern: label
        for pattern, label in settings.families.items()
        if _override_problem(pattern, label) is None
    }


def _families(settings: Settings, document: Document) -> Iterator[Problem]:
    """Overrides whose pattern is no host."""
    for pattern, label in settings.families.items():
        message = _override_problem(pattern, label)
        if message is not None:
            yield _problem(document, ("families", pattern), message)


def _override_problem(pattern: str, label: str | Mapping[str, str]) -> str | None:
    """Why one override cannot be used, or None when it can."""
    try:
        family_map({pattern: label})
    except ConfigError as error:
        return str(error)
    return None


def _problem(document: Document, place: Place, message: str) -> Problem:
    """A problem in the settings file, or in the environment where no file says it."""
    if place not in document.lines:
        return Problem("environment", None, message)
    return document.problem(place, message)


def check_requests(
    panel: Panel | None,
    file: str,
    settings: Settings,
    document: Document,
    *,
    prompt_lines: Mapping[str, int],
    engine_lines: Mapping[str, int],
) -> list[Problem]:
    """Questions of a panel that cannot be put to its engines; nothing is sent.

    What goes wrong for every prompt of an engine stands in the settings, or at the engine's name.
    """
    problems = []
    for name in panel.engines if panel else ():
        assert panel is not None
        prompts, _ = panel.plan(name)
        refused = refused_requests(
            name, engine_settings(ENGINES[name], settings.engine(name)), prompts
        )
        for message, those in _by_message(refused).items():
            if len(those) < len(prompts):
                line = prompt_lines.get(those[0].prompt_id)
                problems.append(Problem(file, line, _told(message, those)))
            elif ("engines", name) in document.lines:
                problems.append(document.problem(("engines", name, "options"), message))
            else:
                problems.append(Problem(file, engine_lines.get(name), message))
    return problems


def _by_message(refused: tuple[RefusedRequest, ...]) -> dict[str, list[RefusedRequest]]:
    """Refused requests of one engine by what is wrong, prompts' own names left out."""
    groups: dict[str, list[RefusedRequest]] = {}
    for one in refused:
        message = one.message.replace(f"prompt {one.prompt_id}: ", "")
        groups.setdefault(message, []).append(one)
    return groups


def _told(message: str, those: list[RefusedRequest]) -> str:
    """A complaint with the prompts it is about."""
    named = ", ".join(one.prompt_id for one in those[:_TOLD])
    more = f" and {len(those) - _TOLD} more" if len(those) > _TOLD else ""
    return f"{message} (prompts {named}{more})"
