"""Reads what `go test -json` prints: events as JSON, one per line, and what the compiler said on stderr."""

import json
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from reknit.core.testing.report import TestResult
from reknit.core.testing.reported import ReportedTests, text_of

_MODULE = re.compile(r"^module[ \t]+\"?([^\s\"]{1,1000})", re.M)
_TEST_FILE = re.compile(r"\s*([\w.-]{1,255}_test\.go):\d")
_NOT_BUILT = re.compile(r"FAIL\t(\S{1,1000}) \[(?:build|setup) failed\]")
_RESULTS: dict[str, TestResult] = {"pass": "passed", "fail": "failed", "skip": "skipped"}
_NOISE = (
    "=== RUN",
    "=== PAUSE",
    "=== CONT",
    "=== NAME",
    "--- PASS",
    "--- FAIL",
    "PASS\n",
    "FAIL\n",
    "FAIL\t",
    "exit status",
)


def module_path(go_mod: str) -> str:
    found = _MODULE.search(go_mod)
    return found.group(1) if found else ""


def parse(stdout: bytes, stderr: bytes, module: str) -> ReportedTests:
    """Ids are `folder::TestName`; a package that could not be built is `folder`. `module`: from go.mod, if known."""
    seen = _Events()
    for line in stdout.decode("utf-8", "replace").splitlines():
        if failed := _NOT_BUILT.match(line):  # before Go 1.24 this is not JSON
            seen.broken.add(failed.group(1))
        elif event := _event(line):
            seen.read(event)
    compiler = _by_package(stderr.decode("utf-8", "replace"))
    found = ReportedTests()
    for (package, test), result in seen.results.items():
        _keep(seen, _folder(package, module), package, test, result, found)
    explained = {package for (package, _test), result in seen.results.items() if result == "failed"}
    for package in sorted(seen.broken - explained):
        own = [compiler.get(package, ""), *seen.output[package, ""]]
        # Otherwise it needs a package that was not built.
        words = own if any(own) else [*seen.build, *compiler.values()]
        found.add(_folder(package, module), "failed", "".join(words))
    return found


def readable(stdout: bytes) -> str:
    """What `go test` would have printed without `-json`."""
    lines = stdout.decode("utf-8", "replace").splitlines()
    return "".join(text_of(event, "Output") if (event := _event(line)) else f"{line}\n" for line in lines)


class _Events:
    def __init__(self) -> None:
        self.results: dict[tuple[str, str], TestResult] = {}
        self.output: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self.build: list[str] = []
        self.broken: set[str] = set()

    def read(self, event: Mapping[str, object]) -> None:
        action, package, test = (text_of(event, name) for name in ("Action", "Package", "Test"))
        output = text_of(event, "Output")
        if action == "build-output":
            self.build.append(output)
        elif action == "output" and not output.lstrip().startswith(_NOISE):
            for name in (test, *_parents(test)):
                self.output[package, name].append(output)
        elif action == "run":
            self.results[package, test] = "failed"  # until it ends: a test in which the process dies never does
        elif action in _RESULTS and test:
            self.results[package, test] = _RESULTS[action]
        elif action == "fail":
            self.broken.add(package)


def _keep(seen: _Events, folder: str, package: str, test: str, result: TestResult, found: ReportedTests) -> None:
    lines = seen.output[package, test] if result == "failed" else []
    said = (_TEST_FILE.match(line) for line in lines)
    file = next((posixpath.normpath(posixpath.join(folder, match.group(1))) for match in said if match), "")
    found.add(f"{folder}::{test}", result, "".join(lines), file=file)


def _event(line: str) -> Mapping[str, object]:
    if not line.startswith("{"):
        return {}
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return {}  # printed by a test
    return event if isinstance(event, dict) else {}


def _parents(test: str) -> Iterator[str]:
    """`TestTable/a/b` -> `TestTable/a`, `TestTable`: what a subtest says is why its parents failed."""
    while "/" in test:
        test = test.rpartition("/")[0]
        yield test


def _folder(package: str, module: str) -> str:
    if package == module:
        return "."
    return package.removeprefix(f"{module}/") if module else package


def _by_package(stderr: str) -> dict[str, str]:
    """The compiler's messages follow a line `# package`."""
    found: defaultdict[str, str] = defaultdict(str)
    package = ""
    for line in stderr.splitlines(keepends=True):
        if line.startswith("# "):
            package = line[2:].split()[0] if line[2:].split() else ""
        elif package and line not in found[package]:
            found[package] += line
    return dict(found)
