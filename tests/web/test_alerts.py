"""The pages of alerts: what is found by a search, the evidence of one, and taking a new level."""

import csv
import io
import re
from dataclasses import fields, replace
from datetime import UTC, datetime

import pytest

from monitor.domain.alert import Closed
from monitor.pipeline.notifying import digest_key, save_digest
from monitor.pipeline.recalling import reminders
from monitor.scoring.signature import Recipe, Sample, Signature
from monitor.store import alerts, audit, runs
from monitor.store.tables import scorecard
from tests.stored import PANEL, planned
from tests.told import BEFORE, LOST, RUN, SHARE, SPREAD, digest, named
from tests.web import people
from tests.web.conftest import asking

OPENED = datetime(2026, 11, 1, 6, tzinfo=UTC)
TEA = replace(PANEL, name="tea")
WIDE = 10**30
HOSTILE = "<script>alert(1)</script>\u202e"


@pytest.fixture
def bench(bench):
    planned(bench, "2026-10", TEA)
    planned(bench, "2026-11", TEA)
    return bench


@pytest.fixture
async def client(bench):
    async with asking(people.app_of(bench)) as one:
        yield one


def opened(bench, *found, panel="tea"):
    """Alerts of the second run, open; their ids."""
    return [
        bench.write(lambda c, one=one: alerts.open_alert(c, 2, panel, one, at=OPENED))
        for one in found
    ]


def told(bench, *found, channel="mail"):
    """A message about alerts in the outbox."""
    one = digest(alerts=found, run=RUN)
    bench.write(lambda c: save_digest(c, one, channel, key=digest_key(one, channel), at=OPENED))


async def entities(client, query=""):
    got = await client.get(f"/api/v1/alerts{query}")
    assert got.status_code == 200, got.text
    return [one["entity"] for one in got.json()["alerts"]]


async def test_an_empty_store_says_that_nothing_is_open(client):
    got = await client.get("/alerts")
    assert got.status_code == 200
    assert "Nothing is open" in got.text


async def test_the_newest_open_alert_comes_first_and_closed_ones_when_asked(bench, client):
    _, _, last = opened(bench, SHARE, LOST, SPREAD)
    assert await entities(client) == [SPREAD.entity, LOST.entity, SHARE.entity]
    bench.write(lambda c: alerts.close_alert(c, last, Closed.QUIET, at=OPENED))
    assert await entities(client) == [LOST.entity, SHARE.entity]
    assert await entities(client, "?state=closed") == [SPREAD.entity]
    assert await entities(client, "?state=all") == [SPREAD.entity, LOST.entity, SHARE.entity]
    assert await entities(client, "?severity=critical") == [SHARE.entity]
    page = await client.get("/alerts?state=closed")
    assert "not seen any more" in page.text


async def test_words_are_found_in_what_is_said_whatever_their_case(bench, client):
    opened(bench, SHARE, LOST, named("100%_sure.example"))
    assert await entities(client, "?words=KETTLE") == [LOST.entity]
    assert await entities(client, "?words=longer+kettle") == [LOST.entity]
    assert await entities(client, "?words=longer+leaf") == []
    assert await entities(client, "?words=required_lost") == [LOST.entity]
    # Neither sign of LIKE stands for anything but itself.
    assert await entities(client, "?words=%25_s") == ["100%_sure.example"]
    assert await entities(client, "?words=k%25e") == []


async def test_panels_and_engines_narrow_the_list(bench, client):
    opened(bench, SHARE)
    opened(bench, replace(LOST, engine="perplexity"), panel="coffee")
    assert await entities(client, "?panel=coffee") == [LOST.entity]
    assert await entities(client, "?engine=openai") == [SHARE.entity]
    assert await entities(client, "?engine=openai&panel=coffee") == []
    got = (await client.get("/api/v1/alerts")).json()["choices"]
    assert got["panels"] == ["coffee", "tea"]
    assert got["engines"] == ["openai", "perplexity"]


async def test_pages_hold_fifty_and_the_csv_holds_all(bench, client):
    opened(bench, *(named(f"f{n}.example") for n in range(53)))
    first = (await client.get("/api/v1/alerts")).json()
    assert [len(first["alerts"]), first["pager"]["total"]] == [50, 53]
    assert await entities(client, "?page=2") == ["f2.example", "f1.example", "f0.example"]
    gone = await client.get("/alerts?page=900000")
    assert gone.status_code == 404
    assert "ends with page 2" in gone.text
    rows = list(csv.DictReader(io.StringIO((await client.get("/api/v1/alerts/table.csv")).text)))
    assert len(rows) == 53


async def test_a_line_has_the_counts_of_both_sides_and_the_test(bench, client):
    opened(bench, SHARE)
    (one,) = (await client.get("/api/v1/alerts")).json()["alerts"]
    # 41 of 410 is a tenth, 100 of 400 a quarter; the test says what it said when it was raised.
    assert (one["before"]["counts"], one["before"]["value"]) == ("41 of 410", 0.1)
    assert (one["after"]["counts"], one["after"]["value"]) == ("100 of 400", 0.25)
    assert one["moved_text"] == ("+15.0 points, 95 % interval +9.0 to +21.0; adjusted p 0.012")
    assert one["after"]["href"] == ("/families/leaf.example?run=run%3Atea%3A2026-11&engine=openai")
    assert [one["run"]["run"], one["against"][0]["run"]] == [RUN, BEFORE]
    rows = list(csv.DictReader(io.StringIO((await client.get("/api/v1/alerts/table.csv")).text)))
    assert [rows[0][name] for name in ("before_hits", "after_total", "p_adjusted")] == [
        "41.0", "400.0", "0.012",
    ]  # fmt: skip


async def test_pooled_runs_before_have_no_rows_of_one_run(bench, client):
    pooled = replace(SHARE, before=("run:tea:2026-09", BEFORE))
    opened(bench, pooled)
    (one,) = (await client.get("/api/v1/alerts")).json()["alerts"]
    assert one["before"]["href"] is None
    assert one["against_text"] == "against 2026-09 to 2026-10, pooled"


async def test_each_alert_has_the_state_of_its_own_messages(bench, client):
    opened(bench, SHARE, LOST, SPREAD)
    told(bench, SHARE, LOST)
    told(bench, SHARE, channel="chat")
    got = (await client.get("/api/v1/alerts")).json()["alerts"]
    assert [one["told_text"] for one in got] == [
        "told by no channel", "mail: waiting", "mail: waiting; chat: waiting",
    ]  # fmt: skip


async def test_one_alert_shows_its_evidence(bench, client):
    (own,) = opened(bench, SHARE)
    told(bench, SHARE)
    got = (await client.get(f"/api/v1/alerts/{own}")).json()
    assert [one["href"] for one in got["answers"]][:2] == ["/captures/71", "/captures/72"]
    # 31 answers are behind it and seven are named.
    assert got["more_text"] == "and 24 more answers, not named here"
    assert got["events"][0].startswith("another model answers: sonar-1")
    assert [one["channel"] for one in got["told"]] == ["mail"]
    assert "leaf.example" in got["digest"]
    page = (await client.get(f"/alerts/{own}")).text
    assert 'href="/captures/71"' in page
    assert "Accept the new level" in page
    answers = (await client.get(f"/api/v1/alerts/{own}/table.csv")).text
    assert answers.splitlines()[1] == "1,71,p1,1,run:tea:2026-11"


async def test_concentration_and_lost_sources_have_pages_too(bench, client):
    for own in opened(bench, LOST, SPREAD):
        assert (await client.get(f"/alerts/{own}")).status_code == 200
    spread = (await client.get("/api/v1/alerts/2")).json()["alert"]
    assert spread["before"] is None
    assert "2.00 times" in spread["moved_text"]


@pytest.mark.parametrize("wanted", ["99", "0", "-1", str(WIDE), str(2**63)])
async def test_ids_of_no_alert_are_not_found(client, wanted):
    assert (await client.get(f"/alerts/{wanted}")).status_code == 404
    assert (await client.get(f"/api/v1/alerts/{wanted}")).status_code == 404


@pytest.mark.parametrize("name", ["words", "panel", "engine", "state", "severity"])
async def test_filters_of_5000_characters_are_refused_by_name(client, name):
    got = await client.get("/alerts", params={name: "x" * 5000})
    assert got.status_code == 422
    assert f"{name}: got" in got.text
    (said,) = re.findall(r'<p class="problem" role="alert">(.*?)</p>', got.text)
    assert len(said) < 500


async def test_names_from_outside_stand_there_as_text(bench, client):
    (own,) = opened(bench, named(HOSTILE, says=f"openai cites {HOSTILE} more."))
    for path in ("/alerts", f"/alerts/{own}"):
        page = (await client.get(path)).text
        assert "<script>alert" not in page
        assert "[U+202E]" in page


async def accepted(client, own):
    """The form of an alert's page, sent."""
    page = await client.get(f"/alerts/{own}")
    mark = re.search(r'name="csrf" value="([0-9a-f]+)"', page.text)[1]
    return await client.post(f"/alerts/{own}/accept", data={"csrf": mark})


async def test_accepting_closes_the_alert_and_is_noted(bench, client):
    own, _ = opened(bench, SHARE, LOST)
    got = await accepted(client, own)
    assert (got.status_code, got.headers["location"]) == (303, f"/alerts/{own}")
    assert await entities(client) == [LOST.entity]
    page = (await client.get(f"/alerts/{own}")).text
    assert "a person took the new level" in page
    assert "Accept the new level" not in page
    (deed,) = bench.read(lambda c: audit.list_deeds(c, limit=9))
    assert (deed.action, deed.subject) == ("accept alert", str(own))


async def test_an_alert_is_accepted_once(bench, client):
    (own, _) = opened(bench, SHARE, LOST)
    page = await client.get(f"/alerts/{own}")
    mark = re.search(r'name="csrf" value="([0-9a-f]+)"', page.text)[1]
    sent = [await client.post(f"/alerts/{own}/accept", data={"csrf": mark}) for _ in range(2)]
    assert [one.status_code for one in sent] == [303, 409]
    assert "closed already" in sent[1].text
    assert len(bench.read(lambda c: audit.list_deeds(c, limit=9))) == 1
    gone = await client.post("/alerts/77/accept", data={"csrf": mark})
    assert gone.status_code == 404


async def test_a_form_of_nobody_accepts_nothing(bench, client):
    (own,) = opened(bench, SHARE)
    assert (await client.post(f"/alerts/{own}/accept")).status_code == 403
    assert await entities(client) == [SHARE.entity]


def scored(bench, baseline, day):
    """The second run, scored under a version of a baseline; a card without its numbers."""
    recipe = Recipe(**{one.name: "x" for one in fields(Recipe)})
    line = Signature(
        replace(recipe, baseline=baseline), Sample(*(one.name for one in fields(Sample)[:-1]))
    ).line
    row = {
        "run_id": 2, "recipe": f"by {baseline}", "engine": SHARE.engine, "segment": "all",
        "signature": line, "body": {}, "made_at": OPENED.replace(day=day),
    }  # fmt: skip
    bench.write(lambda c: c.execute(scorecard.insert(), row))


async def test_an_alert_says_when_its_run_was_scored_otherwise_since(bench, client):
    scored(bench, "tea@1", 1)
    (own,) = opened(bench, SHARE)
    for day in (2, 3):
        (one,) = (await client.get("/api/v1/alerts")).json()["alerts"]
        assert one["counted_text"] == ""
        # The same recipe once more is no other one.
        scored(bench, "tea@1", day)
    scored(bench, "tea@2", 4)
    said = "as counted under baseline tea@1 on 2026-11-01; the run was scored anew since"
    (one,) = (await client.get("/api/v1/alerts")).json()["alerts"]
    assert one["counted_text"] == said
    assert said in (await client.get("/alerts")).text
    assert said[1:] in (await client.get(f"/alerts/{own}")).text


def test_a_later_run_is_reminded_of_it_and_answers_handed_in_are_not(bench):
    opened(bench, SHARE)
    later = bench.read(lambda c: runs.load_run_by_id(c, 2))
    later = replace(later, id=3, slot="2026-12")
    assert [one.says for one in reminders(bench, later)] == [SHARE.says]
    assert reminders(bench, replace(later, slot="import:0123456789abcdef")) == ()
