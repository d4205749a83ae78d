"""Cards of stored API answers: text stays text, the picture says what it is, and is kept on demand."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from sqlalchemy import update

from monitor.capture import card as cards
from monitor.capture.card import LABEL, Card, CardSource, DrawnCard, card_page, draw_card
from monitor.capture.pictures_sizes import jpeg_size
from monitor.cli import main
from monitor.domain.screenshot import ScreenshotKind
from monitor.engines import ENGINES
from monitor.errors import BrowserError, MonitorError
from monitor.markup.trees import parse_html
from monitor.pipeline.cards import card_json, write_card
from monitor.store import captures
from monitor.store.screenshots import load_screenshots
from monitor.store.tables import capture as capture_table
from tests.edges.test_printing import listening
from tests.replica.chromium import CHROMIUM, real
from tests.stored import answer, keep_answers, planned

PLAIN = Card(
    capture=7,
    engine="OpenAI (API, web search)",
    prompt="How do oaks grow?",
    locale="en-GB",
    asked_at=datetime(2026, 12, 1, 9, 30, tzinfo=UTC),
    model="gpt-made-up",
    payload="ab" * 32,
    text="Oaks grow slowly. They live long.",
    sources=(
        CardSource("https://oak.example/", "About oaks", "displayed", (17,)),
        CardSource("https://tree.example/a?b=1&c=2", None, "listed", ()),
    ),
)
HOSTILE = (
    '<script>document.title="ran"</script><img src="{at}/picture.png" onerror="x()">'
    "</div></body><style>.label{{display:none}}</style>\u202eevil\u202c "
    "مرحبا بالعالم 🌍👩‍👩‍👧 漢字 \x1b[31m\x07"
)


def words(page):
    """All words of a page, styles aside."""
    tree = parse_html(page, full=True)
    return " ".join(" ".join(tree.find("body").itertext()).split())


def test_a_card_says_above_and_below_that_it_is_no_evidence_of_an_interface():
    said = words(card_page(PLAIN))
    assert said.startswith(LABEL)
    assert said.count(LABEL) == 2
    assert said.count("No page, window or app was seen") == 2


def test_a_card_holds_the_answer_its_sources_and_where_they_are_cited():
    said = words(card_page(PLAIN))
    # 17 code points stand before the mark: "Oaks grow slowly."
    assert "Oaks grow slowly. [1] They live long." in said
    assert "About oaks https://oak.example/ displayed" in said
    assert "https://tree.example/a?b=1&c=2 listed" in said
    assert "OpenAI (API, web search), through its API" in said
    assert "2026-12-01 09:30 UTC" in said
    assert f"7, payload sha256 {'ab' * 32}" in said


def test_a_hostile_answer_is_text_in_its_card():
    hostile = HOSTILE.format(at="https://evil.example")
    source = CardSource('https://e.example/"><script>', hostile, "displayed", (3,))
    page = card_page(replace(PLAIN, text=hostile, prompt=hostile, sources=(source,)))
    tree = parse_html(page, full=True)
    assert [one.tag for one in tree.iter("script", "img", "iframe", "a")] == []
    assert len(list(tree.iter("style"))) == 1
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert "مرحبا بالعالم 🌍👩‍👩‍👧 漢字" in words(page)


@pytest.mark.parametrize("text", ["word " * 200_000, "\n" * 200_000 + "end", "x" * 1_000_000])
def test_a_huge_answer_is_cut_and_the_card_says_how_much_is_left_out(text):
    page = card_page(replace(PLAIN, text=text, sources=()))
    left = len(text) - len(cards._cut(text))
    assert f"{left} more characters are not drawn." in words(page)
    assert len(page) < 60_000


def test_a_card_of_very_many_sources_names_the_first_and_counts_the_rest():
    sources = tuple(CardSource(f"https://s.example/{n}", None, "listed", ()) for n in range(100))
    said = words(card_page(replace(PLAIN, sources=sources)))
    assert "40 more sources are not drawn." in said
    assert "https://s.example/59 listed" in said
    assert "https://s.example/60" not in said


@pytest.mark.browser
@real
def test_the_picture_of_a_hostile_huge_card_runs_nothing_and_asks_nobody():
    with listening() as (at, asked):
        text = HOSTILE.format(at=at) + "\n".join(["漢字 wide " * 30] * 1_000)
        drawn = draw_card(replace(PLAIN, text=text), executable=str(CHROMIUM))
    assert asked == []
    assert drawn.size == jpeg_size(drawn.jpeg)
    assert drawn.size[0] == cards.WIDTH
    assert 2_000 < drawn.size[1] <= cards.TALLEST
    assert drawn.browser.startswith("Chromium ")


def test_without_a_browser_the_error_says_what_to_do(tmp_path):
    with pytest.raises(BrowserError, match="monitor browser install") as said:
        draw_card(PLAIN, executable=str(tmp_path / "none"))
    assert "monitor report" in str(said.value)


@pytest.fixture
def stored(bench_in_a_folder):
    """A bench with one API answer, and its capture."""
    run = planned(bench_in_a_folder)
    keep_answers(
        bench_in_a_folder, run, answer("Oaks grow slowly.", ("slowly", "https://oak.example/"))
    )
    (one,) = bench_in_a_folder.read(lambda c: captures.load_captures(c, run.id))
    return bench_in_a_folder, one


@pytest.fixture
def drawn(monkeypatch):
    """What would have been drawn; no browser is started."""
    seen = []

    def draw(card, *, executable):
        seen.append((card, executable))
        return DrawnCard(b"\xff\xd8 a card", (800, 600), "Chromium 1")

    monkeypatch.setattr("monitor.pipeline.cards.draw_card", draw)
    return seen


def test_a_card_is_made_of_what_is_stored(stored, drawn, tmp_path):
    bench, one = stored
    written = write_card(bench, one.id, out=tmp_path / "new" / "oak.jpg")
    ((card, executable),) = drawn
    assert executable == bench.settings.browser.executable
    assert card.text == "Oaks grow slowly."
    assert (card.prompt, card.locale, card.capture) == ("How do oaks grow?", "en-GB", one.id)
    assert [(s.url, s.role) for s in card.sources] == [("https://oak.example/", "displayed")]
    (payload,) = bench.read(lambda c: captures.load_payloads(c, one.id))
    assert card.payload == payload.sha256
    assert (tmp_path / "new" / "oak.jpg").read_bytes() == b"\xff\xd8 a card"
    assert card_json(written)["sha256"] == sha256(b"\xff\xd8 a card").hexdigest()


@pytest.mark.usefixtures("drawn")
def test_a_card_is_kept_beside_its_capture_only_where_a_name_is_given(stored, tmp_path):
    bench, one = stored
    write_card(bench, one.id, out=tmp_path / "a.jpg")
    assert bench.read(lambda c: load_screenshots(c, one.id)) == ()
    written = write_card(bench, one.id, out=tmp_path / "b.jpg", keep="for the client")
    (shot,) = bench.read(lambda c: load_screenshots(c, one.id))
    assert (shot.kind, shot.name) == (ScreenshotKind.CARD, "for the client")
    assert shot.altered == LABEL
    assert shot.sha256 == written.sha256
    assert bench.artifacts.get(shot.sha256) == b"\xff\xd8 a card"
    # Once more is a no-op.
    write_card(bench, one.id, out=tmp_path / "b.jpg", keep="for the client")
    assert len(bench.read(lambda c: load_screenshots(c, one.id))) == 1


@pytest.mark.parametrize(
    ("access", "said"),
    [("browser", "captured through a browser, so there are pictures"), ("import", "handed in")],
)
def test_a_capture_that_was_no_call_of_an_api_has_no_card(stored, drawn, tmp_path, access, said):
    bench, one = stored
    change = update(capture_table).where(capture_table.c.id == one.id).values(access=access)
    bench.write(lambda c: c.execute(change))
    with pytest.raises(MonitorError, match=said):
        write_card(bench, one.id, out=tmp_path / "a.jpg", keep="x")
    assert drawn == []
    assert not (tmp_path / "a.jpg").exists()


def test_a_capture_without_an_answer_has_no_card(bench_in_a_folder, drawn, tmp_path):
    run = planned(bench_in_a_folder)
    (one,) = bench_in_a_folder.read(lambda c: captures.load_captures(c, run.id))
    with pytest.raises(MonitorError, match="is not stored yet: there is no answer to draw"):
        write_card(bench_in_a_folder, one.id, out=tmp_path / "a.jpg")
    with pytest.raises(MonitorError, match="capture with id 99"):
        write_card(bench_in_a_folder, 99, out=tmp_path / "a.jpg")
    with pytest.raises(MonitorError, match=r"name a file that ends in \.jpg"):
        write_card(bench_in_a_folder, one.id, out=tmp_path / "a.png")
    assert drawn == []


@pytest.mark.usefixtures("drawn")
def test_the_command_writes_a_card_and_tells_programs_the_same(
    stored, tmp_path, capsys, monkeypatch
):
    bench, one = stored
    monkeypatch.chdir(tmp_path)
    store = bench.settings.store
    told = {"store": {"database": store.database, "artifacts": store.artifacts}}
    Path("config.yaml").write_text(json.dumps(told), "utf-8")

    def said(*more):
        with pytest.raises(SystemExit) as stop:
            main(["card", str(one.id), "--out", "card.jpg", *more])
        return stop.value.code, capsys.readouterr().out

    assert said() == (0, f"card: card.jpg (800 x 600 px). {LABEL}\n")
    code, out = said("--json", "--keep", "a name")
    assert code == 0
    assert json.loads(out) == {
        "capture": one.id, "engine": ENGINES["openai"].label, "file": "card.jpg",
        "sha256": sha256(b"\xff\xd8 a card").hexdigest(), "width": 800, "height": 600,
        "sources": 1, "kept_as": "a name", "label": LABEL,
    }  # fmt: skip
