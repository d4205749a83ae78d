"""What an answer to a canary says of the country; all answers are synthetic."""

import pytest

from monitor.domain.locale import LocaleState
from monitor.domain.panel import Prompt
from monitor.panels.canaries import KINDS, canary_prompts, locale_states, state_of, told_by

CONFIRMED, CONTRADICTED = LocaleState.CONFIRMED, LocaleState.CONTRADICTED
REQUESTED = LocaleState.REQUESTED


@pytest.mark.parametrize(
    ("country", "answer", "told"),
    [
        ("GB", "999. From any phone 112 works too; for advice dial 111.", CONFIRMED),
        ("GB", "Dial 911 at once.", CONTRADICTED),
        ("GB", "911 in the United States, 999 in the United Kingdom.", REQUESTED),
        ("GB", "That depends on where you are.", REQUESTED),
        ("GB", "There were 9,911 calls and 911.5 litres in 1999.", REQUESTED),
        ("DE", "112; the police: 110", CONFIRMED),
        ("DE", "911", CONTRADICTED),
        ("US", "911 (988 in a crisis).", CONFIRMED),
        ("US", "112", CONTRADICTED),
        ("AU", "000 (Triple Zero), from a mobile also 112", CONFIRMED),
        ("JP", "119 for fire, 110 for the police", CONFIRMED),
        ("FR", "Le 112 ; les pompiers en 15 minutes", CONFIRMED),
        ("XX", "911", REQUESTED),
        (None, "911", REQUESTED),
    ],
)
def test_emergency_number(country, answer, told):
    assert told_by("emergency_number", country, answer) is told


@pytest.mark.parametrize(
    ("country", "answer", "told"),
    [
        ("GB", "GBP, the pound sterling", CONFIRMED),
        ("GB", "USD", CONTRADICTED),
        ("GB", "GBP; cards in EUR are taken too", REQUESTED),
        ("FR", "EUR", CONFIRMED),
        ("DE", "EUR", CONFIRMED),
        ("CH", "EUR", CONTRADICTED),
        ("GB", "pounds", REQUESTED),
        ("US", "THE USD", CONFIRMED),
    ],
)
def test_currency(country, answer, told):
    assert told_by("currency", country, answer) is told


def test_one_contradiction_is_enough_and_one_confirmation_without_it():
    assert state_of([CONFIRMED, CONTRADICTED, REQUESTED]) is CONTRADICTED
    assert state_of([REQUESTED, CONFIRMED]) is CONFIRMED
    assert state_of([]) is REQUESTED


def test_one_prompt_per_kind_and_locale_in_its_language_without_naming_the_place():
    panel = [
        Prompt("a", "x", "en-GB"), Prompt("b", "y", "en-GB"), Prompt("c", "z", "de-DE"),
        Prompt("d", "z", "de"), Prompt("e", "z", "fi-FI"), Prompt("f", "z", "en-XX"),
    ]  # fmt: skip
    made = canary_prompts(KINDS, panel)
    assert sorted((p.id, p.locale) for p in made) == [
        (f"canary:{kind}", locale)
        for kind in sorted(KINDS)
        for locale in ("de-DE", "en-GB", "fi-FI")
    ]
    texts = {(p.id, p.locale): p.text for p in made}
    assert texts["canary:currency", "de-DE"].startswith("Ich bin zu Hause.")
    assert texts["canary:currency", "fi-FI"] == texts["canary:currency", "en-GB"]
    named = ("Kingdom", "Brit", "England", "Deutsch", "German", "Finland", "GB", "DE")
    assert [t for t in texts.values() if any(name in t for name in named)] == []
    assert canary_prompts((), panel) == ()


def test_states_by_engine_and_locale():
    number, money = canary_prompts(KINDS, [Prompt("a", "x", "en-GB")])
    told = locale_states([("e1", number, "999"), ("e1", money, "USD"), ("e2", number, "999")])
    assert told == {("e1", "en-GB"): CONTRADICTED, ("e2", "en-GB"): CONFIRMED}


def test_an_unknown_kind_is_named():
    with pytest.raises(ValueError, match="expected one of emergency_number, currency"):
        canary_prompts(["weather"], [Prompt("a", "x", "en-GB")])


@pytest.mark.parametrize(
    ("country", "answer", "told"),
    [
        ("JP", "警察は110番、救急は119番です。", LocaleState.CONFIRMED),
        ("JP", "警察は１１０番です。", LocaleState.CONFIRMED),
        ("JP", "まず911番にかけます。", LocaleState.CONTRADICTED),
        ("DE", "Dial _112_.", LocaleState.CONFIRMED),
        ("DE", "١١٢", LocaleState.CONFIRMED),
        ("DE", "Dial 112b or A112.", LocaleState.REQUESTED),
    ],
)
def test_a_number_is_read_in_any_script_and_beside_its_letters(country, answer, told):
    assert told_by("emergency_number", country, answer) is told
