"""Machine-readable output is what its schema in docs/schemas says; all inputs are synthetic."""

import json

import jsonschema
import pytest

from monitor.domain.alert import Alert, AlertKind, Direction, Severity, StoredAlert
from monitor.domain.claim import Support, Verdict
from monitor.domain.engine import Exchange
from monitor.domain.instrument import Alarm, AlarmKind, Checkup, Undecided
from monitor.domain.job import Job
from monitor.domain.money import Spent
from monitor.domain.score import Coverage, Rate, Undefined, UndefinedReason
from monitor.engines import read
from monitor.judge import make_judge
from monitor.judge.rows import judge_rows
from monitor.pipeline.encoding import reading_json, url_json
from monitor.pipeline.exporting import card_json
from monitor.pipeline.run_status import RunStatus
from monitor.pipeline.spending import Capped, MonthSpend
from monitor.scoring import scorecard
from monitor.store.jobs import StartedJob
from monitor.store.months import Counted
from monitor.store.runs import Caps
from monitor.urls import identify
from tests import assessed
from tests.house import ROOT
from tests.stored import MADE_AT
from tests.unit.engines import payloads_a

SCHEMAS = ROOT / "docs" / "schemas"


def schema(name, *path):
    whole = json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(whole)
    part = whole
    for key in path:
        part = part[key]
    return jsonschema.Draft202012Validator({**part, "$defs": whole.get("$defs", {})})


def keys(name):
    return set(json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))["properties"])


@pytest.mark.parametrize(
    ("engine", "body"),
    [
        ("openai", json.dumps(payloads_a.OPENAI).encode()),
        ("xai", json.dumps(payloads_a.XAI).encode()),
        ("openai", b"not json at all"),
        ("perplexity", b'{"error": {"code": 401, "message": "no"}}'),
    ],
)
def test_a_parsed_answer_fits_its_schema(engine, body):
    told = reading_json(engine, read(engine, (Exchange(body, 200),)))
    schema("parse").validate(told)
    assert set(told) == keys("parse")


@pytest.mark.parametrize(
    "url", ["https://oak.example/a?utm_source=x", "", "not a page", "oak.example"]
)
def test_an_identified_url_fits_its_schema(url):
    told = url_json(url, identify(url))
    schema("urls").validate(told)
    assert set(told) == keys("urls")


@pytest.mark.parametrize("passages", [["The ferry takes 45 minutes."], [], ["Bread needs salt."]])
def test_a_verdict_fits_its_schema(passages):
    row = json.dumps({"id": 1, "claim": "The ferry takes 45 minutes.", "passages": passages})
    told = json.loads(next(judge_rows([row], make_judge("embedded"))))
    schema("judge").validate(told)
    assert set(told) == keys("judge")


def test_the_spend_of_a_month_fits_its_schema():
    parts = {
        ("run:tea:2026-11", "openai"): Spent(3, 900, 1),
        ("run:tea:2026-11", "xai"): Spent(1, 50, 0),
        ("run:oak:2026-11", "openai"): Spent(2, 100, 0),
    }
    told = MonthSpend("2026-11", Caps(calls=9), parts).as_json()
    schema("spend").validate(told)
    assert set(told) == keys("spend")
    assert (told["calls"], told["micros"], told["unsettled"]) == (6, 1_050, 1)
    assert [(e["engine"], e["micros"]) for e in told["engines"]] == [("openai", 1_000), ("xai", 50)]
    assert [(r["run"], r["calls"], len(r["engines"])) for r in told["runs"]] == [
        ("run:tea:2026-11", 4, 2),
        ("run:oak:2026-11", 2, 1),
    ]


def test_a_month_without_any_call_fits_its_schema():
    schema("spend").validate(MonthSpend("2026-12", Caps(), {}).as_json())


def test_the_status_of_a_run_fits_its_schema():
    alarm = Alarm(AlarmKind.LOW_COVERAGE, "openai", {"planned": 4, "heard": 1}, "1 of 4.", "Look.")
    moved = Alert(
        AlertKind.MEASURE, "openai", "citation_recall", Direction.UP, Severity.NOTICE,
        "It rose.", "Look.", ("run:tea:2026-10",), "run:tea:2026-11",
    )  # fmt: skip
    told = RunStatus(
        "run:tea:2026-11",
        "running",
        "captures",
        held="a cap",
        resting={"chatgpt_web": "stopped since 2026-11-02: a captcha"},
        given_up=(StartedJob(Job(1, "engine:openai", 7), 2, 3, "ValueError: no", given_up=True),),
        coverage={"openai": Coverage(4, 2, 1, 1, {"answered": 1})},
        spent={},
        run=Capped("run", Counted(2, 90), Caps(calls=3)),
        month=Capped("2026-11", Counted(6, 300), Caps()),
        checkup=Checkup((alarm,), (Undecided(AlarmKind.STOPPED_CITING, "openai", "no_past"),)),
        raised=(StoredAlert(3, "k", "tea", moved, MADE_AT, "run:tea:2026-11", 0, None, None),),
    ).as_json()
    schema("status").validate(told)
    assert set(told) == keys("status")
    assert (told["spent"]["calls_left"], told["month"]["calls_left"]) == (1, None)


def test_every_support_class_is_in_the_schema_of_verdicts():
    labels = schema("judge").schema["properties"]["label"]["enum"]
    assert set(labels) == {support.value for support in Support}
    assert Verdict(Support.FULL).support.value in labels


def card():
    measures = {
        "source_precision": Rate(3, 4, {"ungraded": 1}),
        "required_source_recall": Undefined(UndefinedReason.NO_BASELINE),
    }
    tallies = [assessed.tally(f"p{i}", {"oak.example": 2}, 1, measures) for i in range(12)]
    return scorecard(
        tallies, panel="trees", run="run:trees:x", engine="alpha", segment="all",
        coverage=Coverage(12, 12, 12, 12, {"answered": 12}), signature="a||b", recipe="r",
    )  # fmt: skip


def test_a_scorecard_fits_its_schema():
    schema("export", "$defs", "scorecard").validate(card_json(card()))


@pytest.mark.parametrize("value", [0, 1.0, "none"])
def test_an_undefined_measure_with_a_number_is_refused(value):
    told = card_json(card())
    told["measures"]["required_source_recall"]["value"] = value
    with pytest.raises(jsonschema.ValidationError):
        schema("export", "$defs", "scorecard").validate(told)


def test_a_renamed_field_is_refused():
    told = url_json("https://oak.example/", identify("https://oak.example/"))
    told["url"] = told.pop("clean_url")
    with pytest.raises(jsonschema.ValidationError):
        schema("urls").validate(told)
