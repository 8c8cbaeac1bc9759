"""The reporters for jest, mocha and vitest, loaded by node and called as their runners call them."""

import asyncio
from pathlib import Path

import pytest

from reknit.adapters.box.host import HostBox
from reknit.adapters.testing.boxed_command import read_source
from reknit.core.box import BoxView, Command
from reknit.core.languages.reports import read_stream
from reknit.core.testing.command import ReportFormat
from reknit.core.testing.reported import ReportedTests

KEY = "k" * 32
JEST = """
const reporter = new (require(process.argv[1]))();
const test = (title, status) => ({ ancestorTitles: ["s"], title, status, failureMessages: ["why"], other: 1 });
const testResults = [test("a", "passed"), test("b", "failed")];
const file = { testFilePath: process.cwd() + "/a.js", numFailingTests: 1, testResults };
reporter.onTestResult({}, file);
const lost = { testFilePath: process.cwd() + "/b.js", testExecError: { message: "no module" }, testResults: [] };
reporter.onTestResult({}, lost);
reporter.onRunComplete();
"""
MOCHA = """
const events = new (require("node:events"))();
new (require(process.argv[1]))(events);
const test = (title) => ({ title, fullTitle: () => "s " + title, file: process.cwd() + "/a.js" });
events.emit("pass", test("a"));
events.emit("fail", test("b"), new Error("why"));
events.emit("pending", test("c"));
events.emit("end");
"""
VITEST = """
import(process.argv[1]).then(({ default: Reporter }) => {
  const reporter = new Reporter();
  reporter.onInit({ config: { root: process.cwd() } });
  const error = { name: "Error", message: "why", stack: "Error: why\\n    at " + process.cwd() + "/a.ts:1:2" };
  const errors = [error];
  const test = (name, state, mode = "run") => ({ type: "test", name, mode, result: state && { state, errors } });
  const suite = { type: "suite", name: "s", tasks: [test("a", "pass"), test("b", "fail"), test("c", "", "skip")] };
  const file = { type: "suite", name: "a.ts", filepath: process.cwd() + "/a.ts", tasks: [suite, test("d", "")] };
  const result = { state: "fail", errors };
  const lost = { type: "suite", name: "b.ts", filepath: process.cwd() + "/b.ts", tasks: [], result };
  reporter.onTestModuleEnd({ task: file });
  reporter.onTestRunEnd([{ task: file }, { task: lost }]);
  reporter.onFinished([file, lost]);
});
"""
OF_VITEST = {
    "a.ts::s > a": "passed",
    "a.ts::s > b": "failed",
    "a.ts::s > c": "skipped",
    "a.ts::d": "skipped",
    "b.ts": "failed",
}
RUNNERS: dict[str, tuple[str, ReportFormat, dict[str, str]]] = {
    "jest_reporter.cjs": (JEST, "jest", {"a.js::s > a": "passed", "a.js::s > b": "failed", "b.js": "failed"}),
    "mocha_reporter.cjs": (MOCHA, "mocha", {"a.js::s a": "passed", "a.js::s b": "failed", "a.js::s c": "skipped"}),
    "vitest_reporter.mjs": (VITEST, "junit", OF_VITEST),
}


def streamed(folder: Path, source: str, script: str, form: ReportFormat) -> ReportedTests:
    command = Command(
        ("node", "-e", script, f"<box-home>/made/{source}"),
        files={f"made/{source}": read_source(source).encode()},
        stream_key=KEY,
    )
    ended = asyncio.run(HostBox().run(BoxView(str(folder), str(folder)), command))
    assert ended.exit_code == 0, ended.stderr.decode()
    return read_stream(form, ended.stream, KEY, ended.stderr, (str(folder),))


@pytest.mark.parametrize("source", RUNNERS)
def test_results_are_streamed_with_the_ids_of_reports(tmp_path: Path, source: str) -> None:
    script, form, expected = RUNNERS[source]
    found = streamed(tmp_path, source, script, form)
    assert found.results == expected
    assert all(words.startswith(("why", "Error: why", "no module")) for words in found.messages.values()), (
        found.messages
    )


@pytest.mark.parametrize("source", RUNNERS)
def test_a_run_that_ends_before_its_end_has_no_result(tmp_path: Path, source: str) -> None:
    script, form, _ = RUNNERS[source]
    for end in ("reporter.onRunComplete();", 'events.emit("end");', "reporter.onTestRunEnd", "reporter.onFinished"):
        script = script.replace(end, "process.exit(0);" if end.endswith(";") else "process.exit(0); " + end)
    with pytest.raises(ValueError, match="before all of its results were known"):
        streamed(tmp_path, source, script, form)
