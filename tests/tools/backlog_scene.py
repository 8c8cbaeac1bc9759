"""A repository with known issues for runs on the backlog: Python and TypeScript files, tests that pass, a ledger."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reknit.adapters.git.landing import commit_all
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.installation import find_installation
from reknit.app.issues.ledger import open_issues
from reknit.core.issues.identity.fingerprint import NormalizedFile, locate_result, make_fingerprint
from reknit.core.issues.import_summary import ImportSource
from reknit.core.issues.model import Issue, IssueFilter, NewIssue, ReportResult
from reknit.ports.issues import IssueLedger
from tests.tools.command_line import CommandLine

RUNNER = """
import importlib, pathlib, sys, unittest
names = sorted(path.stem for path in pathlib.Path("tests").glob("test_*.py"))
suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromName(f"tests.{name}") for name in names)
sys.exit(not unittest.TextTestRunner(stream=sys.stdout).run(suite).wasSuccessful())
"""
TEST = """
import unittest
from app.{name} import answer


class Test{name}(unittest.TestCase):
    def test_answer(self) -> None:
        self.assertEqual(answer(), 42)
"""
BACKEND = "import os\n\n\ndef answer() -> int:\n    return 42\n"
FRONTEND = "export function label(): string {\n  var text = 'x'\n  return text\n}\n"
TESTS: dict[str, Any] = {"checks": {"tests": {"run": "python3 check.py"}}, "issues": {"tool_fixes": False}}
"""For scenes about agents: ruff would fix what they are asked to."""


def make(folder: Path, *, backend: int = 2, frontend: int = 1) -> Path:
    root = folder / "backlog"
    files = {"check.py": RUNNER, "app/__init__.py": "", "tests/__init__.py": ""}
    files |= {f"app/b{number}.py": BACKEND for number in range(1, backend + 1)}
    files |= {f"tests/test_b{number}.py": TEST.format(name=f"b{number}") for number in range(1, backend + 1)}
    files |= {f"web/f{number}.ts": FRONTEND for number in range(1, frontend + 1)}
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    commit_all(str(root), "begin")
    return root


def found(root: Path) -> list[ReportResult]:
    """One issue a source file, three points each."""
    python = [
        ReportResult("ruff", "F401", str(path), 1, 8, "`os` imported but unused") for path in root.glob("app/b*.py")
    ]
    script = [ReportResult("eslint", "no-var", str(path), 2, 3, "Unexpected var") for path in root.glob("web/*.ts")]
    return sorted([*python, *script], key=lambda each: each.path)


def take_in(reknit: CommandLine, root: Path, findings: Sequence[ReportResult] = ()) -> list[Issue]:
    placed = []
    for each in findings or found(root):
        path = str(Path(each.path).relative_to(root))
        placed.append(locate_result(each, path, NormalizedFile((root / path).read_bytes())))
    with opened(reknit.environment, root) as (ledger, key):
        source = ImportSource(("ruff", "eslint"), ("scene",), "c" * 40, time.time(), "test")
        with ledger.importing(key, source) as imported:
            imported.add([NewIssue(each, make_fingerprint(each, 0)) for each in placed])
        return list(ledger.each(key, IssueFilter()))


def issues(reknit: CommandLine, root: Path) -> list[Issue]:
    with opened(reknit.environment, root) as (ledger, key):
        return list(ledger.each(key, IssueFilter()))


@contextmanager
def opened(environment: Mapping[str, str], root: Path) -> Iterator[tuple[IssueLedger, str]]:
    """The ledger and the repository's name in it; no connection stays open."""
    key, ledger, reader = open_issues(find_installation(environment), UserRepository.find(str(root)))
    try:
        yield ledger, key
    finally:
        reader.engine.dispose()


def states(reknit: CommandLine, root: Path) -> dict[str, str]:
    """File -> status of its issue."""
    return {issue.path: issue.status for issue in issues(reknit, root)}


def mend(path: str, **more: Any) -> dict[str, Any]:
    """A move of the fixer."""
    edit = ["var text", "const text"] if path.endswith(".ts") else ["import os\n\n\n", ""]
    return {"replace": {path: edit}, "cost_usd": 0.1, **more}


def score(value: int, summary: str = "as it should be", **finding: Any) -> dict[str, Any]:
    """A move of the challenger."""
    report: dict[str, Any] = {"verdict": "passed" if value >= 95 else "needs_work", "score_0_100": value}
    findings = [{"category": "correctness", "severity": "warning", "file": "app/b1.py", "line": 1, **finding}]
    report |= {"summary": summary, "findings": findings if finding else []}
    return {"report": report, "cost_usd": 0.05}


def tell(
    reknit: CommandLine, fixes: Sequence[Mapping[str, Any]], scores: Sequence[Mapping[str, Any]] = (), **settings: Any
) -> None:
    """`fixes` by number of the call; without `scores` nobody challenges, by choice."""
    agents = {"scripted": {"story": json.dumps(fixes)}}
    challenger: dict[str, Any] = {"enabled": False}
    if scores:
        agents["judge"] = {"kind": "scripted", "story": json.dumps(scores)}
        challenger = {"agent": "judge"}
    usual = {"challenger": challenger, "batch": {"issues": 1}, **TESTS}
    reknit.configure(fixer="scripted", agents=agents, **{**usual, **settings})
