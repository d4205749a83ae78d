"""Editing a panel between two runs, as a person does it: the file, the refusal, the comparison."""

import json
from unittest.mock import patch

import httpx
import pytest

from tests.cli.test_run_door import CONFIG
from tests.stored import answer

BODY = answer("Black tea brews at 95 degrees [1].", ("[1]", "https://leaf.example/tea"))
CALL = httpx.AsyncClient
QUICK = CONFIG.replace("attempts: 1", "attempts: 1, per_minute: 60000")


def panel(version, prompts, repeats=1):
    lines = "".join(f"  - {{id: {key}, text: {json.dumps(text)}}}\n" for key, text in prompts)
    head = f"panel: tea\nversion: {version}\nrepeats: {repeats}\nlocale: en-GB\n"
    return f"{head}engines: [openai]\nprompts:\n{lines}"


PROMPTS = [(f"p{n}", f"How hot is tea number {n}?") for n in range(6)]


@pytest.fixture
def edit(tmp_path, monkeypatch):
    """Write the panel of an installation whose engine gives one answer to everything."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-one")
    (tmp_path / "prompt_panels").mkdir()
    (tmp_path / "config.yaml").write_text(QUICK, "utf-8")

    def vendor(**_):
        return CALL(transport=httpx.MockTransport(lambda _: httpx.Response(200, content=BODY)))

    def write(*parts, **more):
        text = panel(*parts, **more)
        (tmp_path / "prompt_panels" / "tea.yaml").write_text(text, "utf-8")

    with patch("monitor.pipeline.capturing.httpx.AsyncClient", side_effect=vendor):
        yield write


def test_an_edit_without_a_new_version_is_refused_with_what_changed_and_what_to_do(edit, call):
    edit(1, PROMPTS)
    assert call("run", "tea", "--slot", "2026-01")[0] == 0
    edit(1, [("p0", "How cold is tea?"), *PROMPTS[1:]])
    code, out, err = call("run", "tea", "--slot", "2026-02")
    assert (code, out) == (2, "")
    assert err.startswith(
        "error: panel tea version 1 is stored with other content: prompt 'p0': text "
        "'How hot is tea number 0?' -> 'How cold is tea?'. Answers belong to the version"
    )
    assert "raise `version` to 2 in the file" in err


def test_another_order_runs_under_the_same_version(edit, call):
    edit(1, PROMPTS)
    assert call("run", "tea", "--slot", "2026-01")[0] == 0
    edit(1, PROMPTS[::-1])
    assert call("run", "tea", "--slot", "2026-02")[0] == 0
    out = call("compare", "2026-01", "2026-02")[1]
    assert "left out" not in out
    assert "event" not in out


def test_a_comparison_keeps_to_unchanged_prompts_and_names_the_others(edit, call):
    edit(1, PROMPTS)
    call("run", "tea", "--slot", "2026-01")
    edit(2, [("p0", "How cold is tea?"), *PROMPTS[1:], ("p6", "Milk?")], repeats=2)
    assert call("run", "tea", "--slot", "2026-02")[0] == 0
    code, out, _ = call("compare", "2026-01", "2026-02")
    assert code == 3
    assert "tea@1 → tea@2 (repeats '1' -> '2')" in out
    # Five of seven prompts are the same: too few to compare, and it says which.
    assert "  not comparable: 5 of 7 prompts matched, 80% needed" in out
    assert "  left out, edited: p0" in out
    assert "  left out, only after: p6" in out
    told = json.loads(call("compare", "2026-01", "2026-02", "--json")[1])
    assert [one["prompt_id"] for one in told["engines"]["openai"]["left_out"]] == ["p0", "p6"]
    assert (told["only_before"], told["only_after"]) == ([], [])


def test_the_report_of_a_comparison_says_what_was_left_out(edit, call, tmp_path):
    edit(1, PROMPTS)
    call("run", "tea", "--slot", "2026-01")
    edit(2, [("p0", "How cold is tea?"), *PROMPTS[1:]])
    call("run", "tea", "--slot", "2026-02")
    assert call("report", "2026-02", "--out", str(tmp_path / "new.html"))[0] == 0
    page = (tmp_path / "new.html").read_text("utf-8").replace("\xa0", " ")
    assert "5 of 6 prompts matched" in page
    assert "Left out, edited: p0." in page


def test_a_deleted_prompt_keeps_its_history_in_report_and_export(edit, call, tmp_path):
    edit(1, PROMPTS)
    call("run", "tea", "--slot", "2026-01")
    edit(2, PROMPTS[1:])
    call("run", "tea", "--slot", "2026-02")
    told = json.loads(call("export", "2026-01", "--format", "json")[1])
    assert [one["text"] for one in told["prompts"]] == [text for _, text in PROMPTS]
    assert call("report", "2026-01", "--out", str(tmp_path / "old.html"))[0] == 0
    assert PROMPTS[0][1] in (tmp_path / "old.html").read_text("utf-8")
    assert call("report", "2026-02", "--out", str(tmp_path / "new.html"))[0] == 0
    # The new report tells that it was asked before and is not any more.
    gone = f'{PROMPTS[0][1]}</bdi></small></th><td data-label="2026-02">none</td>'
    assert gone in (tmp_path / "new.html").read_text("utf-8")
