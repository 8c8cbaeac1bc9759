"""Reports that the real tools write, made here by running them on small files."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from reknit.core.issues.formats.paths import resolve_path
from reknit.core.issues.formats.registry import Format, detect_format, open_report
from reknit.core.issues.formats.report import Report, ReportError
from reknit.core.issues.model import ReportResult
from tests.tools import lint_tools

pytestmark = pytest.mark.slow  # each test runs the real tool

FAULTY = """\
import os


def total(prices: list[int]) -> str:
    return sum(prices)


def risky(text: str) -> object:
    return eval(text)
"""
BROKEN = "def broken(:\n"
SCRIPT = """\
const unused = 1;
export function same(a, b) {
  return a == b;
}
/* eslint-disable-next-line eqeqeq */
export const off = (a) => a == 1;
"""
ESLINT_CONFIG = 'export default [{rules: {"no-unused-vars": "error", "eqeqeq": "warn"}}];\n'
SEMGREP_RULES = """\
rules:
  - id: no-eval
    languages: [python]
    severity: ERROR
    message: Text is run as code
    pattern: eval(...)
    fix: ast.literal_eval($X)
"""
TESTS = """\
import pytest
from missing_from_here import nothing
"""
MORE_TESTS = """\
import pytest


class TestSum:
    @pytest.mark.parametrize("number", [1, 2])
    def test_adds(self, number):
        assert number == 1, "é \\x1b[31mred"


def test_passes():
    pass


@pytest.mark.skip
def test_later():
    assert False


@pytest.fixture
def broken():
    raise RuntimeError("no database")


def test_errs(broken):
    pass
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Its path has what breaks careless readers: a space, a letter that is not ASCII, a percent sign."""
    root = tmp_path / "näh %20 werk"
    files = {"src/faulty.py": FAULTY, "src/broken.py": BROKEN, "web/script.js": SCRIPT, "web/broken.js": "const = ;\n"}
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def printed(root: Path, argv: Sequence[str], codes: Sequence[int] = (1,)) -> bytes:
    ended = lint_tools.print_of(argv, root)
    assert ended.exit_code in codes, ended.stderr.decode()
    return ended.stdout


def opened(data: bytes, expected: Format) -> Report:
    assert detect_format("report", data[:4096]) == expected
    return open_report(data, name="report")


def places(found: Sequence[ReportResult], root: Path) -> set[tuple[str, str, int]]:
    return {(one.rule, resolve_path(one.path, str(root)), one.line) for one in found}


@pytest.mark.parametrize("format_", ["json", "sarif", "rdjson"])
def test_ruff(repository: Path, format_: str) -> None:
    argv = [
        lint_tools.ruff(),
        "check",
        "--isolated",
        "--no-cache",
        "--select",
        "F,S307",
        "--output-format",
        format_,
        ".",
    ]
    report = opened(
        printed(repository, argv), "ruff" if format_ == "json" else "sarif" if format_ == "sarif" else "rdjson"
    )
    found = list(report.results)
    assert report.tools == ("ruff",) and {one.tool for one in found} == {"ruff"}
    assert places(found, repository) >= {
        ("F401", "src/faulty.py", 1),
        ("S307", "src/faulty.py", 9),
        ("invalid-syntax", "src/broken.py", 1),
    }
    unused = next(one for one in found if one.rule == "F401")
    assert (unused.message, unused.column, unused.weight) == ("`os` imported but unused", 8, "important")
    if format_ != "rdjson":
        assert unused.suggestion == "Remove unused import: `os`"


def test_mypy(repository: Path) -> None:
    argv = [lint_tools.mypy(), "--output", "json", "--cache-dir", "/dev/null", "--no-site-packages", "src/faulty.py"]
    report = opened(printed(repository, argv), "mypy")
    (found,) = report.results
    assert report.tools == ("mypy",)
    assert places([found], repository) == {("return-value", "src/faulty.py", 5)}
    assert (found.column, found.weight) == (12, "critical")
    assert found.message == 'Incompatible return value type (got "int", expected "str")'


def test_a_clean_mypy_prints_nothing_and_must_be_named(repository: Path) -> None:
    (repository / "src" / "faulty.py").write_text("")
    argv = [lint_tools.mypy(), "--output", "json", "--cache-dir", "/dev/null", "--no-site-packages", "src/faulty.py"]
    data = printed(repository, argv, codes=(0,))
    with pytest.raises(ReportError, match="is empty"):
        open_report(data, name="mypy.json")
    report = open_report(data, name="mypy.json", format_name="mypy")
    assert (report.tools, list(report.results)) == (("mypy",), [])


def test_eslint(repository: Path) -> None:
    (repository / "eslint.config.mjs").write_text(ESLINT_CONFIG)
    report = opened(printed(repository, [lint_tools.eslint(), "--format", "json", "web"]), "eslint")
    found = list(report.results)
    assert report.tools == ("eslint",)
    assert places(found, repository) == {
        ("no-unused-vars", "web/script.js", 1),
        ("eqeqeq", "web/script.js", 3),
        ("fatal", "web/broken.js", 1),
    }
    by_rule = {one.rule: one for one in found}
    assert {rule: one.weight for rule, one in by_rule.items()} == {
        "no-unused-vars": "critical",
        "eqeqeq": "important",
        "fatal": "critical",
    }
    assert by_rule["eqeqeq"].suggestion == "Use '===' instead of '=='."


def test_pyright(repository: Path) -> None:
    argv = [lint_tools.pyright(), "--outputjson", "src"]
    report = opened(printed(repository, argv), "pyright")
    found = list(report.results)
    assert report.tools == ("pyright",)
    assert places(found, repository) >= {("reportReturnType", "src/faulty.py", 5), ("syntax", "src/broken.py", 1)}
    wrong = next(one for one in found if one.rule == "reportReturnType")
    assert (wrong.column, wrong.weight) == (12, "critical")
    assert wrong.message.startswith('Type "int" is not assignable to return type "str"\n')


def test_pyright_that_saw_no_file_is_no_clean_report(repository: Path) -> None:
    (repository / "empty").mkdir()
    data = printed(repository, [lint_tools.pyright(), "--outputjson", "empty"], codes=(0, 1))
    with pytest.raises(ReportError, match="checked no files"):
        opened(data, "pyright")


def test_semgrep(repository: Path) -> None:
    (repository / "rules.yml").write_text(SEMGREP_RULES)
    scan = [lint_tools.semgrep(), "scan", "--metrics=off", "--disable-version-check", "--config", "rules.yml"]
    printed(repository, [*scan, "--json-output=o.json", "--sarif-output=o.sarif", "src/faulty.py"], codes=(0,))
    report = opened((repository / "o.json").read_bytes(), "semgrep")
    (found,) = report.results
    assert (report.tools, report.partial) == (("semgrep",), "")
    assert places([found], repository) == {("no-eval", "src/faulty.py", 9)}
    assert (found.column, found.weight, found.message) == (12, "critical", "Text is run as code")
    assert (found.snippet, found.fingerprint) == ("", "")
    (same,) = opened((repository / "o.sarif").read_bytes(), "sarif").results
    assert places([same], repository) == places([found], repository)
    assert (same.weight, same.message, same.snippet) == ("critical", "Text is run as code", "    return eval(text)")


def test_a_semgrep_scan_that_failed_is_no_clean_report(repository: Path) -> None:
    (repository / "rules.yml").write_text("rules: [{id: x}]\n")
    argv = [lint_tools.semgrep(), "scan", "--metrics=off", "--disable-version-check", "--config", "rules.yml", "--json"]
    data = printed(repository, [*argv, "src/faulty.py"], codes=(2, 7))
    with pytest.raises(ReportError, match="semgrep failed and found nothing"):
        opened(data, "semgrep")


@pytest.mark.parametrize("family", ["xunit1", "xunit2"])
def test_pytest(repository: Path, family: str) -> None:
    (repository / "tests").mkdir()
    (repository / "tests" / "test_lost.py").write_text(TESTS)
    (repository / "tests" / "test_sum.py").write_text(MORE_TESTS)
    report_file = repository / "junit.xml"
    argv = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        "--continue-on-collection-errors",
    ]
    printed(repository, [*argv, f"--junitxml={report_file}", "-o", f"junit_family={family}", "--rootdir=.", "tests"])
    report = opened(report_file.read_bytes(), "junit")
    found = {one.rule: one for one in report.results}
    assert report.tools == ("pytest",)
    assert {(rule, resolve_path(one.path, str(repository))) for rule, one in found.items()} == {
        ("tests/test_lost.py", "tests/test_lost.py"),
        ("tests/test_sum.py::TestSum::test_adds[2]", "tests/test_sum.py"),
        ("tests/test_sum.py::test_errs", "tests/test_sum.py"),
    }
    adds = found["tests/test_sum.py::TestSum::test_adds[2]"]
    assert adds.line == (5 if family == "xunit1" else 0)
    assert adds.message.startswith("AssertionError: é ")
    assert "\x1b" not in adds.message
    assert found["tests/test_lost.py"].message.startswith("ModuleNotFoundError: No module named 'missing_from_here'")
    assert "no database" in found["tests/test_sum.py::test_errs"].message
