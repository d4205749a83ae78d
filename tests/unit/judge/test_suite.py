"""The suite of claims right and wrong in one known way: its shape, not what a judge makes of it.

Each label was checked by hand against the passage when the claim was written.
"""

import json
from collections import Counter, defaultdict
from importlib.resources import files

import pytest

from monitor.domain.claim import Support
from monitor.judge.suite import CHANGED, KEPT, SuiteRow, suite_rows

ALL = (*suite_rows("open"), *suite_rows("blind"))


def by_base() -> dict[str, list[SuiteRow]]:
    found: dict[str, list[SuiteRow]] = defaultdict(list)
    for row in ALL:
        found[row.base].append(row)
    return found


def test_there_are_enough_bases_and_changed_claims() -> None:
    assert len(by_base()) >= 90
    assert sum(row.kind in CHANGED for row in ALL) >= 400


def test_each_kind_of_change_is_there_often_enough() -> None:
    counts = Counter(row.kind for row in ALL)
    wanted = {kind: 45 if kind in {"number", "date", "negation"} else 25 for kind in CHANGED}
    assert {kind: n for kind, n in wanted.items() if counts[kind] < n} == {}


@pytest.mark.parametrize("half", ["open", "blind"])
def test_each_kind_is_in_both_halves(half: str) -> None:
    assert {row.kind for row in ALL if row.half == half} == {*CHANGED, *KEPT}


def test_the_halves_share_no_base_and_are_of_one_size() -> None:
    halves = {h: {row.base for row in ALL if row.half == h} for h in ("open", "blind")}
    assert halves["open"] & halves["blind"] == set()
    assert abs(len(halves["open"]) - len(halves["blind"])) <= 1


def test_each_base_has_a_reworded_claim_and_four_to_ten_changed_ones() -> None:
    for base, rows in by_base().items():
        kinds = Counter(row.kind in CHANGED for row in rows)
        assert "reworded" in {row.kind for row in rows}, base
        assert 4 <= kinds[True] <= 10, base
        assert len({row.passages for row in rows}) == 1, base


def test_no_claim_equals_another_of_its_base() -> None:
    for base, rows in by_base().items():
        assert len({row.claim.casefold() for row in rows}) == len(rows), base


def test_ids_are_stable_names_of_base_and_kind() -> None:
    assert len({row.id for row in ALL}) == len(ALL)
    assert all(row.id.startswith(f"{row.base}/{row.kind}") for row in ALL)


def test_kept_claims_are_full_and_changed_claims_are_not() -> None:
    assert {row.label for row in ALL if row.kind in KEPT} == {Support.FULL}
    assert {row.label for row in ALL if row.kind in CHANGED} == {
        Support.PARTIAL,
        Support.UNSUPPORTED,
        Support.CONTRADICTED,
    }
    assert {row.label for row in ALL if row.kind == "added"} == {Support.PARTIAL}


def test_a_reworded_claim_does_not_stand_in_its_passages_and_a_copied_one_does() -> None:
    standing = {row.id: row.claim in " ".join(row.passages) for row in ALL}
    assert all(standing[row.id] for row in ALL if row.kind == "copied")
    assert not any(standing[row.id] for row in ALL if row.kind != "copied")


def test_passages_have_two_to_six_sentences_of_text() -> None:
    for row in ALL:
        assert all(80 <= len(passage) <= 600 for passage in row.passages), row.id


@pytest.mark.parametrize("half", ["open", "blind"])
def test_files_hold_one_ascii_object_a_line(half: str) -> None:
    text = files("monitor.judge.suite").joinpath(f"{half}.jsonl").read_text("ascii")
    rows = [json.loads(line) for line in text.splitlines()]
    fields = ["id", "base", "kind", "claim", "passages", "label", "half"]
    assert all(list(row) == fields for row in rows)
