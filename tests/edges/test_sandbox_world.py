"""The fictional world holds together: pages, panel, baseline and scripted answers."""

import itertools
import re
from collections import Counter
from pathlib import Path

import pytest

from monitor.baseline import parse_baseline
from monitor.domain.panel import Recall
from monitor.panels import parse_panel
from monitor.sandbox.app import Desk
from monitor.sandbox.script import Ask, best_line, chance, compose, improvise
from monitor.sandbox.sites import body_html
from monitor.sandbox.world import SCENES, Fact, Page, PageKind, Redirect, place
from monitor.urls import identify
from tests.sandbox_calls import MODULES, WORLD, client

ROOT = Path(__file__).resolve().parents[2]
PANEL = ROOT / "prompt_panels" / "sandbox.yaml"
BASELINE = ROOT / "prompt_panels" / "sandbox.baseline.yaml"


def words(text: str) -> set[str]:
    return set(re.findall(r"[\w:,.-]*\w", text.lower()))


def held(fact: Fact, page: Page) -> float:
    """Share of a claim's words in the best sentence of a page."""
    lines = re.split(r"(?<=[.!?])\s+", page.body)
    return max(len(words(fact.claim) & words(line)) / len(words(fact.claim)) for line in lines)


# --- the world ------------------------------------------------------------------------------


def test_world_has_forty_pages_of_a_dozen_families():
    families = {identify(page.url).family for page in WORLD.pages.values()}
    assert len(WORLD.pages) >= 40
    assert len(families) >= 12


@pytest.mark.parametrize("page", WORLD.pages.values(), ids=lambda page: page.id)
async def test_page_says_that_it_is_fictional(page: Page):
    async with client(Desk("2026-09")) as calls:
        got = await calls.get(page.url)
    assert got.status_code == page.status
    assert b"Fictional page" in got.content
    assert b"sandbox" in got.content


@pytest.mark.parametrize("page", WORLD.pages.values(), ids=lambda page: page.id)
def test_page_is_proper_prose_of_bounded_length(page: Page):
    count = len(re.sub(r"<[^>]+>", " ", page.body).split())
    least = 60 if page.kind is PageKind.PDF else 150
    assert least <= count <= 500


async def test_other_forms_of_a_page_name_their_canonical():
    page = WORLD.pages["dl-grant"]
    async with client(Desk("2026-09")) as calls:
        bodies = [(await calls.get(f"{url}?fbclid=x")).text for url in (page.url, *page.also)]
    assert bodies[0] == bodies[1] == bodies[2]
    assert f'<link rel="canonical" href="{page.url}">' in bodies[0]


async def test_dead_page_is_there_in_the_first_month_only():
    url = WORLD.pages["vta-notice"].url
    statuses = []
    for scene in SCENES:
        async with client(Desk(scene)) as calls:
            statuses.append((await calls.get(url)).status_code)
    assert statuses == [200, 404]


async def test_redirects_lead_to_pages_of_the_world():
    moved = [one for one in WORLD.by_url.values() if isinstance(one, Redirect)]
    async with client(Desk("2026-09")) as calls:
        answers = [await calls.get(one.url) for one in moved]
    assert {got.status_code for got in answers} == {301, 302}
    assert all(place(got.headers["location"]) in WORLD.by_url for got in answers)


async def test_paywall_robots_and_pdf_are_as_the_world_says():
    async with client(Desk("2026-09")) as calls:
        paid = await calls.get(WORLD.pages["ft-long"].url)
        robots = await calls.get("https://www.saddle-blog.example/robots.txt")
        brief = await calls.get(WORLD.pages["vsb-pdf"].url)
    assert paid.status_code == 402
    assert '"isAccessibleForFree": false' in paid.text
    assert "Disallow: /drafts/" in robots.text
    assert brief.headers["content-type"] == "application/pdf"
    assert brief.content.startswith(b"%PDF-1.4")


def test_syndicated_copies_carry_the_text_of_their_originals():
    named, silent = WORLD.pages["hp-grant"], WORLD.pages["hp-tuning"]
    assert WORLD.pages["dl-grant"].body.strip() in named.body
    assert WORLD.pages["dl-tuning"].body.strip() in silent.body
    assert (named.canonical, silent.canonical) == (WORLD.pages["dl-grant"].url, None)


async def test_script_only_page_has_no_prose_without_a_browser():
    async with client(Desk("2026-09")) as calls:
        text = (await calls.get(WORLD.pages["sp-city2"].url)).text
    prose = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    assert "belt drive" not in prose
    assert "belt drive" in text


def test_hostile_page_carries_injection_and_active_markup():
    html = body_html(WORLD.pages["wf-hostile"].body)
    wanted = ("ignore all previous instructions", "onerror=", "<script>", "javascript:")
    assert all(piece in html for piece in wanted)


async def test_unknown_hosts_and_methods_are_refused():
    async with client(Desk("2026-09")) as calls:
        foreign = await calls.get("https://www.elsewhere.example/")
        posted = await calls.post(WORLD.pages["vta-grant"].url)
        bare = await calls.get("https://transport-velmora.example/grants/green-saddle")
    assert (foreign.status_code, posted.status_code, bare.status_code) == (421, 405, 301)
    assert bare.headers["location"] == WORLD.pages["vta-grant"].url


# --- panel and baseline ---------------------------------------------------------------------


def panel():
    text = PANEL.read_text(encoding="utf-8")
    parsed = parse_panel(text, "sandbox.yaml", {*MODULES, "sandbox_chat"})
    assert parsed.problems == ()
    return parsed.panel


def baseline():
    text = BASELINE.read_text(encoding="utf-8")
    parsed = parse_baseline(text, "sandbox.baseline.yaml", panel(), identify)
    assert parsed.problems == ()
    return parsed.baseline


def test_panel_asks_what_the_world_knows():
    asked = panel()
    assert {p.id: p.text for p in asked.prompts} == {q.id: q.text for q in WORLD.questions.values()}
    assert len(asked.prompts) >= 24
    assert {p.recall for p in asked.prompts} == set(Recall)


def test_chat_page_is_asked_five_prompts_once():
    (plan,) = panel().engine_plans
    assert (plan.engine, len(plan.prompts), plan.repeats) == ("sandbox_chat", 5, 1)


def test_every_url_of_the_baseline_stands_in_the_world():
    urls = [s.url for p in baseline().prompts.values() for s in p.sources if s.url]
    assert len(urls) > 80
    assert [url for url in urls if place(url) not in WORLD.by_url] == []


def test_baseline_was_frozen_before_the_first_month_and_its_dates_are_earlier():
    stored = baseline()
    days = [d for p in stored.prompts.values() for s in p.sources for d in (s.published, s.updated)]
    assert stored.frozen_at.isoformat() == "2026-08-20T09:00:00+00:00"
    assert max(d for d in days if d) <= stored.frozen_at.date()


def test_every_claim_is_found_on_the_pages_that_are_said_to_support_it():
    facts = {fact.claim: fact for fact in WORLD.facts.values()}
    shares = [
        held(facts[claim.text], WORLD.by_url[place(source.url)])
        for prompt in baseline().prompts.values()
        for source in prompt.sources
        for claim in prompt.claims
        if claim.id in source.supports
    ]
    assert len(shares) > 100
    assert min(shares) >= 0.9


def test_every_required_claim_has_a_required_or_acceptable_source():
    for prompt in baseline().prompts.values():
        good = [s for s in prompt.sources if s.grade.value in {"required", "acceptable"}]
        shown = {claim for source in good for claim in source.supports}
        assert {c.id for c in prompt.required_claims} <= shown, prompt.prompt_id


def test_comparison_portal_lacks_most_limitations():
    portal = [p for p in WORLD.pages.values() if p.id.startswith("rc-")]
    limits = [f for f in WORLD.facts.values() if f.category == "limitation"]
    found = [f.id for f in limits if any(held(f, page) > 0.9 for page in portal)]
    assert len(limits) >= 15
    assert found == ["g-dealer"]


# --- answers --------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["openai", "perplexity", "anthropic", "sandbox_chat"])
@pytest.mark.parametrize("scene", SCENES)
def test_answers_have_three_to_six_sentences_and_cite_the_world(engine: str, scene: str):
    answers = [
        compose(WORLD, question, Ask(scene, engine, question.id, repeat))
        for question in WORLD.questions.values()
        for repeat in range(3)
    ]
    urls = [c.url for answer in answers for c in answer.searched]
    assert {len(answer.sentences) for answer in answers} <= {3, 4, 5, 6}
    assert [url for url in urls if place(url) not in WORLD.by_url] == []


def test_repeats_differ_a_little_and_stay_the_same_over_time():
    question = WORLD.questions["grant-amount"]
    told = [compose(WORLD, question, Ask("2026-09", "openai", question.id, n)) for n in range(3)]
    again = compose(WORLD, question, Ask("2026-09", "openai", question.id, 0))
    assert told[0] == again
    assert len({str(answer) for answer in told}) == 3


def test_chance_is_a_number_below_one_that_depends_on_its_parts():
    # First seven bytes of sha256("a|1") over 2**56.
    assert chance("a", 1) == chance("a", "1")
    assert 0 <= chance("a", 1) < 1
    assert chance("a", 1) != chance("a", 2)


def shares(engine: str, scene: str) -> Counter[str]:
    cited: Counter[str] = Counter()
    for question in WORLD.questions.values():
        for repeat in range(3):
            answer = compose(WORLD, question, Ask(scene, engine, question.id, repeat))
            pages = {c.page.id: c.page for s in answer.sentences for c in s.cited}
            cited.update(identify(page.url).family for page in pages.values())
    return cited


def test_perplexity_moves_from_the_authority_to_the_portal():
    before, after = (shares("perplexity", scene) for scene in SCENES)
    fall = before["transport-velmora.example"] / before.total()
    fall -= after["transport-velmora.example"] / after.total()
    rise = after["ridecompare.example"] / after.total()
    rise -= before["ridecompare.example"] / before.total()
    assert fall > 0.2
    assert rise > 0.3


@pytest.mark.parametrize("engine", ["openai", "anthropic"])
def test_quiet_engines_move_by_noise_only(engine: str):
    before, after = (shares(engine, scene) for scene in SCENES)
    moves = [abs(before[f] / before.total() - after[f] / after.total()) for f in before | after]
    assert max(moves) < 0.04


def test_answers_hold_every_planned_flaw():
    asks = itertools.product(SCENES, MODULES, WORLD.questions, range(3))
    told = [compose(WORLD, WORLD.questions[one[2]], Ask(*one)) for one in asks]
    texts = [line for answer in told for line in answer.sentences]
    wrong = {f.wrong for f in WORLD.facts.values()} - {None}
    lost = {f.lost for f in WORLD.facts.values()} - {None}
    loose = {q.loose for q in WORLD.questions.values()}
    assert sum(line.text in wrong and bool(line.cited) for line in texts) > 20
    assert sum(line.text in lost and bool(line.cited) for line in texts) > 5
    assert sum(line.text in loose and bool(line.cited) for line in texts) > 20
    assert sum(line.text in loose and not line.cited for line in texts) > 20
    assert any(c.page.copy_of for line in texts for c in line.cited)


def test_unknown_prompt_gets_eight_distinct_citations():
    answer = improvise(WORLD, "prompt 17 of a benchmark", Ask("2026-09", "openai", "unknown", 0))
    urls = [c.url for sentence in answer.sentences for c in sentence.cited]
    assert len(urls) == len(set(urls)) == 8


def test_best_line_is_the_sentence_that_shares_most_words():
    line = best_line(WORLD.pages["vta-tamper"], "the fine for riding a tuned bicycle")
    assert line.startswith("The fine for riding a tuned bicycle is 400 crowns")
