"""What the house tests look for: each function takes source text and lists what breaks a rule."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PURE = ("domain", "engines", "urls", "panels", "baseline", "claims", "scoring", "changes", "report",
        "statistics")  # fmt: skip

BANNED = frozenset(
    {
        "result", "results", "data", "info", "item", "items", "response", "responses",
        "hallucination", "hallucinations", "accuracy", "util", "utils", "helper", "helpers",
        "common", "manager", "processor",
    }
)  # fmt: skip
"""Words that no public name of ours may contain."""

BANNED_PROSE = re.compile(
    r"\b(hallucinat\w*|visibility scores?|utils?|helpers?|infos?|response|processor|manager"
    r"|accuracy(?! of))\b",
    re.IGNORECASE,
)
"""Words that no help text, template or document of ours may contain."""

CLOCKS = frozenset({"now", "utcnow", "today", "time_ns", "perf_counter", "monotonic"})
OUTSIDE = frozenset({"random", "secrets", "uuid", "time", "socket", "subprocess", "threading"})
LEGACY_DICE = frozenset({"rand", "randn", "randint", "seed", "shuffle", "choice", "permutation"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_PUBLIC = (*_FUNCTIONS, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Breach:
    """One place that breaks a rule."""

    line: int
    what: str


def sources(*folders: str) -> list[Path]:
    """Python files of the package, or of some of its rooms."""
    roots = [ROOT / "monitor" / name for name in folders] or [ROOT / "monitor"]
    return sorted(path for root in roots for path in root.rglob("*.py"))


def functions(source: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function of a source, methods and inner ones included."""
    return (node for node in ast.walk(ast.parse(source)) if isinstance(node, _FUNCTIONS))


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function from `def` to its last statement."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def long_functions(source: str, limit: int) -> list[Breach]:
    """Functions longer than the limit."""
    return [Breach(f.lineno, f.name) for f in functions(source) if length(f) > limit]


def wide_functions(source: str, limit: int) -> list[Breach]:
    """Public functions with more positional parameters than the limit."""
    found = []
    for node in functions(source):
        named = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
        own = [name for name in named if name not in {"self", "cls"}]
        if not node.name.startswith("_") and len(own) > limit:
            found.append(Breach(node.lineno, node.name))
    return found


def inner_imports(source: str, *, excused: bool = False) -> list[Breach]:
    """Imports of our own modules inside functions; `excused` passes those with a reason."""
    lines = source.splitlines()
    return [
        Breach(inner.lineno, ast.unparse(inner))
        for node in functions(source)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Import | ast.ImportFrom)
        and "monitor" in ast.unparse(inner)
        and not (excused and "  # " in lines[inner.lineno - 1])
    ]


def clocks_and_dice(source: str) -> list[Breach]:
    """Where a source reads a clock, the environment, unseeded chance or the outside."""
    return [
        Breach(node.lineno, ast.unparse(node))
        for node in ast.walk(ast.parse(source))
        if _reads_outside(node)
    ]


def _reads_outside(node: ast.AST) -> bool:
    """Whether one node asks something that is no argument."""
    match node:
        case ast.Import(names=names):
            return any(name.name.split(".")[0] in OUTSIDE for name in names)
        case ast.ImportFrom(module=str(module)):
            return module.split(".")[0] in OUTSIDE
        case ast.Attribute(value=ast.Name(id="os"), attr=attr):
            return attr in {"environ", "getenv", "urandom"}
        case ast.Attribute(value=ast.Attribute(attr="random"), attr=attr):
            return attr in LEGACY_DICE
        case ast.Call(func=ast.Attribute(attr="default_rng") | ast.Name(id="default_rng")):
            return not node.args
        case ast.Call(func=ast.Attribute(attr=attr)):
            return attr in CLOCKS
        case ast.Call(func=ast.Name(id=name)):
            return name in {"hash", "id"}
    return False


def words(name: str) -> list[str]:
    """Words of an identifier, lower case."""
    return [w.lower() for w in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


def public_names(source: str) -> Iterator[tuple[int, str]]:
    """Public names of a source: classes, functions, their parameters, fields, constants."""
    for scope in _scopes(source):
        for node in scope.body:
            yield from _bound(node)


def _scopes(source: str) -> Iterator[ast.Module | ast.ClassDef]:
    """The module and its public classes."""
    tree = ast.parse(source)
    yield tree
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node


def _bound(node: ast.stmt) -> Iterator[tuple[int, str]]:
    """Public names that one statement of a module or class binds."""
    names: list[str] = []
    if isinstance(node, _PUBLIC) and not node.name.startswith("_"):
        names = [node.name]
        if isinstance(node, _FUNCTIONS):
            names += [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
            names += [a.arg for a in node.args.kwonlyargs]
    elif isinstance(node, ast.Assign):
        names = [t.id for t in node.targets if isinstance(t, ast.Name)]
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        names = [node.target.id]
    yield from ((node.lineno, name) for name in names if not name.startswith("_"))


def banned_names(source: str) -> list[Breach]:
    """Public names that contain a banned word."""
    return [Breach(line, n) for line, n in public_names(source) if BANNED & set(words(n))]


def banned_prose(text: str) -> list[Breach]:
    """Banned words in prose, code blocks and code spans left out."""
    bare = re.sub(r"```.*?```|`[^`\n]*`", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)
    return [
        Breach(bare.count("\n", 0, found.start()) + 1, found[0])
        for found in BANNED_PROSE.finditer(bare)
    ]


def poor_docstrings(source: str) -> list[Breach]:
    """Public classes and functions whose first line is missing, too short, too long or cut."""
    found = []
    for scope in _scopes(source):
        for node in scope.body:
            if not isinstance(node, _PUBLIC) or node.name.startswith("_"):
                continue
            first = (ast.get_docstring(node) or "").split("\n")[0]
            if not 3 <= len(first.split()) <= 20 or first[-1] not in ".?":
                found.append(Breach(node.lineno, f"{node.name}: {first!r}"))
    return found
