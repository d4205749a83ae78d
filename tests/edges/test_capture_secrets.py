"""No key on disk: every file of a real store is unpacked and searched."""

import logging

import httpx
import pytest

from monitor.store import open_artifacts
from tests.capturing import KEY, Desk

ECHO = f"Incorrect key {KEY}; see https://api.example/?api_key={KEY}"


def left_on_disk(folder, artifacts):
    """Bytes and names of all files, as they lie there and unpacked."""
    found = [str(p).encode() + p.read_bytes() for p in folder.rglob("*") if p.is_file()]
    unpacked = [artifacts.get(p.name.split(".")[0]) for p in folder.rglob("*") if len(p.name) >= 64]
    return b"\n".join(found + unpacked), len(unpacked)


@pytest.mark.parametrize("engine", ["openai", "anthropic", "gemini", "google_ai_overview"])
async def test_a_refusal_that_echoes_the_key_leaves_no_key_in_the_store(tmp_path, caplog, engine):
    caplog.set_level(logging.DEBUG)
    artifacts = open_artifacts(tmp_path / "artifacts")
    body = {"error": {"message": ECHO}}
    desk = Desk(
        httpx.Response(401, json=body, headers={"server": f"edge {KEY}", "set-cookie": KEY}),
        artifacts=artifacts,
    )
    captured = await desk.ask(engine)
    everything, blobs = left_on_disk(tmp_path, artifacts)
    assert blobs >= 2
    assert b"[redacted]" in everything
    assert KEY.encode() not in everything
    assert KEY not in caplog.text
    assert KEY not in repr(captured)


async def test_what_lies_in_a_real_store_is_replayed(tmp_path):
    artifacts = open_artifacts(tmp_path / "artifacts")
    first = Desk(httpx.Response(401, json={"error": {"message": ECHO}}), artifacts=artifacts)
    captured = await first.ask("openai", capture_id=1)
    again = Desk(artifacts=open_artifacts(tmp_path / "artifacts"))
    assert await again.ask("openai", capture_id=1) == captured
    other = Desk(httpx.Response(401, json={}), artifacts=artifacts)
    await other.ask("openai", capture_id=11)
    assert len(other.vendor.requests) == 1
