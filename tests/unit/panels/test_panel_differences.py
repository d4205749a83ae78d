"""What two states of a panel differ in, in the words of the error a person reads."""

from dataclasses import replace

import pytest

from monitor.domain.panel import EnginePlan, Panel, Prompt, Recall, Risk, Schedule
from monitor.panels.differences import frame_changes, panel_changes, prompt_changes

BREW = Prompt("brew", "How long does tea brew?", "en-GB")
MILK = Prompt("milk", "Milk first?", "en-GB")
PANEL = Panel("tea", 1, 3, "en-GB", ("openai", "xai"), (BREW, MILK))


def edited(**changes):
    return replace(PANEL, prompts=(replace(BREW, **changes), MILK))


def test_a_panel_is_no_different_from_itself():
    assert panel_changes(PANEL, PANEL) == ()


def test_order_is_no_difference():
    plans = EnginePlan("xai", ("brew", "milk")), EnginePlan("openai", ("brew",), 1)
    listed = replace(PANEL, client_domains=("a.example", "b.example"), watch=("c.example",))
    one = replace(listed, engine_plans=plans)
    other = replace(
        listed,
        engines=("xai", "openai"),
        prompts=(MILK, BREW),
        client_domains=("b.example", "a.example"),
        engine_plans=(plans[1], EnginePlan("xai", ("milk", "brew"))),
    )
    assert one.content_key != other.content_key
    assert panel_changes(one, other) == ()


def test_a_schedule_is_no_content():
    assert panel_changes(PANEL, replace(PANEL, schedule=Schedule("0 6 1 * *", "UTC"))) == ()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"text": "How long?"}, "text 'How long does tea brew?' -> 'How long?'"),
        ({"locale": "de-DE"}, "locale 'en-GB' -> 'de-DE'"),
        ({"persona": "a nurse"}, "persona 'none' -> 'a nurse'"),
        ({"topic": "tea"}, "topic 'none' -> 'tea'"),
        ({"intent": "buy"}, "intent 'none' -> 'buy'"),
        ({"risk": Risk.YMYL}, "risk 'standard' -> 'ymyl'"),
        ({"freshness_matters": True}, "freshness_matters 'False' -> 'True'"),
        ({"recall": Recall.BOUNDED}, "recall 'claim_evidence' -> 'bounded'"),
    ],
)
def test_every_field_of_a_prompt_is_told_when_it_changes(changes, told):
    assert panel_changes(PANEL, edited(**changes)) == (f"prompt 'brew': {told}",)


def test_a_long_text_is_cut():
    (told,) = prompt_changes(PANEL, edited(text="x" * 500))
    assert told.endswith(f"-> '{'x' * 59}…'")


def test_prompts_that_went_came_or_got_another_name_are_told_apart():
    new = replace(PANEL, prompts=(replace(BREW, id="steep"), Prompt("sugar", "Sugar?", "en-GB")))
    assert prompt_changes(PANEL, new) == (
        "prompt 'brew' renamed to 'steep'",
        "prompt 'milk' removed",
        "prompt 'sugar' added",
    )


def test_what_stands_around_the_prompts_is_told():
    old = replace(PANEL, engine_plans=(EnginePlan("openai", None, 2),), watch=("a.example",))
    new = replace(
        PANEL,
        locale="de-DE",
        repeats=5,
        engines=("openai", "gemini"),
        client_domains=("tea.example",),
        engine_plans=(EnginePlan("openai", ("milk",)),),
    )
    assert frame_changes(old, new) == (
        "locale 'en-GB' -> 'de-DE'",
        "repeats '3' -> '5'",
        "engine 'xai' removed",
        "engine 'gemini' added",
        "engine_plan of openai: all prompts, 2 repeats -> prompts milk, the usual repeats",
        "client domain 'tea.example' added",
        "watched family 'a.example' removed",
    )
    assert panel_changes(old, new) == frame_changes(old, new)


def test_whatever_changes_the_content_key_without_being_an_order_is_told():
    others = [
        edited(text="?"),
        replace(PANEL, repeats=4),
        replace(PANEL, locale="en-US"),
        replace(PANEL, engines=("openai",)),
        replace(PANEL, prompts=(BREW,)),
        replace(PANEL, client_domains=("a.example",)),
        replace(PANEL, watch=("a.example",)),
        replace(PANEL, engine_plans=(EnginePlan("xai", None, 1),)),
    ]
    assert all(one.content_key != PANEL.content_key for one in others)
    assert all(panel_changes(PANEL, one) for one in others)
