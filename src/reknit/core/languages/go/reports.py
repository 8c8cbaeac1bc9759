"""Reads the output of `go test -json`: a JSON event on each line, and messages of the compiler on stderr."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from reknit.core.languages.language import ReportReader
from reknit.core.repository.manifest_text import read_json
from reknit.core.testing.command import ReportFormat
from reknit.core.testing.report import TestResult
from reknit.core.testing.reported import ReportedTests, read_text

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


def read_module_path(go_mod: str) -> str:
    """Return the path of the module; empty if go.mod names none."""
    match = _MODULE.search(go_mod)
    return match.group(1) if match else ""


def parse(stdout: bytes, stderr: bytes, module: str) -> ReportedTests:
    """Return the results. `module`: the module's path in go.mod; empty if unknown.

    Ids are `folder::TestName`; a package that could not be built has the id `folder`.
    """
    events = _Events()
    for line in stdout.decode("utf-8", "replace").splitlines():
        if failed := _NOT_BUILT.match(line):  # before Go 1.24 this is not JSON
            events.broken.add(failed.group(1))
        elif event := _parse_event(line):
            events.read(event)
    compiler = _messages_by_package(stderr.decode("utf-8", "replace"))
    tests = ReportedTests()
    for (package, test), result in events.results.items():
        _add_test(events, _folder_of_package(package, module), package, test, result, tests)
    explained = {package for (package, _test), result in events.results.items() if result == "failed"}
    for package in sorted(events.broken - explained):
        own = [compiler.get(package, ""), *events.output[package, ""]]
        # Without own messages, it needs another package that could not be built.
        words = own if any(own) else [*events.build, *compiler.values()]
        tests.add(_folder_of_package(package, module), "failed", "".join(words))
    return tests


def to_plain_output(stdout: bytes) -> str:
    """Return the output that `go test` would have printed without `-json`."""
    lines = stdout.decode("utf-8", "replace").splitlines()
    return "".join(read_text(event, "Output") if (event := _parse_event(line)) else f"{line}\n" for line in lines)


class _Events:
    def __init__(self) -> None:
        self.results: dict[tuple[str, str], TestResult] = {}
        self.output: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self.build: list[str] = []
        self.broken: set[str] = set()

    def read(self, event: Mapping[str, object]) -> None:
        action, package, test = (read_text(event, name) for name in ("Action", "Package", "Test"))
        output = read_text(event, "Output")
        if action == "build-output":
            self.build.append(output)
        elif action == "output" and not output.lstrip().startswith(_NOISE):
            for name in (test, *_parent_tests(test)):
                self.output[package, name].append(output)
        elif action == "run":
            self.results[package, test] = "failed"  # until another event: if the process dies, there is none
        elif action in _RESULTS and test:
            self.results[package, test] = _RESULTS[action]
        elif action == "fail":
            self.broken.add(package)


def _add_test(events: _Events, folder: str, package: str, test: str, result: TestResult, tests: ReportedTests) -> None:
    lines = events.output[package, test] if result == "failed" else []
    matches = (_TEST_FILE.match(line) for line in lines)
    file = next((posixpath.normpath(posixpath.join(folder, match.group(1))) for match in matches if match), "")
    tests.add(f"{folder}::{test}", result, "".join(lines), file=file)


def _parse_event(line: str) -> Mapping[str, object]:
    return read_json(line) if line.startswith("{") else {}  # other lines are printed by a test


def _parent_tests(test: str) -> Iterator[str]:
    """Yield the tests around a subtest: `TestTable/a/b` -> `TestTable/a`, `TestTable`."""
    while "/" in test:
        test = test.rpartition("/")[0]
        yield test


def _folder_of_package(package: str, module: str) -> str:
    if package == module:
        return "."
    return package.removeprefix(f"{module}/") if module else package


def _messages_by_package(stderr: str) -> dict[str, str]:
    """Return package -> messages of the compiler, which follow a line `# package`."""
    messages: defaultdict[str, str] = defaultdict(str)
    package = ""
    for line in stderr.splitlines(keepends=True):
        if line.startswith("# "):
            package = line[2:].split()[0] if line[2:].split() else ""
        elif package and line not in messages[package]:
            messages[package] += line
    return dict(messages)


READERS: dict[ReportFormat, ReportReader] = {
    "go": ReportReader(lambda document, stderr, roots: parse(document, stderr, "".join(roots)))
}
