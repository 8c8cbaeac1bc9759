"""Small trees whose tests really run, so that the messages are those of the runner."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from reknit.core.causes.cause import Cause
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.languages.causes import RedTest, find_causes
from reknit.core.languages.python.runners import PYTEST_FLAGS
from reknit.core.languages.reports import read_tests
from reknit.core.testing.reported import ReportedTests
from tests.tools.patience import scale


def write(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def run_pytest(root: Path, *arguments: str, env: Mapping[str, str] | None = None) -> ReportedTests:
    report = root.parent / f"{root.name}.xml"
    flags = [flag.replace("{outbox}/report.xml", str(report)) for flag in PYTEST_FLAGS]
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", *flags, *arguments]
    more = {"PATH": "/usr/bin:/bin", "HOME": str(root.parent), "PYTHONDONTWRITEBYTECODE": "1", **(env or {})}
    subprocess.run(argv, cwd=root, env=more, capture_output=True, check=False, timeout=scale(120))
    return read_tests("junit", (report.read_bytes(),), b"", ())


def facts_of(root: Path, files: Mapping[str, str], *also: str, shared_network: bool = True) -> TreeFacts:
    """`also`: paths that the tree tracks but does not hold, such as submodules."""
    return TreeFacts(frozenset({*files, *also}), files, roots=(str(root),), shared_network=shared_network)


def causes(found: ReportedTests, facts: TreeFacts) -> Mapping[str, Cause]:
    failed = [test for test, word in found.results.items() if word == "failed"]
    red = [RedTest(test, found.messages.get(test, ""), found.files.get(test, "")) for test in failed]
    return find_causes(red, facts, passed=sum(word == "passed" for word in found.results.values()))
