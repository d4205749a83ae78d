"""The backup of a store on a server, as docs/backup.md says: rows by pg_dump first, then the bytes."""

import asyncio
import subprocess

import pytest

from monitor.config.parts import EnginePart, StorePart
from monitor.config.settings import Settings
from monitor.pipeline.bench import open_bench, silent
from monitor.pipeline.transferring import copy_bytes, copy_pointers
from monitor.pipeline.verifying import verify_store
from monitor.store import captures, open_artifacts, runs
from tests.servers import _plain_environment
from tests.store.old_stores import stored_rows
from tests.stored import PANEL, answer, captured, planned

BODY = answer("Oaks grow slowly.", ("slowly", "https://oak.example/"))


@pytest.fixture
def dump(postgres_server, tmp_path):
    """Runs one of the server's own tools."""

    def run(name, *words):
        program = postgres_server.binaries / name
        if not program.exists():
            pytest.skip(f"no {name} beside this server")
        return subprocess.run(
            [program, *words], env=_plain_environment(), check=True, capture_output=True, text=True
        )

    return run


def on_server(url, artifacts):
    quick = EnginePart(per_minute=100_000)
    store = StorePart(database=url, artifacts=str(artifacts))
    return open_bench(Settings(store=store, engines={"openai": quick}))


def plain(url):
    return url.replace("postgresql+psycopg", "postgresql")


def test_rows_dumped_before_the_bytes_are_copied_are_whole_elsewhere(
    postgres_url, postgres_server, s3_bucket, dump, tmp_path, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-one")
    bucket = f"{s3_bucket.url}/kept"
    with on_server(postgres_url, bucket) as bench:
        asyncio.run(captured(bench, planned(bench), BODY))
        late = planned(bench, "2026-02", PANEL)
        file = tmp_path / "rows.dump"
        dump("pg_dump", "-Fc", "-f", str(file), plain(postgres_url))
        # The run goes on between the two copies.
        asyncio.run(captured(bench, late, BODY))
        copy = open_artifacts(tmp_path / "copy")
        names = bench.artifacts.names()
        copy_bytes(bench.artifacts, copy, silent)
        copy_pointers(bench.artifacts, copy, names, silent)
    restored = postgres_server.new_database(upgraded=False)
    dump("pg_restore", "--no-owner", "-d", plain(restored), str(file))
    with on_server(restored, tmp_path / "copy") as bench:
        assert verify_store(bench).sound
        found = {run.slot: run for run in bench.read(runs.list_runs)}
        assert set(found) == {"2026-01", "2026-02"}
        assert len(bench.read(lambda c: captures.load_open(c, found["2026-02"].id))) == 1
        # What was paid for after the dump lies in the copy and is not asked again.
        asyncio.run(captured(bench, found["2026-02"], b"never asked"))
        assert verify_store(bench).sound
    assert len(stored_rows(restored)["payload"]) == 2
    postgres_server.drop_database(restored)
