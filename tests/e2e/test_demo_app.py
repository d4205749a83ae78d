"""`monitor demo` leaves the application on, in a process that nothing of the demo waits for."""

import os
import signal
import subprocess
import sys

import httpx
import pytest

from monitor.cli.demo_app import stop_app
from tests.e2e.processes import ROOT, monitor
from tests.e2e.test_demo_stays import PANEL

pytestmark = pytest.mark.e2e


@pytest.fixture
def demo(tmp_path):
    """Makes the demo of one prompt, with more words; whatever it leaves on is ended."""
    (tmp_path / "panels").mkdir()
    (tmp_path / "panels" / "sandbox.yaml").write_text(PANEL)
    words = ("--folder", tmp_path / "demo", "--panels", tmp_path / "panels", "--no-browser")

    def make(*more):
        done = monitor("demo", *words, *more)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    yield make
    stop_app(tmp_path / "demo")


def address(said):
    return next(line.split()[1] for line in said.splitlines() if line.startswith("app:"))


def answers(at):
    return httpx.get(f"{at}health", trust_env=False).status_code


def gone(at):
    with pytest.raises(httpx.ConnectError):
        httpx.get(at, trust_env=False)
    return True


def test_a_demo_ends_with_an_application_that_the_next_demo_of_its_folder_ends(demo, tmp_path):
    first = demo()  # returns: the process that goes on holds none of its output
    at, pid = address(first), int((tmp_path / "demo" / "app.pid").read_text())
    assert first.splitlines()[-1].endswith(f"or by `kill {pid}`")
    assert answers(at) == 200
    assert os.getsid(pid) == pid  # a session of its own: no terminal ends it
    again = demo()
    other = int((tmp_path / "demo" / "app.pid").read_text())
    assert other != pid
    assert answers(address(again)) == 200
    assert "app:" not in demo("--no-app")
    assert gone(address(again))
    assert not (tmp_path / "demo" / "app.pid").exists()


def test_a_process_that_only_has_the_number_of_an_application_is_left_alone(tmp_path):
    with subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"]) as bystander:
        (tmp_path / "app.pid").write_text(f"{bystander.pid}\n")
        stop_app(tmp_path)
        assert bystander.poll() is None
        bystander.send_signal(signal.SIGKILL)


def test_a_server_ends_by_itself_after_its_hours(demo, tmp_path):
    demo("--no-app")
    config = tmp_path / "demo" / "config.yaml"
    words = ["serve", "--config", str(config), "--port", "0", "--hours", "0.0001"]
    done = subprocess.run(
        [sys.executable, "-m", "monitor", *words], cwd=ROOT, timeout=180, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.startswith("listening on ")) == (0, True), done.stderr
