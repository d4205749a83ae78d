"""The answer page over stores made for it: what is shown, what is chosen, what is refused."""

from monitor.domain.claim import Support
from monitor.domain.keys import text_key
from monitor.pipeline.answer_shelf import Shelf
from monitor.pipeline.assessing import assess_run
from monitor.pipeline.one_answer import one_answer
from monitor.pipeline.splitting import Splits
from monitor.pipeline.verdicts import VerdictBook
from monitor.store import answers_seen, pages
from monitor.store.adjudications import Adjudication, Subject, save_adjudication
from monitor.store.support_labels import PairKey, SupportLabel, save_labels
from monitor.store.verdicts import VerdictKey
from tests.labelled import TREES, keep_oaks
from tests.stored import MADE_AT, answer, planned
from tests.web.answered import (
    ELMS,
    FAST,
    JUDGE,
    OAKS,
    SLOW,
    marked,
    page,
    plain,
    told,
    twin,
    visiting,
    words,
)
from tests.web.conftest import named

MARKDOWN = f"""## How oaks grow

{SLOW} [1] Nobody knows why.

1. First they root.
2. {FAST} [2]

| Tree | Height |
|---|---|
| Oak | 30 metres |

```
oak = 1
```
"""


async def test_the_answer_keeps_its_shape_and_shows_support_in_words_and_shapes(bench):
    body = marked(MARKDOWN, OAKS, ELMS)
    _, (one,) = told(bench, body, pages=[(OAKS, f"Trees. {SLOW}"), (ELMS, "Nothing of that.")])
    async with visiting(bench) as client:
        shown = await page(client, f"/captures/{one}")
    seen = shown.xpath("//*[@class='as-seen']")[0]
    assert [e.tag for e in seen] == ["h3", "p", "ol", "table", "pre"]
    assert words(seen.xpath("h3")) == "How oaks grow"
    assert len(seen.xpath("ol/li")) == 2
    assert [c.text_content().strip() for c in seen.xpath("table//th")] == ["Tree", "Height"]
    assert words(seen.xpath("table//td[2]")) == "30 metres"
    assert words(seen.xpath("pre")) == "oak = 1"
    (slow,) = seen.xpath(".//a[@class='u-full']")
    assert slow.text_content() == SLOW
    beside = slow.getparent()
    assert beside.xpath("i[contains(@class, 'shape full')]")
    assert "(supported)" in beside.text_content()
    (fast,) = seen.xpath(".//a[@class='u-unsupported']")
    assert fast.text_content() == FAST
    (unsourced,) = seen.xpath(".//span[small[@class='unsourced']][a='Nobody knows why.']")
    assert not unsourced.xpath("a[@class='chip']")


async def test_chips_choose_the_source_and_the_statement(bench):
    body = plain((SLOW, OAKS), (FAST, ELMS))
    _, (one,) = told(bench, body, pages=[(OAKS, f"Trees. {SLOW}"), (ELMS, f"Leaves. {FAST}")])
    async with visiting(bench) as client:
        shown = await page(client, f"/captures/{one}")
        (first, second) = shown.xpath("//*[@class='as-seen']//a[@class='chip']/@href")
        other = await page(client, second.partition("#")[0])
        data = (await client.get(twin(f"/captures/{one}?statement=2"))).json()
    assert first == f"/captures/{one}?source=1&statement=1#proof"
    assert words(shown.xpath("//*[contains(@class, 'source-card')]//mark")) == SLOW
    assert words(other.xpath("//*[contains(@class, 'source-card')]//mark")) == FAST
    assert words(other.xpath("//*[contains(@class, 'statement-card')]/h3")) == "Statement 2 of 2"
    assert data["source"]["line"]["page"]["number"] == 2
    assert data["source"]["citing"][0]["passage"]["quote"] == FAST
    assert data["statement"]["line"]["number"] == 2
    assert data["statement"]["later"] is None


async def test_a_source_is_told_alone_and_together(bench):
    """Both pages say it: each suffices alone, so what the others say without it is not asked."""
    body = plain((SLOW, OAKS, ELMS))
    _, (one,) = told(bench, body, pages=[(OAKS, f"A. {SLOW}"), (ELMS, f"B, longer. {SLOW}")])
    async with visiting(bench) as client:
        found = (await client.get(twin(f"/captures/{one}?source=2"))).json()["source"]
    assert found["citing"][0]["together"] == "supported"
    assert found["citing"][0]["alone"] == "supported"
    assert found["citing"][0]["without"] == ""
    assert found["citing"][0]["passage"]["before"] == "B, longer. "


async def test_what_is_not_there_is_said(bench):
    run, (one,) = told(bench, plain((SLOW, OAKS)), pages=[(OAKS, SLOW)])
    later = planned(bench, "2026-02")
    (empty,) = [c for c in range(one + 1, one + 9) if one_answer(bench, c) is None][:1]
    async with visiting(bench) as client:
        for address, says in (
            (f"/captures/{empty}", f"of {later.public_id} (openai, p1) is planned"),
            ("/captures/9223372036854775807", "no capture 9223372036854775807"),
            (f"/captures/{one}?source=2", "cites 1 pages; 2 is none of them"),
            (f"/captures/{one}?statement=7", "has 1 statements; 7 is none of them"),
        ):
            got = await client.get(twin(address))
            assert got.status_code == 404
            assert says in got.json()["detail"]
        for wrong in ("0", "-1", "x", "9223372036854775808", "1" * 5000):
            assert (await client.get(f"/captures/{wrong}")).status_code == 422
    assert run.public_id == "run:trees:2026-01"


async def test_what_is_no_answer_shows_what_was_kept(bench):
    refused = answer("I'm sorry, but I can't help with that request.")
    _, (one, two) = told(bench, refused, b"<html>busy</html>")
    async with visiting(bench) as client:
        first, second = [await page(client, f"/captures/{c}") for c in (one, two)]
    assert "can't help with that" in words(first.xpath("//*[@id='answer']"))
    assert "No answer to show: error (unreadable)" in words(second.xpath("//*[@id='answer']"))
    assert second.xpath("//*[@id='bytes']//a[.='payload']")
    assert "Not measured in this answer: source precision" in words(
        second.xpath("//*[@id='counts']")
    )


def labelled(bench, panel, one, *given):
    """Labels of people for the first claim of an answer and the one text it cites."""
    claim = one.assessed.statements[0].claims[0].claim.text
    text = one.pages.texts[one.assessed.pages[0].page_key].sha256
    pairs = [
        SupportLabel(_pair(claim, text), claim, (text,), support, who, "g1")
        for who, support in given
    ]
    bench.write(lambda c: save_labels(c, panel, pairs, at=MADE_AT))
    return pairs[0].pair


def _pair(claim, text):
    return PairKey(text_key(claim), VerdictKey(text_key(claim), (text,), "").evidence_hash)


async def test_people_stand_beside_the_judge_and_overwrite_nothing(bench):
    run, (one,) = told(bench, plain((SLOW, OAKS)), pages=[(OAKS, f"Trees. {SLOW}")])
    given = (("ana", Support.PARTIAL), ("bo", Support.UNSUPPORTED))
    pair = labelled(bench, run.panel, one_answer(bench, one), *given)
    settled = Adjudication(
        run.panel, Subject.SUPPORT, pair.identity, {"support": "partial"}, (), "half of it",
        "cleo", MADE_AT,
    )  # fmt: skip
    bench.write(lambda c: save_adjudication(c, settled))
    async with visiting(bench) as client:
        found = (await client.get(twin(f"/captures/{one}?statement=1"))).json()
        shown = await page(client, f"/captures/{one}?statement=1")
    said = [(p["who"], p["shape"], p["is_decision"]) for p in found["statement"]["people"]]
    assert said == [
        ("ana", "partial", False), ("bo", "unsupported", False), ("cleo", "partial", True),
    ]  # fmt: skip
    assert found["statement"]["line"]["shape"] == "full"
    rates = {n["name"]: n["number"]["hits"] for n in found["numbers"]}
    assert rates["citation_recall"] == 1
    card = words(shown.xpath("//*[contains(@class, 'judged-by-people')]"))
    assert "partly supported decided by cleo: half of it" in card


def seen(bench):
    return bench.read(lambda c: answers_seen.prompts_seen(c, "trees"))


async def test_who_has_a_name_is_remembered_once(bench):
    _, (one, two) = told(bench, plain((SLOW, OAKS)), plain((SLOW, OAKS)), pages=[(OAKS, SLOW)])
    async with visiting(bench) as client:
        await page(client, f"/captures/{one}")
        # "?": somebody without a name yet, who takes the look along to the name they give.
        assert set(seen(bench)) == {("?", "p1")}
        await named(client, "ana")
        first = seen(bench)
        assert set(first) == {("?", "p1"), ("ana", "p1")}
        await page(client, f"/captures/{one}")
        await client.get(twin(f"/captures/{one}?source=1"))
        assert seen(bench) == first
        await page(client, f"/captures/{one}/diff/{two}")
    assert set(seen(bench)) == {("?", "p1"), ("ana", "p1"), ("ana", "p2")}
    assert seen(bench)["ana", "p1"] == first["ana", "p1"]


def test_pages_that_count_as_one_are_read_as_the_whole_run_reads_them(bench):
    """Two answers cite two addresses of one page. The run reads the text of the first address
    for both; an answer looked at alone must not read that of its own."""
    home, amp, mobile = OAKS, "https://early.example/growth", "https://late.example/growth"
    key = bench.identify(home).page_key
    run, (one, two) = told(
        bench, plain((SLOW, amp)), plain((SLOW, mobile)),
        pages=[
            (amp, f"Short. {SLOW}", ("canonical", key)),
            (mobile, "On a small screen nothing is said of it.", ("canonical", key)),
        ],
    )  # fmt: skip
    book = VerdictBook(bench, JUDGE)
    found = assess_run(bench, run, book, None, splits=Splits.of(bench, JUDGE))
    whole = {c.capture_id: c for c in found}
    for capture in (one, two):
        alone = one_answer(bench, capture)
        assert alone.assessed == whole[capture]
        assert alone.assessed.statements[0].joint.support is Support.FULL


def test_one_answer_reads_its_own_evidence_alone(bench, monkeypatch):
    """A run of 40 answers with three pages each: looking at one fetches three."""
    run = planned(bench, "2026-01", TREES)
    keep_oaks(bench, run)
    asked = []
    real = pages.load_fetches

    def counted(connection, run_id, keys=None):
        found = real(connection, run_id, keys)
        asked.append(len(found))
        return found

    monkeypatch.setattr(pages, "load_fetches", counted)
    shelf = Shelf(bench)
    views = [one_answer(shelf, capture) for capture in (1, 40)]
    assert asked == [3, 3]
    assert [len(one.pages.fetches) for one in views] == [3, 3]
    assert all(one.view.tally is None for one in views)


async def test_a_text_that_is_lost_takes_nothing_else_away(bench):
    _, (one,) = told(bench, plain((SLOW, OAKS)), pages=[(OAKS, f"Trees. {SLOW}")])
    sha256 = one_answer(bench, one).view.fetches[1].text.sha256
    for path in bench.artifacts._root.rglob(f"{sha256}*"):
        path.unlink()
    async with visiting(bench) as client:
        shown = await page(client, f"/captures/{one}")
        gone = await client.get(f"/captures/{one}/sources/1")
    assert words(shown.xpath("//*[contains(@class, 'source-card')]//mark")) == SLOW
    assert gone.status_code == 404
    assert "restore them from a backup" in gone.text


async def test_answers_lead_to_the_ones_before_after_and_beside(bench):
    _, (one, _) = told(bench, plain((SLOW, OAKS)), plain((FAST, ELMS)), pages=[(OAKS, SLOW)])
    _, (two, other) = told(bench, plain((SLOW, OAKS)), plain((FAST, ELMS)), slot="2026-02")
    async with visiting(bench) as client:
        now = (await client.get(twin(f"/captures/{two}"))).json()
        before = (await client.get(twin(f"/captures/{one}"))).json()
    assert now["earlier"]["id"] == one
    assert now["earlier"]["diff"] == f"/captures/{one}/diff/{two}"
    assert now["later"] is None
    assert before["later"]["id"] == two
    assert [b["id"] for b in now["beside"]] == [two]
    assert other not in {b["id"] for b in now["beside"]}
