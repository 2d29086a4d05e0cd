"""The house's own rules, where no tool of the shelf holds them."""

from __future__ import annotations

import ast
import re
import string
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from queuetop.store import files

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "queuetop"
QUERIES = ROOT / "queries"

MODULES = sorted(PACKAGE.rglob("*.py"))
STATEMENTS = sorted(
    path.relative_to(QUERIES).with_suffix("").as_posix() for path in QUERIES.rglob("*.sql")
)

LONGEST_FILE = 400
# One line says itself; more than that owes the reader a word about why.
TRIVIAL_LINES = 1

#: Third parties that a room may use, where import-linter does not already say it.
ALLOWED = {"model": {"msgspec"}, "store": {"psycopg", "msgspec"}, "observe": {"msgspec"}}

_SQL_WORDS = re.compile(
    r"\b(select\s.+\sfrom|insert\s+into|update\s.+\sset|delete\s+from|create\s+(table|index|schema)"
    r"|drop\s+(table|index|schema)|alter\s+table|set_config\s*\()\b",
    re.IGNORECASE | re.DOTALL,
)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def docstrings(tree: ast.AST) -> set[ast.AST]:
    """Strings that stand alone: docstrings, and words under an attribute."""
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def test_imports_keep_their_contracts() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_file_grows_past_its_concept(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_third_parties_stay_in_their_rooms(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0]
    names = {
        name.partition(".")[0] for name in imports(ast.parse(path.read_text(encoding="utf-8")))
    }
    foreign = names - sys.stdlib_module_names - {"queuetop"}
    if room in ALLOWED:
        assert foreign <= ALLOWED[room]
    if room != "store":
        assert "psycopg" not in foreign


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_sql_in_python(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    prose = docstrings(tree)
    found = [
        f"line {node.lineno}: {node.value!r}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node not in prose
        and _SQL_WORDS.search(node.value)
    ]
    built = [
        f"line {node.lineno}: SQL from an f-string"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name | ast.Attribute)
        and (node.func.id if isinstance(node.func, ast.Name) else node.func.attr)
        in {"SQL", "execute", "executemany", "trusted"}
        and any(isinstance(argument, ast.JoinedStr) for argument in node.args)
        and name_of(path) != "queuetop/store/files.py"
    ]
    assert found + built == []


@pytest.mark.parametrize("name", STATEMENTS)
def test_statement_files_can_be_sent(name: str) -> None:
    text = files.text(name)
    assert files.load(name).as_string() == f"/* queuetop:{name} */ {text}"
    assert text, "it is empty"
    assert ";" not in re.sub(r"'[^']*'", "", text), "one statement a file"
    values = re.sub(r"%\(\w+\)s|%%", "", text)
    assert "%" not in values, "a value is %(name)s, a percent sign %%"
    for _, field, spec, conversion in string.Formatter().parse(text):
        assert field is None or re.fullmatch(r"[a-z_][a-z0-9_]*", field), f"placeholder {field!r}"
        assert not spec
        assert not conversion


@pytest.mark.parametrize("name", STATEMENTS)
def test_statement_files_say_what_they_answer(name: str) -> None:
    raw = (QUERIES / f"{name}.sql").read_text(encoding="utf-8")
    if len(files.text(name).splitlines()) > TRIVIAL_LINES:
        assert raw.startswith("--"), "the first line says what the statement answers"


def test_statements_are_found() -> None:
    assert files.SENTINEL.removesuffix(".sql") in STATEMENTS
