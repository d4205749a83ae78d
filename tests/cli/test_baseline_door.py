"""`monitor baseline`: files into the store and out again, byte for byte, and drafts frozen."""

import json

import pytest

from monitor.domain.drafted import Origin, PooledSource, PoolNote, SourceDetails
from monitor.domain.source import Grade
from monitor.pipeline.drafting import Asked, begin
from monitor.store import panels, pools, source_labels
from monitor.store.source_labels import GradeAct
from tests.stored import MADE_AT, PANEL, bench_in

FILE = """# Kept as it was written: comments, odd   spaces and all.
panel: trees
version:   2026-01
annotators: [r1, r2]
drawn_blind: true
frozen_at: 2026-01-01T00:00:00Z
guideline: 1
prompts:
  p1:
    sources:
      - {url: "https://oaks.example/growth", grade: acceptable, supports: [c1]}
    claims:
      - {id: c1, text: "Oaks grow slowly.", category: core_fact}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where a person types: settings, a store that knows a panel, and a baseline's file."""
    with bench_in(tmp_path, monkeypatch) as bench:
        bench.write(lambda c: panels.save_panel(c, PANEL, saved_at=MADE_AT))
    (tmp_path / "config.yaml").write_text(
        f"store: {{database: 'sqlite:///{tmp_path}/monitor.db', artifacts: '{tmp_path}/artifacts'}}\n"
    )
    (tmp_path / "trees.baseline.yaml").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_comes_out_as_it_went_in(folder, call):
    code, out, err = call("baseline", "import", "trees.baseline.yaml")
    assert (code, err) == (0, "")
    assert out.startswith("stored trees@2026-01: 1 sources, 1 claims, 1 prompts; drawn blind")
    assert call("baseline", "import", "trees.baseline.yaml")[0] == 0
    code, _, _ = call("baseline", "export", "trees", "--out", "again.yaml")
    assert (code, (folder / "again.yaml").read_bytes()) == (0, FILE.encode())
    code, out, _ = call("baseline", "export", "trees", "--version", "2026-01", "--out", "-")
    assert (code, out) == (0, FILE)
    code, out, _ = call("baseline", "list", "--json")
    (version,) = json.loads(out)["versions"]
    assert (version["version"], version["claims"], version["drawn_blind"]) == ("2026-01", 1, True)


def test_a_file_with_mistakes_is_told_by_its_lines_and_not_stored(folder, call):
    (folder / "trees.baseline.yaml").write_text(FILE.replace("p1:", "oak:").replace("[c1]", "[c7]"))
    code, _, err = call("baseline", "import", "trees.baseline.yaml")
    assert code == 2
    assert "trees.baseline.yaml:9: unknown prompt 'oak'" in err
    assert "trees.baseline.yaml:11: supports unknown claim 'c7'" in err
    assert call("baseline", "export", "trees", "--out", "x.yaml")[0] == 2
    assert "no baseline is stored" in call("baseline", "list")[1]


def test_a_stored_version_never_changes_and_files_of_others_are_not_replaced(folder, call):
    call("baseline", "import", "trees.baseline.yaml")
    (folder / "trees.baseline.yaml").write_text(FILE.replace("slowly", "fast"))
    code, _, err = call("baseline", "import", "trees.baseline.yaml")
    assert (code, "with other content" in err) == (2, True)
    code, _, err = call("baseline", "export", "trees", "--out", "trees.baseline.yaml")
    assert (code, "says something else" in err) == (2, True)
    assert "fast" in (folder / "trees.baseline.yaml").read_text()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the file is empty"), ("panel: [", "not readable as YAML"),
        (FILE.replace("panel: trees", "panel: bushes"), "neither in"),
    ],
)  # fmt: skip
def test_what_is_no_baseline_of_a_known_panel_is_refused(folder, call, text, told):
    (folder / "f.yaml").write_text(text)
    code, _, err = call("baseline", "import", "f.yaml")
    assert (code, told in err) == (2, True)
    assert call("baseline", "import", "gone.yaml")[0] == 2


@pytest.mark.parametrize(("word", "blind"), [("--unseen", True), ("--seen", False)])
def test_a_draft_is_frozen_by_command(folder, monkeypatch, call, word, blind):
    with bench_in(folder, monkeypatch) as bench:
        bench.write(lambda c: panels.save_panel(c, PANEL, saved_at=MADE_AT))
        draft_id = begin(bench, "trees", Asked("2026-02", "3", ("r1",)), by=None)
        url, note = "https://oaks.example/growth", PoolNote((Origin("typed", "lead"),))
        one = PooledSource("p1", 1, url, url, "h", "oaks.example", None, None, note, ("r1",))
        bench.write(lambda c: pools.add_sources(c, draft_id, [one], at=MADE_AT))
        act = GradeAct(draft_id, "p1", "h", Grade.OPTIONAL, SourceDetails(), "r1", "3",
                       blind=True, seconds=None, seen=None)  # fmt: skip
        bench.write(lambda c: source_labels.save_label(c, act, at=MADE_AT))
    code, _, err = call("baseline", "freeze", "trees", "--version", "2026-09")
    assert (code, "open: 2026-02" in err) == (2, True)
    code, out, err = call("baseline", "freeze", "trees", "--version", "2026-02", word)
    assert (code, err) == (0, "")
    assert out.startswith("frozen trees@2026-02: 1 sources, 0 claims, 1 prompts")
    assert ("not drawn blind" not in out) is blind
    code, out, _ = call("baseline", "export", "trees", "--out", "-")
    assert f"drawn_blind: {str(blind).lower()}" in out
    assert call("baseline", "freeze", "trees", "--version", "2026-02")[0] == 2
