"""Units, compose file and deployment page say what the code does; what can be checked without Docker
and without a running systemd is checked here."""

import configparser
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from monitor.capture.retry import MAX_WAIT_SECONDS
from monitor.config.parts import EnginePart, WebPart
from monitor.config.settings import read_settings
from monitor.engines import ENGINES
from monitor.pipeline.working import KINDS
from monitor.web import serving
from tests.house import ROOT
from tests.spoken import calls, mentions, refusal
from tests.test_house_container import DOCKERFILE, instructions
from tests.test_house_files import DOCUMENTS

DEPLOY = ROOT / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
PAGE = (ROOT / "docs" / "deploy.md").read_text("utf-8")
COMPOSE = YAML(typ="safe").load(ROOT / "compose.yaml")
SERVICES = COMPOSE["services"]
OURS = {name: one for name, one in SERVICES.items() if one["image"] == "citation-monitor"}
SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|LOGIN|PING_URL")
LONGEST_JOB = (
    EnginePart().attempts * EnginePart().timeout_seconds
    + (EnginePart().attempts - 1) * MAX_WAIT_SECONDS
)
"""Seconds of one capture with all of its tries and pauses, as settings are."""
HARDENED = {
    "User": "monitor", "NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "yes",
    "PrivateTmp": "yes", "PrivateDevices": "yes", "CapabilityBoundingSet": "",
    "StateDirectory": "monitor", "SystemCallArchitectures": "native", "RestrictSUIDSGID": "yes",
}  # fmt: skip


def seconds(text):
    """A span of time as systemd and Docker write it."""
    number, unit = re.fullmatch(r"(\d+)(s|m|min|)", text).groups()
    return int(number) * (60 if unit in {"m", "min"} else 1)


def unit(path):
    parser = configparser.ConfigParser(strict=True, interpolation=None)
    parser.optionxform = str
    parser.read_string(path.read_text("utf-8"))
    return parser


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_that_a_document_shows_is_one(path):
    text = path.read_text("utf-8")
    if path.name == "cli.md":
        text = ""  # its blocks are help texts, and made from the code
    found = [refusal(words) for words in calls(text)]
    found += [refusal(words, whole=False) for words in mentions(text)]
    assert [one for one in found if one] == []


@pytest.mark.parametrize(
    "planted",
    [
        "sudo -u monitor monitor chek", "monitor worker --queue x", "monitor run",
        "docker compose exec app monitor db upgrad", "A=b /opt/monitor/bin/monitor schedule lst",
        "sudo systemd-run --pipe -p User=monitor \\\n  monitor resum",
    ],
)  # fmt: skip
def test_a_command_that_is_none_is_found(planted):
    (words,) = calls(f"```text\n{planted}  # a remark\n```")
    assert refusal(words).startswith(f"monitor {words[0]}")


def test_the_page_shows_commands_at_all():
    assert len(calls(PAGE)) >= 8
    assert calls("```text\nsudo useradd --system monitor\ncd /monitor && ls\n```") == []


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_starts_a_command_that_is_one_and_is_hardened(path):
    service = unit(path)["Service"]
    program, *words = shlex.split(service["ExecStart"])
    assert program == "/opt/monitor/bin/monitor"
    assert refusal(words) is None
    assert {name: service.get(name) for name in HARDENED} == HARDENED
    assert "Environment" not in service
    assert service["EnvironmentFile"].startswith("-/etc/monitor/")
    assert "MemoryDenyWriteExecute" not in service  # the charts of reports are compiled


def test_services_are_given_the_time_they_need_and_start_again():
    worker = unit(DEPLOY / "monitor-worker@.service")["Service"]
    schedule = unit(DEPLOY / "monitor-schedule.service")["Service"]
    assert seconds(worker["TimeoutStopSec"]) > LONGEST_JOB
    assert seconds(schedule["TimeoutStopSec"]) > serving._LET_GO_SECONDS + 20
    for one in (worker, schedule):
        assert (one["Restart"], one["KillMode"]) == ("on-failure", "mixed")
    assert seconds(OURS["worker"]["stop_grace_period"]) > LONGEST_JOB
    assert seconds(OURS["app"]["stop_grace_period"]) > serving._LET_GO_SECONDS + 20


def test_a_timer_has_its_service():
    timers = {path.stem for path in DEPLOY.glob("*.timer")}
    assert timers
    assert timers <= {path.stem for path in UNITS}


def test_every_unit_that_the_page_names_is_there():
    named = set(re.findall(r"monitor-[a-z]+@?\d?\.(?:service|timer)", PAGE))
    there = {path.name for path in DEPLOY.iterdir()}
    assert named
    assert {re.sub(r"@\d", "@", one) for one in named} <= there


@pytest.fixture
def analyzed(tmp_path):
    """A call of systemd-analyze on copies of the units that start a program of this machine."""
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not here")
    program = Path(sys.executable).with_name("monitor")
    for path in DEPLOY.iterdir():
        name = path.name.replace("@", "@1")
        text = path.read_text("utf-8").replace("/opt/monitor/bin/monitor", str(program))
        (tmp_path / name).write_text(text, "utf-8")

    def call(*words):
        return subprocess.run(
            [analyze, *words], cwd=tmp_path, capture_output=True, text=True, check=False
        )

    call.names = sorted(f"./{path.name}" for path in tmp_path.iterdir())
    return call


def test_systemd_takes_the_units_as_they_are(analyzed):
    told = analyzed("verify", "--man=no", *analyzed.names)
    assert (told.returncode, told.stdout + told.stderr) == (0, "")


def test_systemd_finds_the_units_little_exposed(analyzed):
    for name in analyzed.names:
        if name.endswith(".service"):
            told = analyzed("security", "--offline=true", "--threshold=25", "--no-pager", name)
            assert told.returncode == 0, told.stdout[-300:]


@pytest.mark.parametrize("name", OURS)
def test_a_service_of_compose_runs_a_command_that_is_one_and_is_hardened(name):
    service = OURS[name]
    assert refusal(service["command"]) is None
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


def test_compose_starts_all_there_is_in_order():
    assert {name: one["command"][0] for name, one in OURS.items()} == {
        "migrate": "db", "app": "serve", "worker": "worker",
    }  # fmt: skip
    conditions = {
        name: {on: how["condition"] for on, how in one.get("depends_on", {}).items()}
        for name, one in SERVICES.items()
    }
    after = {"postgres": "service_healthy", "migrate": "service_completed_successfully"}
    assert conditions == {
        "postgres": {}, "migrate": {"postgres": "service_healthy"}, "app": after, "worker": after,
    }  # fmt: skip
    assert all(seconds(SERVICES["app"]["healthcheck"][one]) for one in ("interval", "timeout"))
    assert "--queues" not in OURS["worker"]["command"]
    assert "browser" in KINDS


def test_images_are_pinned_and_ours_is_built_from_here():
    assert re.fullmatch(r"postgres:\d+\.\d+-\w+", SERVICES["postgres"]["image"])
    assert {one["build"] for one in OURS.values()} == {"."}


def test_nothing_is_published_beyond_this_machine():
    ports = {name: one.get("ports", []) for name, one in SERVICES.items()}
    port = WebPart().port
    assert ports.pop("app") == [f"127.0.0.1:{port}:{port}"]
    assert not any(ports.values())
    assert ("EXPOSE", str(port)) in instructions(DOCKERFILE)
    assert f"127.0.0.1:{port}/health" in SERVICES["app"]["healthcheck"]["test"][-1]
    compile(SERVICES["app"]["healthcheck"]["test"][-1], "healthcheck", "exec")


def variables(service):
    """Variables of a service as a container sees them where the shell has none of them."""
    given = SERVICES[service]["environment"]
    return {
        name: re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", value)
        for name, value in given.items()
        if value is not None
    }


def test_no_secret_stands_in_compose_and_every_key_has_its_file():
    for service in SERVICES:
        told = {name for name in variables(service) if SECRET.search(name)}
        assert {name for name in told if not name.endswith("_FILE")} == set()
    keys = {v for engine in ENGINES.values() if engine.auth for v in engine.auth.variables}
    files = {n: v for n, v in variables("worker").items() if n.endswith("_FILE")}
    wanted = {f"{name}_FILE" for name in (*keys, "PGPASSWORD", "AWS_SECRET_ACCESS_KEY")}
    assert set(files) == wanted
    assert all(value.startswith("/run/secrets/") for value in files.values())
    made = re.search(r"touch ((?:\w+ |\\\n +)+)&&", PAGE)[1].replace("\\\n", "").split()
    names = {value.rpartition("/")[2] for value in files.values()}
    assert {*made, "postgres_password"} == names
    assert "/secrets/" in (ROOT / ".gitignore").read_text("utf-8").splitlines()


def test_settings_of_compose_are_settings_and_let_workers_work(monkeypatch):
    for name, value in variables("worker").items():
        if name.startswith("MONITOR_"):
            monkeypatch.setenv(name, value)
    settings, problems = read_settings((ROOT / "config.yaml").read_text("utf-8"), "config.yaml")
    assert problems == ()
    assert settings.runner.name == "pgqueuer"
    assert settings.store.database == "postgresql://monitor@postgres/monitor"
    assert settings.browser.enabled is False
    server = SERVICES["postgres"]["environment"]
    assert (server["POSTGRES_USER"], server["POSTGRES_DB"]) == ("monitor", "monitor")


def test_what_is_passed_on_from_the_shell_may_be_a_setting(monkeypatch):
    passed = [n for n, v in SERVICES["app"]["environment"].items() if v is None]
    for name in passed:
        if name.startswith("MONITOR_"):
            monkeypatch.setenv(name, "/run/secrets/ping")
    assert read_settings(None, "none")[1] == ()


def test_what_compose_mounts_is_there_and_where_the_image_looks():
    copied = {shlex.split(rest)[-2] for word, rest in instructions(DOCKERFILE) if word == "COPY"}
    for service in OURS.values():
        named, *bound = service["volumes"]
        assert named == "data:/data"
        assert {one["target"]: one["source"] for one in bound} == {
            "/app/config.yaml": "./config.yaml", "/app/prompt_panels": "./prompt_panels",
            "/run/secrets": "./secrets",
        }  # fmt: skip
        assert all(one["read_only"] for one in bound)
    assert {"config.yaml", "prompt_panels"} <= copied
    assert set(COMPOSE["volumes"]) == {"data", "rows"}
    assert any(word == "VOLUME" and "/data" in rest for word, rest in instructions(DOCKERFILE))


def test_the_image_has_what_workers_need():
    steps = " ".join(rest for word, rest in instructions(DOCKERFILE) if word == "RUN")
    assert "-r requirements-postgres.lock" in steps
    ends = [rest for word, rest in instructions(DOCKERFILE) if word == "ENTRYPOINT"]
    assert ends == ['["/usr/bin/tini", "--", "monitor"]']


def test_settings_that_the_page_shows_are_settings():
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    shown = [one for one in blocks if not one.startswith("scrape_configs")]
    assert len(shown) == 2
    assert [read_settings(one, "page")[1] for one in shown] == [(), ()]
    assert (
        read_settings("web: {hosts: [monitor.example.org], trusted_proxy: true}", "page")[1] == ()
    )
    assert "web: {hosts: [monitor.example.org], trusted_proxy: true}" in PAGE
