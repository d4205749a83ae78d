"""What the gates measure: one function per number, each a share or a rank probability in [0, 1]."""

import csv
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks import judge_fit
from monitor.domain.claim import Support, Verdict
from monitor.domain.engine import Exchange, Request
from monitor.engines import read
from monitor.judge import make_judge
from monitor.judge.suite import CHANGED, KEPT, Half, SuiteRow, suite_rows
from monitor.urls import identify
from tests.corpora import corpora_root

RECORDINGS = {
    "openai_responses": "openai",
    "openai_chat_search": "openai_chat_search",
    "perplexity": "perplexity",
    "perplexity_via_openrouter": "openrouter",
    "openrouter": "openrouter",
    "xai": "xai",
    "mistral": "mistral",
    "gemini": "gemini",
    "anthropic": "anthropic",
    "serpapi_ai_overview": "google_ai_overview",
    "serpapi_ai_mode": "google_ai_mode",
}
SINGLE_RECORDINGS = {
    "dataforseo/geoprompt_aio_live_advanced.json": "google_ai_overview_dataforseo",
    "dataforseo/docs_ai_mode_live_advanced.json": "google_ai_mode_dataforseo",
}
JUDGE = make_judge("embedded")
HALVES: tuple[Half, ...] = ("open", "blind")


class AbsentError(Exception):
    """The reference material of a gate is not on this machine."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One measured quality, of how many rows, and the digest of what it was measured on."""

    value: float
    rows: int
    corpus: str
    """sha256 of the reference files; empty for what lies in this repository."""


def reference(name: str) -> Path:
    """A reference file or folder; AbsentError where it is not here."""
    path = corpora_root() / name
    if not path.exists():
        raise AbsentError(name)
    return path


def digest(paths: Iterable[Path]) -> str:
    """One hash over names and bytes of files, in the order of their names."""
    total = hashlib.sha256()
    for path in sorted(paths):
        total.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


@cache
def judged(name: str) -> tuple[tuple[dict[str, Any], Verdict], ...]:
    """Every labelled row of a set with the judge's verdict."""
    lines = reference(f"judge/{name}.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return tuple((row, JUDGE.verdict(row["claim"], tuple(row["passages"]))) for row in rows)


def of_rows(name: str, value: float) -> Measured:
    """A number measured on every row of one labelled set."""
    return Measured(value, len(judged(name)), digest([reference(f"judge/{name}.jsonl")]))


def out_of_fold(figure: Callable[[Any, judge_fit.Seen], float]) -> Measured:
    """A figure of AttributionBench rows by judges that trained without their question.

    Mean over five ways of dealing questions into five folds, with the training code as it is now.
    """
    paths = [reference(f"judge/{name}.jsonl") for name in (judge_fit.BENCH, *judge_fit.OTHERS)]
    found = judge_fit.seen(judge_fit.BENCH)
    values = [figure(judge_fit.out_of_fold(seed), found) for seed in judge_fit.SEEDS]
    return Measured(judge_fit.mean(values), len(found.labels), digest(paths))


def surest(scores: Any, found: judge_fit.Seen) -> float:
    """Share of right answers among the 40 % of rows that the judge is surest of."""
    return judge_fit.sure_right(scores, found, 0.4)


def ranking(name: str, other: str) -> Measured:
    """Probability that a supported row scores above one with another label (AUROC)."""
    high, low = (
        [v.score or 0.0 for row, v in judged(name) if row["label"] == label]
        for label in ("full", other)
    )
    wins = sum((a > b) + 0.5 * (a == b) for a in high for b in low)
    return of_rows(name, wins / (len(high) * len(low)))


def decided(name: str) -> Measured:
    """Share of rows on which the judge commits itself."""
    told = [v.support is not Support.NOT_ASSESSABLE for _, v in judged(name)]
    return of_rows(name, sum(told) / len(told))


def table(name: str) -> list[dict[str, str]]:
    """Rows of a tab-separated reference file."""
    with reference(f"urls/{name}").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def _control(text: str) -> str:
    return text.replace("{LF}", "\n").replace("{TAB}", "\t")


def _key(text: str) -> str | None:
    return identify(_control(text), prose=True).page_key


def url_cases() -> Measured:
    """Share of URL cases with the page of their canonical form, or rejected as they should be."""
    rows = table("cases.tsv")
    right = [
        _key(row["raw"]) == _key(row["canonical"]) if row["canonical"] else _key(row["raw"]) is None
        for row in rows
    ]
    return Measured(sum(right) / len(right), len(right), digest([reference("urls/cases.tsv")]))


def url_families() -> Measured:
    """Share of URL cases with the family and unit that people gave them."""
    rows = table("cases.tsv")
    right = []
    for row in rows:
        found = identify(_control(row["raw"]), prose=True)
        wanted = [None if row[k] in {"", "?"} else row[k] for k in ("family", "unit")]
        right.append([found.family, found.unit] == wanted)
    return Measured(sum(right) / len(right), len(right), digest([reference("urls/cases.tsv")]))


def url_distinct() -> Measured:
    """Share of pairs of different pages that keep different keys."""
    rows = table("distinct.tsv")
    right = [
        None not in {_key(r["a"]), _key(r["b"])} and _key(r["a"]) != _key(r["b"]) for r in rows
    ]
    return Measured(sum(right) / len(right), len(right), digest([reference("urls/distinct.tsv")]))


def recording_engines() -> dict[str, str]:
    """Recordings that we read, with the engine that sent each."""
    root = reference("engines/recordings")
    found = {
        path.relative_to(root).as_posix(): engine
        for folder, engine in RECORDINGS.items()
        for path in (root / folder).rglob("*.*")
        if not path.name.endswith(".meta.json")
    }
    return found | SINGLE_RECORDINGS


def recordings() -> Measured:
    """Share of recordings whose displayed URLs are the expected ones, in order."""
    root = reference("engines/recordings")
    expected = json.loads((root / "EXPECTED.json").read_text("utf-8"))
    engines = {n: e for n, e in recording_engines().items() if n in expected}
    right = []
    for name, engine in engines.items():
        wanted = list(dict.fromkeys(expected[name]["cited_urls_in_display_order"] or []))
        shown = [c.url for c in read(engine, (_exchange(root / name),)).displayed]
        right.append(shown == wanted)
    corpus = digest([root / "EXPECTED.json", *(root / name for name in engines)])
    return Measured(sum(right) / len(right), len(right), corpus)


def _exchange(path: Path) -> Exchange:
    beside = path.with_name(f"{path.stem}.meta.json")
    meta = json.loads(beside.read_text("utf-8")) if beside.exists() else {}
    request = Request(meta.get("method", "POST"), meta.get("uri", ""), meta.get("request_body"))
    return Exchange(path.read_bytes(), meta.get("status"), (), request)


@cache
def perturbed(half: Half) -> tuple[tuple[SuiteRow, Support], ...]:
    """Every row of one half of our own suite, with what the judge makes of it."""
    return tuple((row, _told(row.claim, row)) for row in suite_rows(half))


def _told(claim: str, row: SuiteRow) -> Support:
    return JUDGE.verdict(claim, row.passages).support


def share(kept: Sequence[bool]) -> Measured:
    """Share of a suite of our own that came out right."""
    return Measured(sum(kept) / len(kept), len(kept), "")


def flagged(half: Half, kind: str) -> Measured:
    """Share of claims with one kind of change that are called anything but full."""
    told = [support for row, support in perturbed(half) if row.kind == kind]
    return share([support is not Support.FULL for support in told])


def unperturbed_kept(half: Half) -> Measured:
    """Share of supported claims, copied or reworded, that are called full."""
    told = [support for row, support in perturbed(half) if row.kind in KEPT]
    return share([support is Support.FULL for support in told])


def unperturbed_not_accused(half: Half) -> Measured:
    """Share of supported claims that are called full or left open, never less than full."""
    told = [support for row, support in perturbed(half) if row.kind in KEPT]
    return share([support in {Support.FULL, Support.NOT_ASSESSABLE} for support in told])


def strangers() -> list[tuple[SuiteRow, SuiteRow]]:
    """Each reworded claim with the rows of the next three bases, whose passages it never met."""
    rows = [row for half in HALVES for row in suite_rows(half) if row.kind == "reworded"]
    return [(row, rows[(i + step) % len(rows)]) for i, row in enumerate(rows) for step in (1, 2, 3)]


def strangers_refused() -> Measured:
    """Share of claims laid beside the passages of another base that are called unsupported."""
    return share([_told(row.claim, other) is Support.UNSUPPORTED for row, other in strangers()])


def of_suite() -> dict[str, Callable[[], Measured]]:
    """Gates over the suite, each half apart: what was tuned on is never mixed with what was not."""
    found: dict[str, Callable[[], Measured]] = {}
    for half in HALVES:
        found[f"perturbation/{half}/unperturbed_kept"] = partial(unperturbed_kept, half)
        found[f"perturbation/{half}/unperturbed_not_accused"] = partial(
            unperturbed_not_accused, half
        )
        for kind in CHANGED:
            found[f"perturbation/{half}/{kind}_flagged"] = partial(flagged, half, kind)
    return found


GATES: Mapping[str, Callable[[], Measured]] = {
    "judge/attributionbench_dev/macro_f1": partial(out_of_fold, judge_fit.mean_f1),
    "judge/attributionbench_dev/surest_right": partial(out_of_fold, surest),
    "judge/attributionbench_dev/decided": partial(decided, "attributionbench_dev"),
    "judge/attributionbench_dev/ranking": partial(out_of_fold, judge_fit.ranks),
    "judge/factcheckgpt_open/ranking": partial(ranking, "factcheckgpt_open", "unsupported"),
    "judge/fever_symmetric_dev/ranking": partial(ranking, "fever_symmetric_dev", "contradicted"),
    "judge/healthver_dev/ranking": partial(ranking, "healthver_dev", "unsupported"),
    "judge/wice_dev/ranking": partial(ranking, "wice_dev", "unsupported"),
    **of_suite(),
    "perturbation/strangers_refused": strangers_refused,
    "recordings/displayed": recordings,
    "urls/cases": url_cases,
    "urls/distinct": url_distinct,
    "urls/families": url_families,
}
"""Name of a gate -> what measures it; higher is better in all of them."""
