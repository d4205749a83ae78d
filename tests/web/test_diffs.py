"""Two answers beside each other."""

import pytest

from tests.web.answered import ELMS, FAST, OAKS, SLOW, page, plain, told, twin, visiting, words

ASH = "https://ash.example/bark"


@pytest.fixture
def pair(bench):
    """One prompt in two months: a source and a statement went, others came, a support changed."""
    before = plain((SLOW, OAKS), (FAST, ELMS), ("Nobody waters them.",))
    after = plain((FAST, ELMS), (SLOW, OAKS, ASH), ("They live long.", ASH))
    texts = [(OAKS, SLOW), (ELMS, f"Leaves. {FAST}")]
    _, (one,) = told(bench, before, pages=texts)
    _, (two,) = told(
        bench, after, slot="2026-02", pages=[(ELMS, "None."), (OAKS, SLOW), (ASH, "x")]
    )
    return one, two


async def test_sources_and_statements_are_matched(bench, pair):
    async with visiting(bench) as client:
        found = (await client.get(twin("/captures/{}/diff/{}".format(*pair)))).json()
    sources = [(s["kept"], s["url"], s["before"], s["after"]) for s in found["sources"]]
    assert sources == [
        ("added", ASH, None, 3),
        ("kept", ELMS, 2, 1),
        ("kept", OAKS, 1, 2),
    ]
    statements = [(s["kept"], s["text"], s["before"], s["after"]) for s in found["statements"]]
    assert statements == [
        ("support", FAST, 2, 1),
        ("kept", SLOW, 1, 2),
        ("added", "They live long.", None, 3),
        ("lost", "Nobody waters them.", 3, None),
    ]
    changed = found["statements"][0]
    assert (changed["before_shape"], changed["after_shape"]) == ("full", "unsupported")
    assert found["unlike"] == []
    assert found["counts"] == {
        "sources_added": 1, "sources_kept": 2, "statements_support": 1, "statements_kept": 1,
        "statements_added": 1, "statements_lost": 1,
    }  # fmt: skip
    assert found["title"] == (
        "1 source added, 0 lost; 1 statement added, 1 lost, 1 with another support"
    )


async def test_the_words_of_both_are_all_there(bench, pair):
    async with visiting(bench) as client:
        found = (await client.get(twin("/captures/{}/diff/{}".format(*pair)))).json()
        shown = await page(client, "/captures/{}/diff/{}".format(*pair))
        rows = await client.get(twin("/captures/{}/diff/{}/table.csv".format(*pair)))
    sides = {
        side: " ".join("".join(p["text"] for p in found["words"] if p["kept"] != other).split())
        for side, other in (("before", "after"), ("after", "before"))
    }
    assert sides["before"] == f"{SLOW} {FAST} Nobody waters them."
    assert sides["after"] == f"{FAST} {SLOW} They live long."
    assert "They live long." in words(shown.xpath("//*[@class='word-diff']"))
    assert len(rows.text.splitlines()) == 1 + 3 + 4 + 1


async def test_an_answer_beside_itself_is_the_same(bench, pair):
    async with visiting(bench) as client:
        found = (await client.get(twin(f"/captures/{pair[0]}/diff/{pair[0]}"))).json()
    assert found["title"] == "The same sources and statements"
    assert {p["kept"] for p in found["words"]} == {"both"}
    assert found["unlike"] == ["This is one answer beside itself."]


async def test_unlike_things_are_shown_and_said_to_be_so(bench):
    _, (one, two, refused) = told(
        bench, plain((SLOW, OAKS)), plain((FAST, ELMS)), plain(("I'm sorry, but I can't help.",))
    )
    async with visiting(bench) as client:
        prompts = (await client.get(twin(f"/captures/{one}/diff/{two}"))).json()
        silent = await client.get(twin(f"/captures/{one}/diff/{refused}"))
        nobody = await client.get(f"/captures/{one}/diff/99")
    assert prompts["unlike"] == [
        "Two different prompts: what differs may be the question, not the engine."
    ]
    assert prompts["claims"] == []
    assert silent.status_code == 200
    assert nobody.status_code == 404
    assert "no capture 99" in nobody.text
