"""From files to a run: each answer put to its prompt, once, with what it can and cannot tell."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from monitor.capture.imports.parts import ImportFileError
from monitor.domain.engine import Access, Outcome, Role
from monitor.domain.keys import sha256_hex
from monitor.domain.panel import Panel, Prompt
from monitor.errors import MonitorError, PanelError
from monitor.pipeline.capturing import reparse_run
from monitor.pipeline.comparing import earlier_runs, previous_run
from monitor.pipeline.exporting import export_json
from monitor.pipeline.tallying import score_run
from monitor.store import captures, citations, imported, proofs, runs, screenshots
from tests.edges.importing import FIRST, LEAN, OAKS, PANEL, found_in, handed_in, kept_in
from tests.stored import WordJudge, bench_in
from tests.unit.engines import payloads_perplexity
from tests.unit.imports import handed
from tests.unit.imports.handed import ALPHA, BETA, OTHER, QUESTION, TEXT, conversation, export

AT = datetime(2026, 11, 3, 9, 30, tzinfo=UTC)


@pytest.fixture
def bench(tmp_path, monkeypatch, empty_store):
    (tmp_path / "monitor.db").write_bytes(empty_store)
    with bench_in(tmp_path, monkeypatch) as opened:
        yield opened


def stored(bench, run):
    """Captures of a run with their readings and what is noted of them."""

    def load(connection):
        noted = imported.load_imports(connection, run.id)
        readings = citations.load_readings(connection, run.id)
        every = captures.load_captures(connection, run.id)
        return [(one, readings[one.id].reading, noted[one.id]) for one in every]

    return bench.read(load)


def test_an_export_becomes_a_run_of_the_answers_that_the_panel_asks_for(bench, tmp_path):
    private = conversation(("My doctor said what?", "SECRET."), name="other")
    body = export(private, conversation(), members={"user.json": b'{"email": "SECRET@x.example"}'})
    path = kept_in(tmp_path, "export.zip", body)
    done = handed_in(bench, path)
    ((capture, reading, noted),) = stored(bench, done.run)
    assert (capture.engine, capture.access, capture.prompt) == ("chatgpt_web", Access.IMPORT, LEAN)
    assert capture.asked_at == noted.inside_at == datetime(2026, 11, 18, 11, 6, 40, tzinfo=UTC)
    assert (reading.outcome, [c.url for c in reading.citations]) == (Outcome.ANSWERED, [ALPHA])
    assert (noted.file_sha256, noted.file_bytes) == (sha256_hex(body), len(body))
    assert noted.member == "conversations.json#1"
    # The bytes that are kept are the one conversation's, as it stood in the export.
    assert json.loads(bench.artifacts.get(noted.kept_sha256)) == conversation()
    assert (
        bench.read(lambda c: screenshots.load_snapshots(c, capture.id))[0].sha256
        == noted.kept_sha256
    )
    for sha256 in bench.artifacts.hashes():
        assert b"SECRET" not in bench.artifacts.get(sha256)


def test_what_was_handed_in_has_a_manifest_as_any_capture(bench, tmp_path):
    done = handed_in(bench, kept_in(tmp_path, "export.zip", export(conversation())))
    ((capture, _, noted),) = stored(bench, done.run)
    proof = bench.read(lambda c: proofs.load_proof(c, capture.id))
    listed = json.loads(bench.artifacts.get(proof.manifest_sha256))["files"]
    assert noted.kept_sha256 in {one["sha256"] for one in listed}


def test_the_same_files_are_the_same_run_whatever_they_are_called(bench, tmp_path):
    one = kept_in(tmp_path, "one.json", json.dumps(conversation()).encode())
    two = kept_in(tmp_path, "two.json", handed.thread(OAKS.text))
    first = handed_in(bench, one, two)
    again = handed_in(bench, two.rename(tmp_path / "b.bin"), one.rename(tmp_path / "a.html"))
    assert first.is_new
    assert (again.is_new, again.run) == (False, first.run)
    assert first.run.public_id.startswith("run:trees:import:")
    assert first.run.partial
    assert first.run.imported


def test_the_same_files_with_other_answers_are_another_run_that_says_so(bench, tmp_path):
    path = kept_in(tmp_path, "c.json", json.dumps(conversation()).encode())
    first = handed_in(bench, path)
    other = handed_in(bench, path, prompt="drink")
    assert other.is_new
    assert other.run.slot.startswith(f"{first.run.slot}+")
    assert other.before == {"c.json": (first.run.public_id,)}
    assert not handed_in(bench, path, prompt="drink").is_new


def test_a_file_given_twice_and_an_answer_in_two_forms_count_once(tmp_path):
    one = kept_in(tmp_path, "one.json", json.dumps(conversation()).encode())
    twin = kept_in(tmp_path, "twin.json", one.read_bytes())
    zipped = kept_in(tmp_path, "e.zip", export(conversation(title="renamed")))
    found = found_in(one, twin, zipped, one)
    assert len(found.answers) == 1
    assert [note.split(": ", 1)[1] for note in found.notes] == [
        f"the same file as {one}; read once",
        f"the same file as {one}; read once",
        "the answer to lean is that of one.json, which tells more or came first; it counts once",
    ]


def test_two_answers_to_one_prompt_are_repeats(bench, tmp_path):
    several = [conversation((QUESTION, f"{n}. {TEXT}"), name=f"c{n}") for n in range(3)]
    done = handed_in(bench, kept_in(tmp_path, "e.zip", export(*several)))
    assert [one.repeat for one, _, _ in stored(bench, done.run)] == [1, 2, 3]


def test_the_question_is_known_in_any_form_of_its_characters_and_spaces(tmp_path):
    shown = "  Why do\u00a0synthetic \uff4f\uff41\uff4b\uff53\u200b lean\neast? "
    path = kept_in(tmp_path, "c.json", json.dumps(conversation((shown, TEXT))).encode())
    (answer,) = found_in(path).answers
    assert (answer.prompt, answer.asked) == (LEAN, "matches")


def test_answers_to_no_prompt_are_counted_and_listed_with_the_nearest(tmp_path):
    pairs = [("Why do synthetic oaks lean west?", TEXT), (QUESTION, TEXT), ("Zzz?", "Hm.")]
    path = kept_in(tmp_path, "c.json", json.dumps(conversation(*pairs)).encode())
    found = found_in(path)
    assert [one.turn.index for one in found.answers] == [1]
    assert "context: 1 earlier turns stand before it" in found.answers[0].warnings
    assert found.unmatched_count == 2
    assert [(one.turn, one.nearest) for one in found.unmatched] == [(1, "lean"), (3, None)]


def test_many_unmatched_answers_are_counted_and_some_are_listed(tmp_path):
    several = [conversation((f"Private {n}?", "x"), name=str(n)) for n in range(50)]
    path = kept_in(tmp_path, "e.zip", export(*several, conversation()))
    found = found_in(path)
    assert (found.unmatched_count, len(found.unmatched)) == (50, 20)


def test_a_named_prompt_takes_the_one_answer_of_a_file_and_says_that_it_differs(tmp_path):
    path = kept_in(tmp_path, "c.json", json.dumps(conversation(("Oaks?", TEXT))).encode())
    (answer,) = found_in(path, prompt="lean").answers
    assert (answer.prompt, answer.asked) == (LEAN, "differs")
    assert answer.completeness["prompt"] == "differs"
    two = json.dumps(conversation(("Oaks?", TEXT), ("And elms?", TEXT))).encode()
    path.write_bytes(two)
    with pytest.raises(ImportFileError, match=r"2 answers in it, and none shows .* --turn"):
        found_in(path, prompt="lean")
    (answer,) = found_in(path, prompt="lean", turn=2).answers
    assert answer.turn.index == 1
    with pytest.raises(ImportFileError, match="--turn 3: 2 answers in it"):
        found_in(path, prompt="lean", turn=3)


def test_a_text_that_several_prompts_ask_must_be_named(tmp_path):
    german = replace(LEAN, id="lean-de", locale="de-DE")
    panel = replace(PANEL, prompts=(LEAN, german))
    path = kept_in(tmp_path, "c.json", json.dumps(conversation()).encode())
    with pytest.raises(ImportFileError, match=r"several prompts ask .*: lean, lean-de"):
        found_in(path, panel=panel)
    (answer,) = found_in(path, panel=panel, prompt="lean-de").answers
    assert answer.prompt is german


def test_unknown_prompts_and_engines_are_refused_before_a_file_is_read(tmp_path):
    with pytest.raises(PanelError, match="no prompt 'none'; it has lean, drink"):
        found_in(tmp_path / "absent", prompt="none")
    with pytest.raises(MonitorError, match="nothing is imported for engine 'openai'"):
        found_in(tmp_path / "absent", engine="openai")


def test_the_time_a_person_says_counts_before_that_of_the_file(bench, tmp_path):
    path = kept_in(tmp_path, "t.json", handed.thread(OAKS.text))
    ((capture, _, noted),) = stored(bench, handed_in(bench, path, at=AT).run)
    assert (capture.asked_at, noted.declared_at) == (AT, AT)
    assert noted.file_at is not None
    (answer,) = found_in(path).answers
    assert (answer.dated_by, answer.captured_at) == ("file", noted.file_at)


def test_a_har_keeps_the_thread_alone(bench, tmp_path):
    body = handed.har(
        handed.entry("https://www.perplexity.ai/rest/thread/x", handed.thread(OAKS.text)),
        handed.entry(
            "https://www.perplexity.ai/api/auth/session", b'{"user": {"email": "a@b.co"}}'
        ),
    )
    done = handed_in(bench, kept_in(tmp_path, "x.har", body))
    ((_, reading, noted),) = stored(bench, done.run)
    assert [one.role for one in reading.citations] == [Role.DISPLAYED] * 2
    assert bench.artifacts.get(noted.kept_sha256) == handed.thread(OAKS.text)


def test_a_stream_and_its_thread_in_one_har_are_one_answer(tmp_path):
    message = payloads_perplexity.message(
        payloads_perplexity.asked(), payloads_perplexity.table(), query_str="Oaks?"
    )
    body = handed.har(
        handed.entry("https://www.perplexity.ai/rest/sse/perplexity_ask",
                     payloads_perplexity.stream(message), "text/event-stream"),
        handed.entry("https://www.perplexity.ai/rest/thread/x", payloads_perplexity.thread(message)),
    )  # fmt: skip
    (answer,) = found_in(kept_in(tmp_path, "x.har", body), prompt="oaks").answers
    assert answer.asked == "differs"


@pytest.mark.parametrize("container", ["page", "mhtml", "single"])
def test_a_saved_page_is_read_in_every_container(bench, tmp_path, container):
    page = handed.page("Oaks lean east.")
    body = {
        "page": page,
        "mhtml": handed.mhtml(("text/html", "https://chatgpt.com/c/1", page, "")),
        "single": b"<!--\n Page saved with SingleFile \n url: https://chatgpt.com/c/1\n-->" + page,
    }[container]
    done = handed_in(bench, kept_in(tmp_path, "page.txt", body))
    ((capture, reading, noted),) = stored(bench, done.run)
    assert (capture.prompt, reading.text, noted.form) == (FIRST, "Oaks lean east.", "dom")


def test_every_import_reads_the_same_again(bench, tmp_path):
    paths = (
        kept_in(tmp_path, "e.zip", export(conversation())),
        kept_in(tmp_path, "t.json", handed.thread(OAKS.text, read_write_token="SECRET")),
        kept_in(tmp_path, "p.html", handed.page()),
    )
    done = handed_in(bench, *paths)
    before = [(one.id, reading) for one, reading, _ in stored(bench, done.run)]
    assert reparse_run(bench, done.run) == 3
    assert [(one.id, reading) for one, reading, _ in stored(bench, done.run)] == before


def test_a_picture_with_typed_sources_measures_sources_and_no_claims(bench, tmp_path):
    path = kept_in(tmp_path, "shot.jpg", handed.png())
    wanted = {"engine": "gemini_app", "prompt": "oaks", "urls": (ALPHA, BETA, ALPHA), "at": AT}
    done = handed_in(bench, path, **wanted)
    ((capture, reading, noted),) = stored(bench, done.run)
    assert (reading.outcome, reading.text, reading.without_text) == (Outcome.ANSWERED, "", True)
    assert [(c.url, c.role) for c in reading.citations] == [
        (ALPHA, Role.DISPLAYED), (BETA, Role.DISPLAYED),
    ]  # fmt: skip
    (shot,) = bench.read(lambda c: screenshots.load_screenshots(c, capture.id))
    assert (shot.kind.value, shot.size, shot.sha256) == ("upload", (1280, 900), noted.file_sha256)
    assert noted.completeness["text_known"] is False
    reparse_run(bench, done.run)
    card = next(c for c in score_run(bench, done.run, WordJudge()).cards if c.segment == "all")
    assert card.coverage.answered == 1
    assert {f.family: f.rate.hits for f in card.families} == {"alpha.example": 1, "beta.example": 1}
    # Nothing is known of what it says: two citations tied to no statement, none supported or not.
    precision = card.measures["citation_precision"].rate
    assert (precision.total, precision.not_assessable) == (0, {"unmapped": 2})
    assert card.measures["citation_recall"].rate.total == 0


def test_a_picture_with_its_text_has_claims_too(bench, tmp_path):
    text = kept_in(tmp_path, "said.txt", b"Oaks grow slowly.\r\n")
    path = kept_in(tmp_path, "shot.png", handed.png())
    wanted = {"engine": "gemini_app", "prompt": "oaks", "urls": (ALPHA,), "text": text}
    ((_, reading, _),) = stored(bench, handed_in(bench, path, **wanted).run)
    assert (reading.text, reading.without_text) == ("Oaks grow slowly.", False)


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({}, "name --engine and --prompt"),
        ({"engine": "gemini_app", "prompt": "oaks"}, "type each source that it shows by --url"),
        ({"engine": "gemini_app", "prompt": "oaks", "urls": ("javascript:x()",)}, "a web address"),
        ({"engine": "gemini_app", "prompt": "oaks", "urls": ("https://u:p@x.example/",)}, "web"),
        ({"engine": "gemini_app", "prompt": "oaks", "urls": (ALPHA,) * 201}, "at most 200"),
    ],
)
def test_a_picture_of_which_nobody_says_what_it_shows_is_refused(tmp_path, wanted, words):
    with pytest.raises(ImportFileError, match=words):
        found_in(kept_in(tmp_path, "shot.png", handed.png()), **wanted)


def test_pictures_beside_one_answer_are_its_evidence(bench, tmp_path):
    page = kept_in(tmp_path, "p.html", handed.page())
    shots = [kept_in(tmp_path, f"{n}.png", handed.png(height=900 + n)) for n in range(2)]
    done = handed_in(bench, page, *shots)
    ((capture, _, _),) = stored(bench, done.run)
    taken = bench.read(lambda c: screenshots.load_screenshots(c, capture.id))
    assert [(one.position, one.size[1]) for one in taken] == [(0, 900), (1, 901)]
    two = kept_in(tmp_path, "e.zip", export(conversation()))
    with pytest.raises(ImportFileError, match="2 pictures beside 2 answers"):
        found_in(page, two, *shots)


def test_a_copied_text_is_an_answer_where_its_engine_and_prompt_are_named(tmp_path):
    path = kept_in(tmp_path, "copied", b"Oaks lean east, says the wind.")
    with pytest.raises(ImportFileError, match="For a copied answer name --engine and --prompt"):
        found_in(path)
    (answer,) = found_in(path, engine="chatgpt_web", prompt="lean", urls=(ALPHA,)).answers
    assert (answer.form, answer.turn.reading.text) == ("typed", "Oaks lean east, says the wind.")
    assert [one.url for one in answer.turn.reading.citations] == [ALPHA]


def test_typed_sources_beside_a_document_that_tells_its_own_are_refused(tmp_path):
    path = kept_in(tmp_path, "c.json", json.dumps(conversation()).encode())
    with pytest.raises(ImportFileError, match="this document says itself what it cites"):
        found_in(path, urls=(ALPHA,))


def test_every_bad_file_is_named_and_nothing_is_stored(bench, tmp_path):
    good = kept_in(tmp_path, "c.json", json.dumps(conversation()).encode())
    bad = [
        kept_in(tmp_path, "empty.html", b""),
        tmp_path / "absent.zip",
        tmp_path,
        kept_in(tmp_path, "x.pdf", b"%PDF-1.7"),
    ]
    with pytest.raises(ImportFileError) as error:
        handed_in(bench, good, *bad)
    assert [line.split(": ")[0] for line in str(error.value).split("\n")] == [str(b) for b in bad]
    assert bench.read(runs.list_runs) == ()
    assert list(bench.artifacts.hashes()) == []
    found = found_in(good, *bad, skip_bad=True)
    assert (len(found.answers), len(found.skipped)) == (1, 4)
    with pytest.raises(ImportFileError):
        found_in(*bad, skip_bad=True)


def test_a_store_that_fails_in_the_middle_holds_nothing_of_the_run(bench, tmp_path, monkeypatch):
    path = kept_in(tmp_path, "c.json", json.dumps(conversation()).encode())

    def broken(*_):
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr("monitor.pipeline.importing.save_readings", broken)
        with pytest.raises(OSError, match="the disk is full"):
            handed_in(bench, path)
    assert bench.read(runs.list_runs) == ()
    assert handed_in(bench, path).is_new


def test_an_import_stands_in_no_line_of_runs(bench, tmp_path):
    first = handed_in(bench, kept_in(tmp_path, "a.json", json.dumps(conversation()).encode())).run
    other = conversation((QUESTION, "East."), name="d")
    second = handed_in(bench, kept_in(tmp_path, "b.json", json.dumps(other).encode())).run
    assert previous_run(bench, second) is None
    assert earlier_runs(bench, second, 5) == ()
    assert first.id < second.id


def test_an_export_tells_what_is_noted_of_what_was_handed_in(bench, tmp_path):
    path = kept_in(tmp_path, "e.zip", export(conversation(("x", "y"), (QUESTION, TEXT))))
    run = handed_in(bench, path, at=AT).run
    score_run(bench, run, WordJudge())
    body = json.loads(export_json(bench, run))
    (noted,) = body["imports"]
    assert (noted["file_name"], noted["turn"], noted["dated_by"]) == ("e.zip", 2, "declared")
    assert noted["completeness"]["earlier_turns"] == 1
    assert body["citations"][0]["access"] == "import"


def test_a_follow_up_prompt_of_another_panel_is_no_concern_of_this_one(tmp_path):
    path = kept_in(tmp_path, "c.json", json.dumps(conversation((OTHER, TEXT))).encode())
    panel = Panel("p", 1, 1, "en-GB", ("chatgpt_web",), (Prompt("only", QUESTION, "en-GB"),))
    found = found_in(path, panel=panel)
    assert (found.answers, found.unmatched_count) == ((), 1)


def test_servers_keep_an_import_as_a_folder_does(bench_on_servers, tmp_path):
    bench = bench_on_servers
    path = kept_in(tmp_path, "e.zip", export(conversation()))
    done = handed_in(bench, path, at=AT)
    assert (done.is_new, handed_in(bench, path, at=AT).is_new) == (True, False)
    ((capture, reading, noted),) = stored(bench, done.run)
    assert (capture.asked_at, noted.declared_at, len(reading.citations)) == (AT, AT, 1)
    other = handed_in(bench, path, prompt="drink")
    assert other.before == {"e.zip": (done.run.public_id,)}
    assert previous_run(bench, other.run) is None
    assert bench.read(lambda c: runs.list_runs(c, imports=False)) == ()
