"""A repository with several projects: each is tested in its own folder, and the fixes are proven over all of them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from reknit.adapters.git.landing import commit_all
from tests.tools.command_line import Answer, CommandLine

Here = Callable[..., Answer]

TEST = """\
import unittest
from {name} import double
class DoubleTest(unittest.TestCase):
    def test_double(self):
        self.assertEqual(double(3), 6)
"""
SOURCE = "def double(number):\n    return number + 2  # {name}\n"
NAMES = ("back", "tools", "worker")


@pytest.fixture
def monorepo(tmp_path: Path) -> Path:
    repository = tmp_path / "mono"
    for name in NAMES:
        (repository / name).mkdir(parents=True)
        (repository / name / "setup.cfg").write_text("[metadata]\n")
        (repository / name / f"{name}.py").write_text(SOURCE.format(name=name))
        (repository / name / f"test_{name}.py").write_text(TEST.format(name=name))
    commit_all(str(repository), "three projects")
    return repository


def mend(name: str) -> dict[str, object]:
    return {"replace": {f"{name}/{name}.py": ["number + 2", "number * 2"]}}


@pytest.mark.timeout(400)  # three projects, three fixes: every look is three runs
def test_one_red_test_in_each_of_three_projects(here: Here, reknit: CommandLine, monorepo: Path) -> None:
    reknit.tell_story(*map(mend, NAMES))
    answer = here("fix", "tests", "--format", "json", cwd=monorepo)
    (baseline,) = answer.events("baseline")
    assert [finding["test"] for finding in baseline["findings"]] == [
        f"{name}/test_{name}.py::DoubleTest::test_double" for name in NAMES
    ]
    assert (answer.exit_code, answer.ending["ending"], len(answer.ending["fixed"])) == (0, "FIXED", 3)


def test_from_inside_a_project_only_that_one_is_repaired(here: Here, reknit: CommandLine, monorepo: Path) -> None:
    reknit.tell_story(mend("tools"))
    answer = here("fix", "tests", "--format", "json", cwd=monorepo / "tools")
    (baseline,) = answer.events("baseline")
    assert [finding["test"] for finding in baseline["findings"]] == ["tools/test_tools.py::DoubleTest::test_double"]
    assert answer.ending["ending"] == "FIXED"


def test_a_project_without_a_result_is_left_out_and_named(here: Here, reknit: CommandLine, monorepo: Path) -> None:
    (monorepo / "back" / "reknit.toml").write_text('[checks.tests]\nrun = "sh -c nothing-here"\n')
    (monorepo / "tools" / "reknit.toml").write_text('[checks.tests]\nrun = "true"\n')
    commit_all(str(monorepo), "one cannot run")
    reknit.tell_story(mend("worker"))
    answer = here("fix", "tests", cwd=monorepo)
    assert answer.exit_code == 0, answer.out + answer.err
    assert "1 project(s) without a result" in answer.err + answer.out
    assert "`cd back && sh -c nothing-here` gave no result" in answer.err + answer.out


def test_nothing_red_elsewhere_does_not_make_it_clean(here: Here, reknit: CommandLine, monorepo: Path) -> None:
    (monorepo / "back" / "reknit.toml").write_text('[checks.tests]\nrun = "sh -c nothing-here"\n')
    for name in ("tools", "worker"):
        (monorepo / name / "reknit.toml").write_text('[checks.tests]\nrun = "true"\n')
    commit_all(str(monorepo), "one cannot run, the others pass")
    reknit.tell_story({})
    answer = here("fix", "tests", "--format", "json", cwd=monorepo)
    assert answer.ending["ending"] in ("BLOCKED", "UNVERIFIED")
    assert "gave no result" in answer.ending["reason"]
