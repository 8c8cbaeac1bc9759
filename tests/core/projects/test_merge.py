from dataclasses import replace

from reknit.core.projects.merge import (
    drop_unseen_projects,
    extract_project,
    filter_selectable,
    merge_reports,
    to_project_ids,
    to_repository_id,
)
from reknit.core.testing.command import TestCommand
from reknit.core.testing.report import TestReport

TOP = TestCommand("pytest", ("pytest",), "junit")
BACK = TestCommand("pytest", ("pytest",), "junit", folder="back")
MAKE = TestCommand("make", ("make",), "exit code", folder="lib")

GREEN = TestReport("pass", "junit", {"test_a.py::t": "passed"}, files={"test_a.py::t": "test_a.py"}, seconds=1.0)
RED = TestReport(
    "fail", "junit", {"test_b.py::t": "failed"}, {"test_b.py::t": "boom"}, {"test_b.py::t": "test_b.py"}, 1, "tail", 2.0
)
UNSEEN = TestReport("error", "exit code", exit_code=127, output_tail="not found", why="could not start")


def test_ids_begin_with_the_folder_of_their_project() -> None:
    merged = merge_reports([(TOP, GREEN), (BACK, RED)])
    assert (merged.status, merged.exit_code, merged.output_tail, merged.seconds) == ("fail", 1, "tail", 3.0)
    assert merged.results == {"test_a.py::t": "passed", "back/test_b.py::t": "failed"}
    assert merged.messages == {"back/test_b.py::t": "boom"}
    assert merged.files == {"test_a.py::t": "test_a.py", "back/test_b.py::t": "back/test_b.py"}


def test_of_a_merged_report_each_project_gets_its_own_back() -> None:
    merged, projects = merge_reports([(TOP, GREEN), (BACK, RED)]), (TOP, BACK)
    for project, report in ((TOP, GREEN), (BACK, RED)):
        own = extract_project(project, merged, projects)
        assert (own.results, own.messages, own.files) == (report.results, report.messages, report.files)


def test_one_project_without_a_result_leaves_none() -> None:
    merged = merge_reports([(TOP, GREEN), (MAKE, UNSEEN), (BACK, RED)])
    assert (merged.status, merged.why, merged.evidence) == ("error", "lib: could not start", "junit")
    assert merge_reports([(MAKE, UNSEEN), (MAKE, UNSEEN)]).evidence == "exit code"


def test_a_single_project_at_the_top_is_left_as_it_is() -> None:
    assert merge_reports([(TOP, GREEN)]) is GREEN


def test_ids_there_and_back() -> None:
    projects = (TOP, BACK)
    tests = [to_repository_id(TOP, "test_a.py::t"), to_repository_id(BACK, "test_b.py::t")]
    assert tests == ["test_a.py::t", "back/test_b.py::t"]
    assert to_project_ids(TOP, tests, projects) == ("test_a.py::t",)
    assert to_project_ids(BACK, tests, projects) == ("test_b.py::t",)


def test_the_projects_that_were_seen_count_without_the_others() -> None:
    merged = merge_reports([(TOP, GREEN), (MAKE, UNSEEN)])
    assert merged.no_result == (("cd lib && make", "could not start", "not found"),)
    assert (drop_unseen_projects(merged).status, drop_unseen_projects(merged).why) == ("pass", "")
    assert drop_unseen_projects(merge_reports([(BACK, RED), (MAKE, UNSEEN)])).status == "fail"
    none = merge_reports([(MAKE, UNSEEN), (MAKE, UNSEEN)])
    assert drop_unseen_projects(none) is none
    assert drop_unseen_projects(GREEN) is GREEN


def test_only_tests_of_runners_that_can_choose_are_run_alone() -> None:
    choosing = replace(BACK, select=("{id}",))
    assert filter_selectable(("back/test_b.py::t", "lib/the test command"), (choosing, MAKE)) == ("back/test_b.py::t",)
