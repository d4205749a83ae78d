"""A run with everything a proof can rest on: answers, a picture, a page beside it, cited pages."""

import asyncio
import zipfile
from datetime import timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from monitor.config.parts import EnginePart, StorePart
from monitor.config.settings import Settings
from monitor.config.surfaces import EvidencePart
from monitor.domain.panel import Panel, Prompt
from monitor.domain.screenshot import Screenshot, ScreenshotKind, Snapshot, SnapshotKind
from monitor.pipeline.bench import open_bench
from monitor.proofs.keys import make_key
from monitor.store import open_database, screenshots, upgrade
from tests.stored import MADE_AT, answer, captured, keep_page, planned

HOSTILE = (
    '<script>alert(1)</script><img src=x onerror=alert(2)> =HYPERLINK("http://x.example") '
    "\u202edesrever {{ 7 * 7 }} Oaks grow slowly."
)
"""An answer that would do things, were it more than text."""
URL = "https://oak.example/growth"
PICTURE = b"\xff\xd8\xff\xe0 synthetic picture \xff\xd9"
PAGE = "<p>Oaks grow slowly.</p><script>alert(3)</script>"
SECRET = "sk-made-up-one"
PANEL = Panel(
    "trees", 1, 1, "en-GB", ("openai",),
    (Prompt("p1", "How do oaks grow?", "en-GB"), Prompt("p2", "Where do <b>oaks</b> live?", "en-GB")),
)  # fmt: skip
BODY = answer(HOSTILE, ("slowly", URL), ("Oaks", "javascript:alert(4)"))


@cache
def empty_store():
    """Bytes of a store's database without a row: made once, for making one takes a while."""
    with TemporaryDirectory() as folder:
        database = open_database(f"sqlite:///{folder}/monitor.db")
        upgrade(database)
        database.close()
        return (Path(folder) / "monitor.db").read_bytes()


def bench_for(folder, monkeypatch, **evidence):
    """A bench over a store in a folder; `evidence` are settings of that section."""
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "monitor.db").exists():
        (folder / "monitor.db").write_bytes(empty_store())
    store = StorePart(database=f"sqlite:///{folder}/monitor.db", artifacts=f"{folder}/artifacts")
    quick = {"openai": EnginePart(per_minute=100_000)}
    part = EvidencePart(**{name: str(value) for name, value in evidence.items()})
    return open_bench(Settings(store=store, engines=quick, evidence=part))


def proved_run(bench):
    """A run of two answers, the pages they cite fetched; its manifests are made."""
    run = planned(bench, panel=PANEL)
    asyncio.run(captured(bench, run, BODY))
    keep_page(bench, run, URL, "Oaks grow slowly.")
    return run


def picture_of(bench, capture_id, at=MADE_AT):
    """A picture and the page beside it, as a live capture leaves them; before its manifest."""
    shot = Screenshot(
        ScreenshotKind.FULL, bench.artifacts.put(PICTURE), URL, at, "Chromium 1.2.3", (1280, 1600),
        (1280, 2400), "en-GB", masked=1,
    )  # fmt: skip
    kept = Snapshot(SnapshotKind.DOM, bench.artifacts.put(PAGE.encode()), at + timedelta(seconds=1))
    bench.write(lambda c: screenshots.save_screenshot(c, capture_id, shot))
    bench.write(lambda c: screenshots.save_snapshot(c, capture_id, kept))


def signing(folder):
    """A fresh key in a folder: its file, and the key."""
    return folder / "key.pem", make_key(folder / "key.pem")


def unpacked(path):
    """Content of each file of a zip, by its name."""
    with zipfile.ZipFile(path) as zipped:
        return {one.filename: zipped.read(one) for one in zipped.infolist()}


def packed(path, files):
    """A zip of files by their name; its path."""
    with zipfile.ZipFile(path, "w") as zipped:
        for name, content in files.items():
            zipped.writestr(name, content)
    return path
