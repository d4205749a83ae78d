"""Identity of URLs against what most people do: canonicalise, then look up the domain.

Ours also unwraps redirects, adapts to sites, names family and unit and raises flags. Memories of
hosts are emptied before every pass, so that no pass profits from the one before.
"""

import csv
import json
import random
import sys
from pathlib import Path
from urllib.parse import urlsplit

from publicsuffixlist import PublicSuffixList
from w3lib.url import canonicalize_url

from benchmarks.figures import Outcome, Ratio, alternating, corpora
from monitor.urls import identify

MOST = 20_000
ROUNDS = 15
BAR = 0.5
PAIRS = "peers/rel_canonical_pairs.json"


def run() -> Outcome:
    """Speed of `identify` as a share of the baseline's."""
    urls = real_urls(corpora() / "urls") or made_urls(3000)
    urls = urls[:MOST]
    suffixes = PublicSuffixList()
    suffixes.privatesuffix("warm.example.com")
    identify("https://warm.example.com/")

    def baseline() -> None:
        for url in urls:
            canonical = canonicalize_url(url)
            suffixes.privatesuffix(urlsplit(canonical).hostname or "")

    def ours() -> None:
        forget_hosts()
        for url in urls:
            identify(url)

    theirs, own = alternating((baseline, ours), ROUNDS)
    return Outcome(
        (
            f"{len(urls)} distinct URLs, best of {ROUNDS}",
            f"w3lib canonicalize_url + publicsuffixlist: {len(urls) / theirs:,.0f} URLs/s",
            f"identify, full pipeline: {len(urls) / own:,.0f} URLs/s",
        ),
        (Ratio("speed of identify", theirs / own, BAR, at_least=True),),
    )


def forget_hosts() -> None:
    """Empty every bounded memory of the room (all are keyed by host); tables read once stay."""
    modules = [m for name, m in sys.modules.items() if name.startswith("monitor.urls.")]
    for memory in (value for module in modules for value in vars(module).values()):
        if hasattr(memory, "cache_info") and memory.cache_info().maxsize is not None:
            memory.cache_clear()


def real_urls(folder: Path) -> list[str]:
    """Distinct real URLs of the reference material that the baseline can read; none without it."""
    if not folder.exists():
        return []
    found: list[str] = []
    for name in ("real_sample.tsv", "cases.tsv"):
        with (folder / name).open(newline="", encoding="utf-8") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            found += [row["raw"] for row in rows]
    found += _strings(json.loads((folder / PAIRS).read_text("utf-8")))
    return [url for url in dict.fromkeys(found) if _readable(url)]


def _strings(value: object) -> list[str]:
    """Every string of a JSON value."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _strings(part)]


def _readable(url: str) -> bool:
    """Whether a string is a web address that the baseline does not choke on."""
    if not url.startswith(("http://", "https://")):
        return False
    try:
        return bool(urlsplit(canonicalize_url(url)).hostname)
    except ValueError:
        return False


def made_urls(count: int) -> list[str]:
    """Synthetic URLs with the marks real ones carry."""
    dice = random.Random(7)
    words = (
        "guide",
        "news",
        "how-to-choose",
        "reviews",
        "2026/05/14",
        "Best Practice",
        "caf%C3%A9",
    )
    tails = (
        "",
        "/",
        "?utm_source=openai",
        "?id={}&page=2",
        "#section-{}",
        "/amp/",
        "?b=2&a=1&ref=x",
    )
    shapes = (
        "https://www.{}.example.com",
        "https://{}.co.uk",
        "http://m.{}.org",
        "https://{}.github.io",
    )
    made = []
    for number in range(count):
        host = dice.choice(shapes).format(f"site-{dice.randrange(count // 2)}")
        tail = dice.choice(tails).format(number)
        made.append(f"{host}/{dice.choice(words)}/{dice.choice(words)}-{number}{tail}")
    return made
