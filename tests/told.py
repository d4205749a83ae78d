"""Digests made up for tests: a changed share with its numbers, a lost source, another model."""

from dataclasses import replace
from datetime import UTC, datetime

from monitor.domain.alert import (
    Alert,
    AlertKind,
    AnswerRef,
    Digest,
    Direction,
    Severity,
)
from monitor.domain.change import (
    Change,
    ChangeVerdict,
    ConcentrationChange,
    ConcentrationTest,
    Event,
    EventKind,
    PairedTest,
    Side,
    Subject,
)
from monitor.domain.score import Concentration, Interval, Rate

RUN, BEFORE = "run:tea:2026-11", "run:tea:2026-10"
MODEL = Event(EventKind.SERVED_MODEL, "sonar-1", "sonar-2")
QUERIES = Event(EventKind.QUERIES, "", "", "4 of 12 queries are new")
CHANGE = Change(
    Subject.FAMILY_SHARE,
    "leaf.example",
    Side(0.10, Rate(41, 410), 20),
    Side(0.25, Rate(100, 400), 30),
    PairedTest(0.15, 0.03, Interval(0.09, 0.21), 0.0004, 0.012, 0.084),
    32,
    141,
    ChangeVerdict.CHANGED,
    "adjusted p 0.012",
)
SHARE = Alert(
    kind=AlertKind.FAMILY_SHARE,
    engine="openai",
    entity="leaf.example",
    direction=Direction.UP,
    severity=Severity.CRITICAL,
    says="openai cites leaf.example more than before.",
    advice="Open the answers and see what they take from it.",
    before=(BEFORE,),
    after=RUN,
    change=CHANGE,
    answers=tuple(AnswerRef(70 + n, f"p{n}", 1, RUN) for n in range(1, 8)),
    answers_in_all=31,
)
LOST = Alert(
    kind=AlertKind.REQUIRED_LOST,
    engine="openai",
    entity="green: kettle.example",
    direction=Direction.DOWN,
    severity=Severity.WARNING,
    says="openai no longer cites the required source kettle.example for green: 0 of 3 answers do.",
    advice="See what is cited in its place.",
    before=(BEFORE,),
    after=RUN,
    answers=(AnswerRef(90, "green", 2, BEFORE),),
    answers_in_all=1,
)
SPREAD = Alert(
    kind=AlertKind.CONCENTRATION,
    engine="openai",
    entity="effective sources",
    direction=Direction.DOWN,
    severity=Severity.WARNING,
    says="openai spreads its citations over fewer sources than before.",
    advice="Look at the largest families.",
    before=(BEFORE,),
    after=RUN,
    concentration=ConcentrationChange(
        Concentration(0.2, 5.0, None, 410, 30),
        Concentration(0.4, 2.5, None, 400, 22),
        ConcentrationTest(2.0, Interval(1.4, 2.9), 0.001, 0.004),
        None,
        38,
        ChangeVerdict.CHANGED,
        "adjusted p 0.004",
    ),
)
DIGEST = Digest(
    panel="tea",
    engine="openai",
    run=RUN,
    slot="2026-11",
    events=(QUERIES, MODEL),
    alerts=(SHARE, LOST),
    still_open=2,
    signature="panel:tea@1|engine:openai||window:2026-11",
    made_at=datetime(2026, 11, 1, 6, tzinfo=UTC),
)


def digest(**other):
    """The made-up digest, with other fields where they are given."""
    return replace(DIGEST, **other)


def named(entity, *, says="It moved.", severity=Severity.WARNING, **other):
    """An alert about an entity of any name."""
    return replace(SHARE, entity=entity, says=says, severity=severity, **other)
