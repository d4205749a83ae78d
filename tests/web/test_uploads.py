"""Files handed in by a form: looked at first, stored once, never half; hostile ones refused."""

import os
import queue
import re
import stat
import time
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import lxml.html
import pytest

from monitor.errors import StoreError
from monitor.pipeline import spool as spooling
from monitor.pipeline.spool import spool_of
from monitor.store import audit, captures, runs
from monitor.web import scoring_later
from monitor.web.pages import uploads
from tests.edges.importing import kept_in
from tests.house import ROOT
from tests.stored import planned
from tests.unit.imports import handed
from tests.web import people
from tests.web.conftest import asking

PANEL = f"""
panel: trees
version: 1
repeats: 1
locale: en-GB
engines: [openai]
prompts:
  - id: lean
    text: {handed.QUESTION}
  - id: elms
    text: How old do elms get?
"""
EXPORT = handed.export(
    handed.conversation(), handed.conversation((handed.OTHER, handed.TEXT), name="d")
)
AT = "2026-11-03T09:30:00Z"
TYPED = {"engine": "chatgpt_web", "prompt": "elms", "at": AT}


@pytest.fixture
def bench(bench, tmp_path):
    (tmp_path / "panels").mkdir()
    kept_in(tmp_path / "panels", "trees.yaml", PANEL.encode())
    capped = people.set_up(bench, upload_megabytes=1)
    part = capped.settings.model_copy(update={"panels": str(tmp_path / "panels")})
    return replace(capped, settings=part)


@pytest.fixture
async def client(bench):
    async with asking(people.app_of(bench)) as one:
        yield one


async def mark(client):
    return people.MARK.search((await client.get("/upload")).text)[1]


async def sent(client, *files, path="/upload", **said):
    """An upload of files as (name, bytes); without one as browsers send an empty choice."""
    fields = {"csrf": await mark(client), "panel": "trees", **said}
    if files:
        return await client.post(path, data=fields, files=[("files", one) for one in files])
    parts = [f'name="{name}"\r\n\r\n{value}' for name, value in fields.items()]
    parts.append('name="files"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n')
    body = "".join(f"--b\r\nContent-Disposition: form-data; {one}\r\n" for one in parts)
    kind = {"content-type": "multipart/form-data; boundary=b"}
    return await client.post(path, content=f"{body}--b--\r\n".encode(), headers=kind)


async def looked(client, *files, **said):
    """Address of an upload that was recognised."""
    got = await sent(client, *files, **said)
    assert got.status_code == 303, problems(got)
    return got.headers["location"]


async def stored(client, place, **said):
    return await client.post(f"{place}/store", data={"csrf": await mark(client), **said})


def problems(got):
    return re.findall(r'<p class="problem">(.*?)</p>', got.text, re.DOTALL)


def waiting(bench):
    """Names of what lies in the spool."""
    folder = Path(f"{bench.settings.store.artifacts}-uploads")
    return sorted(one.name for one in folder.iterdir()) if folder.exists() else []


def kept(bench):
    """Runs and captures there are."""
    found = bench.read(lambda c: runs.list_runs(c, limit=9))
    return found, [
        one for run in found for one in bench.read(lambda c, r=run: captures.load_captures(c, r.id))
    ]


async def test_a_file_is_looked_at_and_nothing_is_stored(bench, client):
    place = await looked(client, ("export.zip", EXPORT))
    got = (await client.get(f"/api/v1{place}")).json()
    assert got["title"] == "1 answer to 1 prompt recognised"
    (one,) = got["answers"]
    assert [one["prompt"], one["engine"], one["form"], one["citations"], one["asked"]] == [
        "lean", "chatgpt_web", "conversation", 1, "matches",
    ]  # fmt: skip
    assert [one["question"] for one in got["unmatched"]] == [handed.OTHER]
    page = await client.get(place)
    assert page.status_code == 200
    assert "Nothing is stored yet" in page.text
    assert kept(bench) == ((), [])


async def test_what_waits_is_nobody_elses_to_read(bench, client):
    place = await looked(client, ("export.zip", EXPORT))
    folder = Path(f"{bench.settings.store.artifacts}-uploads")
    own = folder / place.rpartition("/")[2]
    modes = [stat.S_IMODE(one.stat().st_mode) for one in (folder, own, own / "000")]
    assert modes == [0o700, 0o700, 0o600]
    assert sorted(one.name for one in own.iterdir()) == ["000", "about.json"]


async def test_what_was_recognised_is_stored_once_and_noted(bench, client):
    place = await looked(client, ("../../etc/export.zip", EXPORT))
    got = await stored(client, place)
    ((run,), (capture,)) = kept(bench)
    assert (got.status_code, got.headers["location"]) == (303, f"/runs/{run.public_id}")
    assert run.imported
    assert capture.prompt.id == "lean"
    assert waiting(bench) == []
    (deed,) = bench.read(lambda c: audit.list_deeds(c, limit=9))
    assert (deed.action, deed.subject) == ("import", run.public_id)
    assert deed.body == {"files": ["export.zip"], "new": True}
    again = await stored(client, place)
    assert again.status_code == 404
    assert "hand the files in again" in again.text
    assert len(kept(bench)[0]) == 1


async def test_an_import_that_cannot_be_noted_is_not_stored(bench, client, monkeypatch):
    def refuse(*_, **__):
        raise StoreError("the note is refused")

    place = await looked(client, ("export.zip", EXPORT))
    monkeypatch.setattr(audit, "note", refuse)
    assert (await stored(client, place)).status_code == 409
    assert kept(bench) == ((), [])


async def test_the_same_files_are_the_same_run(bench, client):
    first = await stored(client, await looked(client, ("a.zip", EXPORT)))
    second = await stored(client, await looked(client, ("b.zip", EXPORT)))
    assert first.headers["location"] == second.headers["location"]
    assert len(kept(bench)[0]) == 1


async def test_what_is_dropped_is_gone(bench, client):
    place = await looked(client, ("export.zip", EXPORT))
    got = await client.post(f"{place}/drop", data={"csrf": await mark(client)})
    assert (got.status_code, waiting(bench)) == (303, [])
    assert (await client.get(place)).status_code == 404
    assert kept(bench) == ((), [])


async def test_what_nobody_stores_for_an_hour_is_removed(bench, client):
    place = await looked(client, ("export.zip", EXPORT))
    own = Path(f"{bench.settings.store.artifacts}-uploads") / place.rpartition("/")[2]
    old = time.time() - spooling.KEPT_SECONDS - 60
    os.utime(own, (old, old))
    assert (await client.get(place)).status_code == 404
    assert waiting(bench) == []


async def test_it_is_scored_where_that_is_wanted(client, monkeypatch):
    asked = []
    monkeypatch.setattr(uploads, "score_later", lambda _, run: asked.append(run.public_id))
    plain = await stored(client, await looked(client, ("export.zip", EXPORT)))
    assert asked == []
    place = await looked(client, text="Elms grow old.", **TYPED)
    got = await stored(client, place, scores="true")
    assert [f"/runs/{one}" for one in asked] == [got.headers["location"]]
    assert asked != [plain.headers["location"].removeprefix("/runs/")]


async def test_a_run_that_cannot_be_scored_is_not_stored_and_waits_still(
    bench, client, monkeypatch
):
    monkeypatch.setattr(
        bench.settings.judge.__class__, "name", property(lambda _: "nobody"), raising=False
    )
    place = await looked(client, ("export.zip", EXPORT))
    page = await client.get(place)
    assert "It can be stored and not scored now" in page.text
    got = await stored(client, place, scores="true")
    assert got.status_code == 400
    assert kept(bench) == ((), [])
    assert (await stored(client, place)).status_code == 303


async def test_a_copied_text_is_an_answer_with_its_sources(client):
    place = await looked(
        client,
        text="Elms grow old.",
        urls="https://elms.example/a\n https://elms.example/b",
        **TYPED,
    )
    (one,) = (await client.get(f"/api/v1{place}")).json()["answers"]
    assert [one["form"], one["citations"], one["seen_text"]] == [
        "typed", 2, "2026-11-03 09:30 UTC, as you say",
    ]  # fmt: skip


async def test_the_sample_of_the_form_is_read_with_its_sources(client):
    page = lxml.html.document_fromstring((await client.get("/upload")).content)
    sample = page.xpath("string(//pre[@class='sample'])")
    assert sample.strip() in (ROOT / "docs/surfaces.md").read_text("utf-8")
    mine = sample.replace("How do oaks grow?", "How old do elms get?").encode()
    place = await looked(client, ("first.md", mine), at=AT)
    (one,) = (await client.get(f"/api/v1{place}")).json()["answers"]
    assert [one["prompt"], one["asked"], one["citations"]] == ["elms", "matches", 2]
    assert not any("no citation" in words for words in one["warnings"])


async def test_an_answer_without_citations_says_what_to_do(client):
    place = await looked(client, text="Elms grow old.", **TYPED)
    (one,) = (await client.get(f"/api/v1{place}")).json()["answers"]
    assert one["citations"] == 0
    assert any("type its sources" in words for words in one["warnings"])
    assert "type its sources" in (await client.get(place)).text


async def test_a_picture_is_an_answer_with_the_text_that_it_shows(client):
    place = await looked(client, ("shot.png", handed.png()), text="Elms grow old.", **TYPED)
    (one,) = (await client.get(f"/api/v1{place}")).json()["answers"]
    assert [one["form"], one["pictures"], one["file"]] == ["typed", 1, "shot.png"]
    got = await sent(client, ("shot.png", handed.png()))
    assert "name “Surface” and “Prompt”" in problems(got)[0]


async def test_an_upload_without_a_date_says_that_it_has_none(client):
    said = {**TYPED, "at": ""}
    place = await looked(client, text="Elms grow old.", **said)
    (one,) = (await client.get(f"/api/v1{place}")).json()["answers"]
    assert one["seen_text"].endswith("when it was uploaded")
    assert "dated by the upload alone: say when it was seen" in one["warnings"]


HOSTILE = {
    "empty": (("a.bin", b""), "a.bin: the file is empty"),
    "scripts": (("a.html", b"<script>alert(1)</script>"), "no document of an answer surface"),
    "bomb": (("a.zip", handed.export(members={"x.json": b"0" * 20_000_000})), "a.zip: "),
    "cut": (("a.zip", EXPORT[:80]), "a.zip: "),
    "pixels": (("a.png", b"\x89PNG\r\n\x1a\n" + b"\x00" * 40), "a.png: "),
    "no name": (("\x00/..", b"GIF89a"), "file 1: "),
    "markup": (("<b>x", b"nothing"), "&lt;b&gt;x: "),
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_hostile_files_are_refused_in_words_and_nothing_stays(bench, client, name):
    file, said = HOSTILE[name]
    got = await sent(client, file)
    assert got.status_code == 400
    assert said in " ".join(problems(got))
    assert "<script>alert" not in got.text
    assert (waiting(bench), kept(bench)) == ([], ((), []))


async def test_one_bad_file_among_good_ones_is_left_out_only_when_asked(bench, client):
    both = (("export.zip", EXPORT), ("bad.bin", b""))
    assert (await sent(client, *both)).status_code == 400
    assert waiting(bench) == []
    place = await looked(client, *both, skip_bad="true")
    got = (await client.get(f"/api/v1{place}")).json()
    assert [len(got["answers"]), len(got["skipped"])] == [1, 1]
    assert got["skipped"][0].startswith("bad.bin: ")


async def test_more_than_the_settings_take_is_refused(bench, client):
    got = await sent(client, ("a.bin", b"x" * (2 * 1024 * 1024)))
    assert got.status_code == 413
    claimed = await client.post(
        "/upload",
        content=b"x",
        headers={
            "content-length": str(5 * 10**9), "content-type": "multipart/form-data; boundary=b",
        },
    )  # fmt: skip
    assert claimed.status_code == 413
    assert kept(bench) == ((), [])


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ({"panel": "../../etc/panel.yaml"}, "no sound panel"),
        ({"prompt": "nobody"}, "nobody"),
        ({"engine": "altavista"}, "altavista"),
        ({"at": "yesterday"}, "“Seen at”"),
        ({"at": "0001-01-01T00:00:00+23:59"}, "“Seen at”"),
        ({"at": "2999-01-01T00:00:00Z"}, "lies ahead"),
        ({"turn": "-1"}, "“Which answer”"),
        ({"turn": "7"}, "“Which answer”"),
        ({"urls": "javascript:alert(1)"}, "“Sources shown”"),
    ],
)
async def test_what_is_said_wrongly_is_named_by_its_field(bench, client, said, word):
    got = await sent(client, ("export.zip", EXPORT), **said)
    assert got.status_code == 400
    assert word in " ".join(problems(got))
    assert waiting(bench) == []


async def test_a_form_without_a_file_says_what_to_do(client):
    got = await sent(client)
    assert problems(got) == ["no file was sent: choose one or more, or paste a text"]


@pytest.mark.parametrize("field", ["prompt", "engine", "at", "turn", "panel"])
async def test_fields_of_5000_characters_are_refused(client, field):
    got = await sent(client, ("export.zip", EXPORT), **{field: "x" * 5000})
    assert got.status_code == 422


@pytest.mark.parametrize("name", ["x", "a" * 32, "..%2f..%2fetc", "a" * 5000])
async def test_an_upload_that_is_none_is_not_found(client, name):
    got = await client.get(f"/upload/{name}")
    assert got.status_code == (422 if len(name) > 100 else 404)
    sent_to = await stored(client, f"/upload/{name}")
    assert sent_to.status_code == got.status_code


async def test_uploads_that_wait_may_not_fill_the_disk(bench, client, monkeypatch):
    monkeypatch.setattr(spooling, "_AT_ONCE", 1)
    await looked(client, ("export.zip", EXPORT))
    got = await sent(client, ("other.zip", EXPORT))
    assert "uploads of others wait" in problems(got)[0]
    assert len(waiting(bench)) == 1


async def test_too_many_files_are_refused(bench, client, monkeypatch):
    monkeypatch.setattr(spooling, "MOST_FILES", 2)
    got = await sent(client, *((f"{n}.txt", b"x") for n in range(3)))
    assert "more than 2 files at once" in problems(got)[0]
    assert waiting(bench) == []


async def test_an_upload_is_stored_by_one_alone(bench, client):
    place = await looked(client, ("export.zip", EXPORT))
    spool, name = spool_of(bench.settings), place.rpartition("/")[2]
    with spool.taken(name):
        assert (await stored(client, place)).status_code == 404
    assert kept(bench) == ((), [])


def test_a_failed_store_puts_the_upload_back(bench):
    spool = spool_of(bench.settings)
    one = spool.keep([("a.txt", BytesIO(b"x"))], {})
    with pytest.raises(ZeroDivisionError), spool.taken(one.name):
        raise ZeroDivisionError
    assert spool.load(one.name).files == one.files


async def test_the_api_says_what_files_are_and_imports_them_only_when_told(bench, client):
    api = {"path": "/api/v1/imports"}
    dry = await sent(client, ("export.zip", EXPORT), **api)
    assert dry.status_code == 200
    assert [dry.json()["dry_run"], dry.json()["run"]] == [True, ""]
    assert dry.json()["found"]["answers"][0]["prompt"] == "lean"
    assert (waiting(bench), kept(bench)) == ([], ((), []))
    done = await sent(client, ("export.zip", EXPORT), dry_run="false", **api)
    ((run,), _) = kept(bench)
    assert [done.json()["run"], done.json()["is_new"]] == [run.public_id, True]
    again = await sent(client, ("export.zip", EXPORT), dry_run="false", **api)
    assert [again.json()["run"], again.json()["is_new"]] == [run.public_id, False]
    bad = await sent(client, ("a.bin", b""), **api)
    assert (bad.status_code, "a.bin: " in bad.json()["detail"]) == (400, True)
    assert waiting(bench) == []


def test_a_run_is_scored_in_the_background_and_a_failure_is_told(bench, monkeypatch):
    told, run = queue.Queue(), planned(bench)

    def fail(_, asked, *, judge_name):
        raise StoreError(f"{asked.public_id} by {judge_name}: somebody else is at work")

    monkeypatch.setattr(scoring_later, "hand_over", fail)
    monkeypatch.setattr(scoring_later, "log", lambda event, **more: told.put((event, more)))
    scoring_later.score_later(bench, run)
    event, more = told.get(timeout=60)
    assert (event, more["run"]) == ("import_not_scored", run.public_id)
    assert str(more["error"]).startswith("run:trees:2026-01 by None")
