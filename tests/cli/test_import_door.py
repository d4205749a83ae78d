"""`monitor import`: one command from a file to scores, and plain words where that cannot be."""

import json

import jsonschema
import pytest

from monitor.config.settings import load_settings
from monitor.pipeline.bench import open_bench
from tests.edges.importing import migrated_store
from tests.house import ROOT
from tests.unit.imports import handed
from tests.unit.imports.handed import ALPHA, OTHER, QUESTION, TEXT, conversation, export

PANEL = f"""\
panel: trees
version: 1
repeats: 1
locale: en-GB
engines: [chatgpt_web]
prompts:
  - {{id: lean, text: "{QUESTION}"}}
  - {{id: drink, text: "{OTHER}"}}
"""
CONFIG = """\
store: {database: "sqlite:///monitor.db", artifacts: artifacts}
pages: {fetch: false}
"""


@pytest.fixture(scope="module")
def empty_store(tmp_path_factory):
    return migrated_store(tmp_path_factory.mktemp("empty"))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, empty_store):
    """An installation with one panel, and an export of two conversations."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompt_panels").mkdir()
    (tmp_path / "prompt_panels" / "trees.yaml").write_text(PANEL, "utf-8")
    (tmp_path / "config.yaml").write_text(CONFIG, "utf-8")
    (tmp_path / "monitor.db").write_bytes(empty_store)
    private = conversation(("A private question?", "A private answer."), name="p")
    members = {"user.json": b'{"email": "someone@mail.example"}'}
    (tmp_path / "export.zip").write_bytes(export(private, conversation(), members=members))
    (tmp_path / "shot.png").write_bytes(handed.png())
    return tmp_path


def valid(body):
    whole = json.loads((ROOT / "docs" / "schemas" / "import.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(whole)
    jsonschema.validate(body, whole)
    return body


def test_an_export_is_imported_scored_and_known_again(call):
    code, said, told = call("import", "export.zip", "--panel", "trees")
    assert (code, "Traceback" in told) == (0, False)
    assert "imported as run:trees:import:" in said
    assert "1 answer matches no prompt of the panel" in said
    assert "not kept: account file 1" in said
    run = said.split("imported as ")[1].split()[0]
    code, said, _ = call("import", "export.zip", "--panel", "trees")
    assert (code, f"handed in before, nothing is new: {run}" in said) == (0, True)
    code, said, _ = call("export", run)
    body = json.loads(said)
    assert code == 0
    assert [one["access"] for one in body["citations"]] == ["import"]
    assert "access:import" in body["scorecards"][0]["signature"]
    jsonschema.validate(
        body, json.loads((ROOT / "docs" / "schemas" / "export.schema.json").read_text("utf-8"))
    )
    assert call("reparse", run)[0] == 0
    assert call("verify", run)[0] == 0


def test_programs_read_one_json_object(call):
    code, said, _ = call("import", "export.zip", "--panel", "trees", "--dry-run", "--json")
    dry = valid(json.loads(said))
    assert (code, dry["unmatched"]["count"], "run" in dry) == (0, 1, False)
    assert dry["unmatched"]["shown"][0]["question"] == "A private question?"
    code, said, _ = call("import", "export.zip", "--panel", "trees", "--json")
    done = valid(json.loads(said))
    assert (code, done["state"], done["new"]) == (0, "done", True)
    assert done["answers"] == dry["answers"]
    code, said, _ = call("status", "--json")
    assert json.loads(said)["run"] == done["run"]


def test_a_dry_run_stores_nothing(call, folder):
    (folder / "monitor.db").unlink()
    assert call("import", "export.zip", "--panel", "trees", "--dry-run")[0] == 0
    assert not (folder / "monitor.db").exists()
    assert not (folder / "artifacts").exists()


def test_what_is_stored_only_is_scored_by_resume(call):
    code, said, _ = call("import", "export.zip", "--panel", "trees", "--no-score")
    assert code == 0
    resume = said.split("stored; `monitor ")[1].split("`")[0].split()
    code, said, _ = call(*resume)
    assert (code, "state done" in said) == (0, True)


def test_an_import_beside_a_run_at_work_says_that_it_is_stored(call, folder):
    settings = load_settings(folder / "config.yaml")
    with open_bench(settings) as bench, bench.database.exclusive():
        code, said, told = call("import", "export.zip", "--panel", "trees", "--json")
    assert (code, said) == (2, "")
    assert "stored as run:trees:import:" in told
    assert "working on this store" in told
    run = told.split("stored as ")[1].split(",")[0]
    assert call("resume", run)[0] == 0


def test_a_picture_is_imported_with_what_was_typed_off_it(call):
    words = ("--engine", "copilot_web", "--prompt", "lean", "--url", ALPHA, "--at",
             "2026-11-03T09:30:00+01:00")  # fmt: skip
    code, said, _ = call("import", "shot.png", "--panel", "trees", *words)
    assert code == 0
    assert "no text was handed in: claims are not assessable" in said
    assert "2026-11-03 08:30 UTC (declared)" in said


def test_imports_are_compared_by_name_and_never_with_a_word(call, folder):
    runs = []
    for number in range(2):
        body = json.dumps(conversation((QUESTION, f"{number}. {TEXT}"), name=str(number)))
        (folder / "c.json").write_text(body, "utf-8")
        said = call("import", "c.json", "--panel", "trees", "--json")[1]
        runs.append(json.loads(said)["run"])
    code, said, _ = call("compare", *runs, "--json")
    assert code in {0, 1, 3}
    assert "access" not in json.dumps(json.loads(said)["engines"]["chatgpt_web"]["gates"])
    code, _, told = call("compare", "previous", runs[1])
    assert (code, "was handed in" in told) == (2, True)
    code, _, told = call("reference", runs[0])
    assert (code, "is no baseline" in told) == (2, True)


def test_bad_files_are_all_named_and_can_be_left_out(call, folder):
    (folder / "empty").write_bytes(b"")
    (folder / "x.pdf").write_bytes(b"%PDF-")
    bad = ("empty", "x.pdf", "absent.zip")
    code, _, told = call("import", "export.zip", *bad, "--panel", "trees")
    assert code == 2
    assert all(f"{name}: " in told for name in bad)
    code, said, told = call("import", "export.zip", *bad, "--panel", "trees", "--skip-bad")
    assert (code, "imported as" in said, told.count("skipped ")) == (3, True, 3)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("export.zip",), "Missing option"),
        (("--panel", "trees"), "name files, or a log"),
        (("export.zip", "--panel", "none"), "no panel 'none'"),
        (("export.zip", "--panel", "trees", "--prompt", "x"), "has no prompt 'x'; it has lean"),
        (("export.zip", "--panel", "trees", "--engine", "openai"), "nothing is imported for"),
        (("export.zip", "--panel", "trees", "--at", "yesterday"), "a date, a time and a zone"),
        (("export.zip", "--panel", "trees", "--at", "2026-11-03T09:30"), "and a zone"),
        (("export.zip", "--panel", "trees", "--at", "2999-01-01T00:00Z"), "lies ahead"),
        (("export.zip", "--panel", "trees", "--judge", "x"), "'x'"),
        (("shot.png", "--panel", "trees"), "name --engine and --prompt"),
        (("export.zip", "--panel", "trees", "--text", "absent"), "no picture was handed in"),
    ],
)
def test_what_is_missing_is_said_in_words(call, words, told):
    code, _, said = call("import", *words)
    assert (code, told in said, "Traceback" in said) == (2, True, False)


def test_an_answer_that_no_prompt_asks_for_is_named(call, folder):
    body = json.dumps(conversation(("Why do synthetic oaks lean?", TEXT)))
    (folder / "c.json").write_text(body, "utf-8")
    code, said, told = call("import", "c.json", "--panel", "trees")
    assert code == 2
    assert "nearest prompt: lean" in said
    assert "Name the prompt by --prompt" in told
