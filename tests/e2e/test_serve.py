"""`monitor serve` as a process: it answers, hosts the scheduler, and ends cleanly when told to.

A whole run against the sandbox is told in log lines, pings and metrics, and no secret is in any.
"""

import json
import signal
import socket
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
import pytest

from monitor.cli.sandboxed import KEYS
from tests.e2e.processes import RUN, SLOT, place

pytestmark = pytest.mark.e2e


@contextmanager
def serving(where, *words):
    """A `monitor serve` process of this test and the address it listens on."""
    heard = where.folder / "background.txt"
    process = where.start("serve", "--port", "0", *words)
    try:
        deadline = time.monotonic() + 30
        while "listening on " not in (text := heard.read_text("utf-8") if heard.exists() else ""):
            assert process.poll() is None, text
            assert time.monotonic() < deadline, text
            time.sleep(0.05)
        line = next(one for one in text.splitlines() if one.startswith("listening on "))
        yield process, line.removeprefix("listening on ")
    finally:
        process.kill()
        process.wait(timeout=10)


@contextmanager
def switch():
    """A dead-man switch on loopback: its address, and what it was told."""
    told = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            told.append((self.path, self.rfile.read(int(self.headers["content-length"])).decode()))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", told
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def settings_of(where, **parts):
    content = json.loads(where.config.read_text("utf-8"))
    where.config.write_text(json.dumps(content | parts), "utf-8")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_with_a_scheduler_answers_and_ends_cleanly(tmp_path, number):
    with place(tmp_path, latency_ms=0) as where, serving(where, "--with-schedule") as (process, at):
        health = httpx.get(f"{at}health", trust_env=False)
        assert health.status_code == 200, health.text
        assert health.json()["scheduler"] == {"hosted": True, "alive": True}
        assert "monitor_scheduler_alive 1.0" in httpx.get(f"{at}metrics", trust_env=False).text
        process.send_signal(number)
        assert process.wait(timeout=30) == 0
        said = (where.folder / "background.txt").read_text("utf-8")
        assert "Traceback" not in said
        assert "schedule_ended" in said


def test_a_run_is_told_in_lines_pings_and_metrics_and_no_secret_is_in_any(tmp_path):
    with switch() as (address, told), place(tmp_path, latency_ms=0, prompts=slice(3)) as where:
        secret_url = f"{address}/5ecret-ping"
        health = {"ping_url": secret_url, "log_format": "json", "log_level": "debug"}
        settings_of(where, health=health)
        done = where.call("run", "small", "--slot", SLOT)
        assert done.returncode == 0, done.stderr
        assert [path for path, _ in told] == ["/5ecret-ping/start", "/5ecret-ping"]
        lines = [json.loads(one) for one in done.stderr.splitlines() if one.startswith("{")]
        stored = [one for one in lines if one["event"] == "capture_stored"]
        assert len(stored) == 3 * 2 * 3
        assert {one["run"] for one in stored} == {RUN}
        assert len({one["capture"] for one in stored}) == 18
        events = {one["event"] for one in lines}
        assert {"run_moved", "capture_stored", "pages_fetched"} <= events
        with serving(where) as (_, at):
            metrics = httpx.get(f"{at}metrics", trust_env=False).text
            page = httpx.get(at, trust_env=False).text
            health_text = httpx.get(f"{at}health", trust_env=False).text
        assert 'monitor_captures{engine="openai",outcome="answered"}' in metrics
        assert RUN in page
        planted = ["5ecret", *KEYS.values()]
        panel = json.loads((where.folder / "panels" / "small.yaml").read_text("utf-8"))
        planted += [one["text"] for one in panel["prompts"]]
        shown = "\n".join(
            [json.dumps(lines), done.stdout, metrics, page, health_text, *(t for _, t in told)]
        )
        assert [one for one in planted if one in shown] == []
        kept = b"".join(p.read_bytes() for p in where.folder.rglob("monitor.db*"))
        assert kept
        assert b"5ecret" not in kept


def test_an_address_for_everyone_is_refused_before_anybody_is_answered(tmp_path):
    with place(tmp_path, latency_ms=0) as where:
        done = where.call("serve", "--host", "0.0.0.0")
        assert done.returncode == 2
        assert "there is no password yet" in done.stderr
        assert "listening on" not in done.stdout


def test_a_port_that_is_taken_is_named(tmp_path):
    with place(tmp_path, latency_ms=0) as where, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = where.call("serve", "--port", taken.getsockname()[1])
        assert done.returncode == 2
        assert "choose a free one with --port" in done.stderr
