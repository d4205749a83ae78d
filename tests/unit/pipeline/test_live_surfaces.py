"""Which surfaces are on: terms that somebody read and answers for, and what to write else."""

from datetime import date

import pytest
from pydantic import ValidationError

from monitor.config.settings import Settings
from monitor.config.surfaces import SurfacePart
from monitor.domain.panel import Panel, Prompt
from monitor.engines import ENGINES
from monitor.engines.surfaces.selectors import load_selectors
from monitor.errors import ConfigError
from monitor.pipeline.live_surfaces import (
    acknowledgement_problem,
    off_reason,
    pace_of,
    sign_in_folder,
    surface_names,
    surface_problems,
)
from monitor.pipeline.planning import make_plan, skip_reason

NAME = "chatgpt_web"
TERMS = load_selectors(NAME).terms.url
TODAY = date(2026, 12, 1)
PANEL = Panel("tea", 1, 1, "en-GB", (NAME,), (Prompt("p", "How hot?", "en-GB"),))


def settings(terms=TERMS, read_on="2024-02-01", **fields):
    acknowledged = {"terms": terms, "read_on": read_on, "by": "A. Person"}
    return Settings(surfaces={NAME: {"acknowledgement": acknowledged, **fields}})


def real_surfaces():
    return [one for one in surface_names() if load_selectors(one).terms is not None]


@pytest.mark.parametrize("name", real_surfaces())
def test_every_surface_of_others_is_off_until_its_terms_are_acknowledged(name):
    told = off_reason(name, Settings(), TODAY)
    terms = load_selectors(name).terms
    assert terms.url in told
    assert f"surfaces.{name}.acknowledgement" in told
    assert off_reason(name, Settings(surfaces={name: {}}), TODAY) == told
    assert skip_reason(ENGINES[name], Settings(), no_browser=False) is not None


def test_acknowledged_surface_is_on_and_paced():
    assert off_reason(NAME, settings(), TODAY) is None
    pace = pace_of(settings(daily_cap=7), load_selectors(NAME))
    assert (pace.spacing_seconds, pace.daily_cap) == (20, 7)
    assert make_plan(PANEL, settings()).engines[0].engine == NAME


def test_terms_of_somebody_else_are_a_settings_error_that_names_what_to_write():
    other = settings(terms="https://example.org/terms")
    told = acknowledgement_problem(NAME, other, TODAY)
    assert TERMS in told
    with pytest.raises(ConfigError, match="not the address of its terms"):
        make_plan(PANEL, other)
    assert dict(surface_problems(other)) == {("surfaces", NAME, "acknowledgement"): told}


def test_day_to_come_is_a_settings_error():
    assert "a day to come" in acknowledgement_problem(NAME, settings(read_on="2026-12-02"), TODAY)
    assert acknowledgement_problem(NAME, settings(read_on="2026-12-01"), TODAY) is None


def test_unknown_surface_and_shared_profile_are_settings_errors():
    told = Settings(
        surfaces={
            "chatgpt": {},
            NAME: {"profile": "profiles/one"},
            "copilot_web": {"profile": "profiles/one"},
        }
    )
    problems = dict(surface_problems(told))
    assert "did you mean 'chatgpt_web'?" in problems["surfaces", "chatgpt"]
    assert NAME in problems["surfaces", "copilot_web", "profile"]


def test_page_of_our_own_needs_no_terms_and_has_no_cap():
    on = Settings(engines={"sandbox_chat": {}}, browser={"spacing_seconds": 0})
    assert off_reason("sandbox_chat", on, TODAY) is None
    pace = pace_of(on, load_selectors("sandbox_chat"))
    assert (pace.spacing_seconds, pace.daily_cap) == (0, None)


def test_time_zone_must_be_known():
    assert SurfacePart(timezone="Europe/London").timezone == "Europe/London"
    with pytest.raises(ValidationError, match="time zone such as"):
        SurfacePart(timezone="Europe/Lundon")


def test_only_a_profile_can_be_signed_in_to():
    assert sign_in_folder(settings(), NAME).name == NAME
    with pytest.raises(ConfigError, match="session is anonymous"):
        sign_in_folder(settings(session="anonymous"), NAME)
    with pytest.raises(ConfigError, match="live capture is off"):
        sign_in_folder(Settings(), NAME)
