"""The Dockerfile is not built here; what can be said of it without a build is held here."""

import re
import shlex
import shutil
import subprocess
import sys
import zipfile

import pytest

from tests.house import ROOT


def instructions(text):
    """(keyword, arguments) of each instruction, comments left out and lines joined."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [tuple(line.split(None, 1)) for line in joined.splitlines() if line.strip()]


def problems(text):
    """Everything about a Dockerfile that should not be so."""
    steps = instructions(text)
    words = [word for word, _ in steps]
    checks = {
        "base image is not pinned to a full version": any(
            word == "FROM" and not re.fullmatch(r"[\w./-]+:\d+\.\d+\.\d+[\w.-]*", rest.strip())
            for word, rest in steps
        ),
        "runs as root": user(steps) in {None, "root", "0"},
        "ADD is used": "ADD" in words,
        "CMD or ENTRYPOINT is a shell line": any(
            word in {"CMD", "ENTRYPOINT"} and not rest.strip().startswith("[")
            for word, rest in steps
        ),
        "a secret is named": any(
            word in {"ENV", "ARG"} and re.search(r"KEY|TOKEN|SECRET|PASSWORD", rest)
            for word, rest in steps
        ),
        "the whole folder is copied": any(
            word == "COPY" and shlex.split(rest)[0] == "." for word, rest in steps
        ),
        "code is copied before the lock": code_before_lock(steps),
        "libraries are installed without hashes": not any(
            word == "RUN" and "--require-hashes" in rest for word, rest in steps
        ),
        "something is fetched by hand": any(
            word == "RUN" and re.search(r"\b(curl|wget)\b|https?://", rest) for word, rest in steps
        ),
        "package lists stay in the image": any(
            word == "RUN" and "apt-get update" in rest and "rm -rf /var/lib/apt/lists" not in rest
            for word, rest in steps
        ),
    }
    return [name for name, is_so in checks.items() if is_so]


def user(steps):
    """The user that the container ends up with; None where nothing sets one."""
    named = [rest.strip() for word, rest in steps if word == "USER"]
    return named[-1] if named else None


def code_before_lock(steps):
    copied = [rest for word, rest in steps if word == "COPY"]
    locks = [i for i, rest in enumerate(copied) if ".lock" in rest]
    code = [i for i, rest in enumerate(copied) if re.match(r"monitor\b", rest)]
    return not locks or (bool(code) and code[0] < locks[0])


DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")


def test_the_dockerfile_has_no_problem():
    assert problems(DOCKERFILE) == []


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (r"FROM .*", "FROM python:latest", "base image"),
        (r"FROM .*", "FROM python:3.11-slim", "base image"),
        (r"USER monitor", "USER root", "runs as root"),
        (r"USER monitor", "", "runs as root"),
        (r"COPY monitor .*", "ADD https://example.org/x.tgz /x", "ADD"),
        (r"CMD .*", "CMD monitor --help", "shell line"),
        (r"USER monitor", "ENV OPENAI_API_KEY=x\nUSER monitor", "secret"),
        (r"COPY monitor .*", "COPY . .", "whole folder"),
        (r"COPY (\S+\.lock) ./", "COPY monitor ./monitor\nCOPY x.lock ./", "lock"),
        (r"--require-hashes ", "", "without hashes"),
        (r"USER monitor", "RUN curl -O x\nUSER monitor", "by hand"),
        (r" *&& rm -rf /var/lib/apt/lists/\*", "    && true", "package lists"),
    ],
)
def test_a_planted_problem_is_found(before, after, said):
    planted = re.sub(before, after.replace("\\", r"\\"), DOCKERFILE, count=1)
    assert planted != DOCKERFILE
    assert any(said in problem for problem in problems(planted))


def test_what_is_copied_is_there_and_not_ignored():
    kept = {
        line[1:]
        for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines()
        if line[:1] == "!"
    }
    copied = {
        name
        for word, rest in instructions(DOCKERFILE)
        if word == "COPY"
        for name in shlex.split(rest)[:-1]
    }
    assert copied == kept
    assert all((ROOT / name).exists() for name in copied)


def test_what_the_image_copies_makes_a_whole_package(tmp_path):
    """The wheel is built from the Dockerfile's files alone, and holds what is read at run time."""
    for word, rest in instructions(DOCKERFILE):
        if word == "COPY":
            *names, _ = shlex.split(rest)
            for name in names:
                copied = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
                copied(ROOT / name, tmp_path / name)
    wheels = tmp_path / "wheels"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
    told = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    packed = set(zipfile.ZipFile(next(wheels.glob("*.whl"))).namelist())
    kept = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "monitor").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    history = (ROOT / "migrations").rglob("*.py")
    kept |= {f"monitor/{path.relative_to(ROOT)}" for path in history}
    assert kept - packed == set()
