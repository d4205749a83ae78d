"""URL identity against outside truth: policy cases, publishers' own links, standards' vectors."""

import csv
import json
from functools import cache
from pathlib import Path

import pytest

from monitor.urls import identify, registrable_domain
from tests.corpora import corpora

pytestmark = pytest.mark.corpora


def _rows(name: str) -> list[dict[str, str]]:
    with corpora(f"urls/{name}").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def _peers(name: str):
    return json.loads(Path(corpora(f"urls/peers/{name}.json")).read_text(encoding="utf-8"))


@cache
def _key(url: str) -> str | None:
    return identify(url, prose=True).page_key


def _control(text: str) -> str:
    return text.replace("{LF}", "\n").replace("{TAB}", "\t")


def _expected(cell: str) -> str | None:
    return None if cell in {"", "?"} else cell


@pytest.mark.parametrize("level", ["M", "P"])
def test_every_policy_case_has_the_key_of_its_canonical_form(level):
    cases = [case for case in _rows("cases.tsv") if case["level"] == level and case["canonical"]]
    wrong = [
        case["raw"]
        for case in cases
        if _key(_control(case["raw"])) is None
        or _key(_control(case["raw"])) != _key(case["canonical"])
    ]
    assert (len(cases) > 50, wrong) == (True, [])


def test_every_string_that_is_no_page_is_rejected():
    cases = [case["raw"] for case in _rows("cases.tsv") if not case["canonical"]]
    identities = [identify(_control(raw), prose=True) for raw in cases]
    assert len(cases) >= 12
    assert {(i.page_key, i.clean_url, i.family, i.unit) for i in identities} == {(None,) * 4}


def test_family_and_unit_are_those_of_the_case():
    wrong = []
    for case in _rows("cases.tsv"):
        identity = identify(_control(case["raw"]), prose=True)
        wanted = (_expected(case["family"]), _expected(case["unit"]))
        wrong += [case["raw"]] * ((identity.family, identity.unit) != wanted)
    assert wrong == []


def test_pages_that_differ_never_share_a_key():
    pairs = _rows("distinct.tsv")
    assert [p for p in pairs if _key(p["a"]) == _key(p["b"]) or _key(p["a"]) is None] == []


@pytest.mark.parametrize(("kind", "floor"), [("rel_canonical", 0.94), ("amphtml", 0.78)])
def test_publishers_own_canonical_links_agree(kind, floor):
    pairs = [tuple(row.values())[:2] for row in _peers("rel_canonical_pairs")[kind]]
    agreed = [
        pair for pair in pairs if _key(pair[0]) is not None and _key(pair[0]) == _key(pair[1])
    ]
    assert len(agreed) / len(pairs) >= floor


def test_registrable_domains_are_those_of_the_suffix_list_vectors():
    vectors = _peers("psl_test")
    wrong = [v for v in vectors if registrable_domain(v["input"] or "") != v["expected"]]
    assert (len(vectors), wrong) == (78, [])


def _is_failure(row) -> bool:
    refused = row.get("failure") or row.get("expected", "") is None
    is_web = row["input"].strip().lower().startswith(("http:", "https:"))
    return bool(refused and is_web and not (row.get("base") or "").startswith("http://["))


@pytest.mark.parametrize(
    "name",
    ["whatwg_urltestdata", "whatwg_ada_extra_urltestdata", "whatwg_verifydnslength_tests"],
)
def test_what_the_url_standard_refuses_is_rejected(name):
    failures = [row for row in _peers(name) if isinstance(row, dict) and _is_failure(row)]
    assert failures
    assert [row["input"] for row in failures if identify(row["input"]).page_key] == []


def test_what_the_url_standard_serialises_has_the_same_key():
    rows = [
        row
        for row in _peers("whatwg_urltestdata")
        if (row.get("expected") or "").startswith(("http:", "https:"))
        and row["input"].strip().lower().startswith(("http://", "https://"))
    ]
    wrong = [
        row["input"]
        for row in rows
        if identify(row["input"]).page_key != identify(row["expected"]).page_key
    ]
    assert (len(rows) > 100, wrong) == (True, [])


def test_keys_are_fixed_points_and_keep_their_family():
    raws = [_control(case["raw"]) for case in _rows("cases.tsv")]
    raws += [row["raw"] for row in _rows("real_sample.tsv")]
    identities = [identify(raw, prose=prose) for raw in raws for prose in (True, False)]
    kept = [identity for identity in identities if identity.page_key is not None]
    again = [identify(identity.page_key) for identity in kept]
    assert len(kept) > 1500
    assert [i.page_key for i in again] == [i.page_key for i in kept]
    assert [(i.family, i.unit) for i in again] == [(i.family, i.unit) for i in kept]


@pytest.mark.parametrize(
    ("name", "given", "wanted"),
    [
        ("ddg_url_parameters", "testURL", "expectURL"),
        ("brave_query_filter", "input", "expected"),
    ],
)
def test_privacy_lists_own_vectors_agree(name, given, wanted):
    wrong = [row for row in _peers(name) if _key(row[given]) != _key(row[wanted])]
    assert wrong == []


def test_amp_links_of_search_engines_are_opened():
    rows = [row for row in _peers("ddg_amp") if row.get("expectURL")]
    assert [row for row in rows if _key(row["ampURL"]) != _key(row["expectURL"])] == []


def test_normalisers_main_vectors_agree():
    # Two rows assume http for an address without scheme; https is our policy.
    rows = [row for row in _peers("normalize_url_js") if row["group"] == "main"]
    wrong = {
        row["input"]
        for row in rows
        if identify(row["input"]).page_key != identify(row["expected"]).page_key
    }
    assert wrong <= {"//sindresorhus.com:80/", "sindresorhus.com:123"}


def test_numeric_hosts_are_read_as_the_url_standard_does():
    vectors = _peers("urlcanon_funky_ipv4")
    wrong = {
        host: expected
        for host, expected in vectors.items()
        if expected is not None and identify(f"http://{host}/").page_key != f"https://{expected}/"
    }
    assert wrong == {}
