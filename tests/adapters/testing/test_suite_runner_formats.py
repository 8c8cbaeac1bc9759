"""Each kind of report, from a real run in the real box where a bare machine has the runner."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.core.projects.detect import detect, parse_user_command
from tests.adapters.testing.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


UNITTEST = """
import unittest

class Sums(unittest.TestCase):
    def test_ok(self): pass
    def test_red(self): self.assertEqual(1 + 1, 3)
"""


def test_unittest_needs_nothing_but_python(project: Project) -> None:
    project.write(tests__test_a=UNITTEST, tests__test_b="import nope\n")
    _, command = detect({"tests/test_a.py": None, "tests/test_b.py": None})
    report = project.run(command)
    assert (report.status, report.evidence) == ("fail", "junit")
    assert report.results == {
        "tests/test_a.py::Sums::test_ok": "passed",
        "tests/test_a.py::Sums::test_red": "failed",
        "tests/test_b.py": "failed",
    }
    assert report.messages["tests/test_a.py::Sums::test_red"].startswith("AssertionError: 2 != 3")
    chosen = "tests/test_a.py::Sums::test_ok"
    alone = project.run(command, only=[chosen])
    assert (alone.status, alone.results) == ("pass", {chosen: "passed"})
    assert not list(project.tree.rglob("report.xml"))


DJANGO = """
import sys, unittest

class DiscoverRunner:
    test_runner = unittest.TextTestRunner
    def run_tests(self):
        suite = unittest.defaultTestLoader.discover(start_dir=".", pattern="test*.py", top_level_dir=".")
        result = self.test_runner(verbosity=1, failfast=False, resultclass=None).run(suite)
        return len(result.failures) + len(result.errors)

if __name__ == "__main__":
    assert sys.argv[1:] == ["test", "--noinput"], sys.argv
    sys.exit(bool(DiscoverRunner().run_tests()))
"""


def test_django_runs_through_its_manage_py(project: Project) -> None:
    """As Django's own DiscoverRunner calls unittest."""
    project.write(manage=DJANGO, shop____init__="", shop__tests=UNITTEST)
    (project.tree / "shop" / "__init__.py").write_text("")
    command = detect({"manage.py": None, "shop/settings.py": None, "shop/tests.py": None})[0]
    assert command.runner == "django"
    report = project.run(command)
    assert report.results == {"shop/tests.py::Sums::test_ok": "passed", "shop/tests.py::Sums::test_red": "failed"}
    assert project.run(command, only=["shop/tests.py::Sums::test_ok"]).status == "pass"


NODE_TESTS = """
const { test, describe, it } = require("node:test");
describe("sums (all)", () => {
  it("adds", () => {});
  it("fails: 1 > 2", () => { throw new Error("no <sum>"); });
  it.skip("later", () => {});
});
test("parent", async (t) => { await t.test("child", () => {}); });
"""
HOOK = """
const { describe, it, before } = require("node:test");
describe("h", () => { before(() => { throw new Error("hook"); }); it("x", () => {}); });
"""

CANCELLED = """
const { test, describe } = require("node:test");
test("parent", (t) => { t.test("child", () => new Promise((done) => setTimeout(done, 50))); });
test("awaited", async (t) => {
  await t.test("fine", () => {});
  await t.test("inner", (t) => { t.test("late", () => new Promise((done) => setTimeout(done, 50))); });
});
test("never", () => new Promise(() => {}));
"""


def test_a_test_that_node_cancelled_did_not_pass(project: Project) -> None:
    project.write(**{"test__a.js": CANCELLED})
    [command] = detect({"package.json": '{"scripts": {"test": "node --test test/*.js"}}'})
    report = project.run(command)
    assert (report.status, report.why) == ("fail", "")
    assert report.results == {
        "test/a.js::parent > child": "failed",
        "test/a.js::awaited > fine": "passed",
        "test/a.js::awaited > inner > late": "failed",
        "test/a.js::never": "failed",
    }
    assert "did not finish before its parent" in report.messages["test/a.js::parent > child"]


def test_node_names_each_test_with_its_file(project: Project) -> None:
    for name, text in {"a.js": NODE_TESTS, "b.js": "require('./nope')", "c.js": HOOK, "d.js": "1"}.items():
        project.write(**{f"test__{name}": text})
    [command] = detect({"package.json": '{"scripts": {"test": "eslint . && node --test test/*.js"}}'})
    report = project.run(command)
    assert (report.status, report.evidence) == ("fail", "junit")
    assert report.results == {
        "test/a.js::sums (all) > adds": "passed",
        "test/a.js::sums (all) > fails: 1 > 2": "failed",
        "test/a.js::sums (all) > later": "skipped",
        "test/a.js::parent > child": "passed",
        "test/a.js::parent": "passed",
        "test/b.js": "failed",
        "test/c.js::h": "failed",
    }
    assert report.messages["test/a.js::sums (all) > fails: 1 > 2"].startswith("no <sum>\n")
    assert report.messages["test/b.js"].startswith("Error: Cannot find module './nope'")
    chosen = "test/a.js::parent > child"
    alone = project.run(command, only=[chosen])
    assert (alone.status, alone.results) == ("pass", {chosen: "passed", "test/a.js::parent": "passed"})


@pytest.mark.parametrize(
    ("text", "only", "status", "results"),
    [
        ("--- FAIL", ["cart::TestA"], "fail", {"cart::TestA": "failed"}),
        ("ok", [], "pass", {"cart::TestA": "passed"}),
    ],
)
def test_what_a_runner_prints_can_be_its_report(
    project: Project, text: str, only: Sequence[str], status: str, results: dict[str, str]
) -> None:
    """A stand-in for go, which a bare machine lacks."""
    (project.tree / "go.mod").write_text("module example.com/shop\n")
    action = "fail" if status == "fail" else "pass"
    event = f'{{"Action":"{action}","Package":"example.com/shop/cart","Test":"TestA","Output":"{text}"}}'
    script = f"echo '{event}'; echo noise >&2; exit {int(status == 'fail')}"
    command = replace(parse_user_command("go test ./..."), argv=("sh", "-c", script, "sh"))
    report = project.run(command, only=only)
    assert (report.status, report.evidence, report.results) == (status, "report", results)
    assert report.output_tail == f"{text}\nnoise"


def test_a_file_that_mocha_cannot_load_is_a_named_failure(project: Project) -> None:
    script = f"echo 'Error: no\n at ({project.repository}/test/a.js:1:1)' >&2; exit 1"
    report = project.run(replace(parse_user_command("mocha"), argv=("sh", "-c", script, "sh")))
    assert (report.status, report.results) == ("fail", {"test/a.js": "failed"})
    nothing = project.run(replace(parse_user_command("mocha"), argv=("sh", "-c", "exit 1", "sh")))
    assert (nothing.status, nothing.why) == ("error", "the test command left no report (exit code 1)")


def test_a_report_that_mocha_prints_is_read(project: Project) -> None:
    document = '{\n  "stats": {\n    "tests": 1\n  },\n  "passes": [{"fullTitle": "a b"}]\n}'
    script = f"echo noise; echo '{document}'; echo more"
    report = project.run(replace(parse_user_command("mocha"), argv=("sh", "-c", script, "sh")))
    assert (report.status, report.results) == ("pass", {"a b": "passed"})


def test_a_coverage_threshold_does_not_decide(project: Project) -> None:
    project.write(test_a="def test_a(): pass\n", shop="def unused():\n    return 1\n")
    (project.tree / "pytest.ini").write_text("[pytest]\naddopts = --cov=shop --cov-fail-under=95\n")
    command = replace(detect({"pytest.ini": (project.tree / "pytest.ini").read_text()})[0])
    command = replace(command, argv=(sys.executable, *command.argv[1:]))
    assert project.run(command).status == "pass"
    strict = replace(command, argv=tuple(word for word in command.argv if word != "--cov-fail-under=0"))
    whole = project.run(strict)
    assert (whole.status, "Required test coverage of 95" in whole.why) == ("error", True)
    assert project.run(strict, only=["test_a.py::test_a"]).status == "pass"
