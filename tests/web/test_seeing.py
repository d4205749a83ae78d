"""Who was told what engines cite is remembered, on whichever page it stands."""

from dataclasses import replace

import pytest

from monitor.domain.alert import AnswerRef
from monitor.store import alerts, answers_seen
from tests.stored import MADE_AT
from tests.told import SHARE
from tests.web.conftest import asking, named
from tests.web.people import app_of
from tests.web.rooms import ELM, LATE, OAK, scored, told

RUN = "run:trees:2026-02"


@pytest.fixture
def two(bench):
    scored(bench, "2026-01", told(OAK, ELM), told(OAK), told(ELM))
    scored(bench, "2026-02", told(OAK), told(LATE), told(OAK))
    return bench


def seen(bench):
    return set(bench.read(lambda c: answers_seen.prompts_seen(c, "trees")))


@pytest.mark.parametrize("door", ["", "/api/v1"])
@pytest.mark.parametrize(
    ("address", "prompts"),
    [
        # Rows of a family name the pages of the answers that are listed.
        (f"/runs/{RUN}/rows?engine=openai&family=oak.example", {"oaks", "pests"}),
        (f"/runs/{RUN}/rows?engine=openai&family=oak.example&prompt=pests", {"pests"}),
        # A family's page tells of every prompt whether it is cited, and who else is.
        (f"/families/late.example?run={RUN}", {"oaks", "elms", "pests"}),
        # Counts of a measure and of all families together tell of no prompt what it cites.
        (f"/runs/{RUN}/rows?engine=openai&measure=citation_recall", set()),
        (f"/families?run={RUN}", set()),
        (f"/prompts/oaks?run={RUN}", set()),
    ],
)
async def test_pages_that_name_what_is_cited_are_remembered(two, address, prompts, door):
    async with asking(app_of(two)) as client:
        await named(client, "ana")
        for _ in range(2):
            assert (await client.get(f"{door}{address}")).status_code == 200
    assert seen(two) == {("ana", prompt) for prompt in prompts}


async def test_a_table_of_rows_says_as_much_as_its_page(two):
    async with asking(app_of(two)) as client:
        await named(client, "ana")
        query = "engine=openai&family=oak.example"
        assert (await client.get(f"/api/v1/runs/{RUN}/rows/table.csv?{query}")).status_code == 200
    assert seen(two) == {("ana", "oaks"), ("ana", "pests")}


async def test_an_alert_says_which_answers_cite_less_or_more(two):
    share = replace(SHARE, answers=(AnswerRef(1, "oaks", 1, RUN), AnswerRef(2, "elms", 1, RUN)))
    two.write(lambda c: alerts.open_alert(c, 2, "trees", share, at=MADE_AT))
    async with asking(app_of(two)) as client:
        await named(client, "ana")
        assert (await client.get("/alerts/1")).status_code == 200
    assert seen(two) == {("ana", "oaks"), ("ana", "elms")}
