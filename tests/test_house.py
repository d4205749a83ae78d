"""The rules of the house, each one with a planted breach that it must find."""

import statistics
import subprocess
import sys
from functools import partial

import pytest

from tests import house
from tests.house import ROOT, Breach, sources

LONG_FILES: dict[str, str] = {}
"""File of more than 400 lines -> why; this list may only shrink."""

FOREIGN_NAMES = {
    "data": "the field of a server-sent event",
    "read_responses": "OpenAI's Responses API",
    "process_result_value": "the hook that SQLAlchemy calls",
    "NOT_ENOUGH_DATA": "a verdict's wording in docs/measures.md",
}
"""Public names that others chose -> whose they are."""

IGNORED = {
    ".git", ".venv", ".tool", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache",
    ".hypothesis", ".import_linter_cache", ".grimp_cache", "data", "demo", "build", "dist", ".env",
    "secrets",
}  # fmt: skip
ROOT_FILES = {
    ".ci", ".dockerignore", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "Dockerfile",
    "LICENSE", "Makefile", "README.md", "alembic.ini", "benchmarks", "compose.yaml", "config.yaml",
    "deploy", "docs",
    "migrations", "monitor", "prompt_panels", "pyproject.toml", "requirements-dev.lock",
    "requirements-postgres.lock", "requirements.lock", "tests", "tools",
}  # fmt: skip


def breaches(find, files, *arguments):
    """Every breach of the files as `path:line what`."""
    return [
        f"{path.relative_to(ROOT)}:{one.line} {one.what}"
        for path in files
        for one in find(path.read_text("utf-8"), *arguments)
    ]


PLANTED_CONTRACT = """
[importlinter]
root_package = monitor
[importlinter:contract:planted]
name = planted
type = forbidden
source_modules = monitor.scoring
forbidden_modules = monitor.domain
"""


def lint_imports(*arguments):
    run = "from importlinter.cli import lint_imports_command as run; run()"
    return subprocess.run(
        [sys.executable, "-c", run, *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_imports_go_down_only():
    told = lint_imports()
    assert told.returncode == 0, told.stdout[-2000:] + told.stderr[-2000:]


def test_a_broken_import_contract_is_found(tmp_path):
    (tmp_path / "planted.ini").write_text(PLANTED_CONTRACT)
    assert lint_imports("--config", str(tmp_path / "planted.ini")).returncode == 1


def test_no_function_is_longer_than_sixty_lines():
    assert breaches(house.long_functions, sources(), 60) == []


def test_a_long_function_is_found():
    planted = "def f():\n" + "    x = 1\n" * 60
    assert house.long_functions(planted, 60) == [Breach(1, "f")]


def test_half_of_all_functions_have_at_most_nine_lines():
    lengths = [house.length(f) for p in sources() for f in house.functions(p.read_text("utf-8"))]
    assert statistics.median(lengths) <= 9
    assert statistics.quantiles(lengths, n=10)[-1] <= 30


def test_no_file_is_longer_than_four_hundred_lines():
    long = {
        str(path.relative_to(ROOT))
        for folder in ("monitor", "tests", "benchmarks", "tools")
        for path in (ROOT / folder).rglob("*.py")
        if len(path.read_text("utf-8").splitlines()) > 400
    }
    assert long == set(LONG_FILES)


def test_half_of_all_files_have_at_most_a_hundred_and_twenty_lines():
    assert statistics.median(len(p.read_text("utf-8").splitlines()) for p in sources()) <= 120


def test_public_functions_take_at_most_four_positional_parameters():
    doors = [p for p in sources() if "cli" not in p.parts and "sandbox" not in p.parts]
    found = breaches(house.wide_functions, doors, 4)
    # Signatures of other libraries.
    foreign = ("settings_customise_sources", "connect_tcp", "dequeue")
    assert [f for f in found if not f.endswith(foreign)] == []


def test_own_modules_are_imported_at_the_top_of_files():
    assert breaches(house.inner_imports, [p for p in sources() if "cli" not in p.parts]) == []


def test_a_command_that_defers_an_import_says_why():
    assert breaches(partial(house.inner_imports, excused=True), sources("cli")) == []


def test_an_import_inside_a_function_is_found():
    planted = "def f():\n    from monitor import x  # slow\n    import monitor.y\n    import json\n"
    assert [b.line for b in house.inner_imports(planted)] == [2, 3]
    assert [b.line for b in house.inner_imports(planted, excused=True)] == [3]


def test_pure_rooms_read_no_clock_no_environment_and_throw_no_dice():
    assert breaches(house.clocks_and_dice, sources(*house.PURE)) == []


@pytest.mark.parametrize(
    "planted",
    [
        "datetime.now(UTC)", "datetime.utcnow()", "date.today()", "import time", "import random",
        "from random import choice", "np.random.default_rng()", "default_rng()", "np.random.rand(3)",
        "os.environ['X']", "hash('x')", "from time import monotonic", "uuid = __import__\nimport uuid",
    ],
)  # fmt: skip
def test_a_clock_or_a_die_is_found(planted):
    assert house.clocks_and_dice(planted)


@pytest.mark.parametrize(
    "sound",
    ["np.random.default_rng(seed)", "rng.choice(3)", "from datetime import date", "now = 1"],
)
def test_seeded_chance_and_times_that_were_passed_in_are_fine(sound):
    assert house.clocks_and_dice(sound) == []


def test_public_names_keep_to_the_vocabulary():
    found = breaches(house.banned_names, sources())
    assert [f for f in found if f.split(" ")[-1] not in FOREIGN_NAMES] == []


def test_no_exception_of_the_vocabulary_is_stale():
    found = {b.what for p in sources() for b in house.banned_names(p.read_text("utf-8"))}
    assert set(FOREIGN_NAMES) <= found


def test_no_module_is_named_by_a_banned_word():
    named = [p for p in sources() if house.BANNED & set(house.words(p.stem))]
    foreign = ("responses.py", "responses_stream.py")
    assert [p for p in named if p.name not in foreign] == []


@pytest.mark.parametrize(
    "planted",
    [
        "def parse_response(x): pass", "class ResultView: pass", "def f(*, data): pass",
        "class A:\n    item_count: int = 0", "VISIBILITY_INFO = 1", "class PageManager: pass",
    ],
)  # fmt: skip
def test_a_banned_name_is_found(planted):
    assert len(house.banned_names(planted)) == 1


@pytest.mark.parametrize("planted", ["a hallucination rate", "Visibility score", "its accuracy"])
def test_a_banned_word_in_prose_is_found(planted):
    assert len(house.banned_prose(f"first line\n{planted}")) == 1


def test_code_and_the_accuracy_of_something_are_fine_in_prose():
    assert house.banned_prose("`response` and\n```\nits info\n```\nthe accuracy of a judge") == []


def test_everything_public_says_in_its_first_line_what_it_is():
    assert breaches(house.poor_docstrings, sources()) == []


@pytest.mark.parametrize(
    "planted", ["def f(): pass", 'def f():\n    "A rate"', 'class A:\n    """Its value."""']
)
def test_a_poor_docstring_is_found(planted):
    assert len(house.poor_docstrings(planted)) == 1


def test_the_root_folder_holds_nothing_unexpected():
    here = {path.name for path in ROOT.iterdir()}
    assert here - IGNORED - ROOT_FILES == set()
