"""Which tasks become work, and what the others lack."""

import pytest

from reknit.core.agent_reports.values import PlannedTask
from reknit.core.gate.waiver import Waiver, Waivers
from reknit.core.planning.tasks import (
    TaskWork,
    describe_task,
    explain_wrong_files,
    find_needed_grants,
    find_plan_topic,
    make_source,
    split_tasks,
)

TRACKED = ("README.md", "src/a.py", "src/b.py", "tests/test_a.py", "pyproject.toml")
FILES = frozenset({"src/shop.py", "pyproject.toml", "tests/test_shop.py", "README.md"})
GRANT = Waivers((Waiver("protected-config", ".github/dependabot.yml"),))
FORBIDS = Waivers(GRANT.allowed, ("protected-config:.github/**",))


def task(title: str, *files: str, new: tuple[str, ...] = ()) -> PlannedTask:
    return PlannedTask(title, "M", "high", files, new)


def one(planned: PlannedTask, waivers: Waivers = GRANT) -> TaskWork | str:
    works, left_out = split_tasks([planned], TRACKED, waivers)
    assert len(works) + len(left_out) == 1
    return works[0] if works else left_out[0]


@pytest.mark.parametrize(
    ("planned", "path", "is_new"),
    [
        pytest.param(task("Fix the parser", "src/a.py"), "src/a.py", False, id="there"),
        pytest.param(task("Add a changelog", new=("CHANGELOG.md",)), "CHANGELOG.md", True, id="new"),
        pytest.param(task("Scaffold", new=(".github/dependabot.yml",)), ".github/dependabot.yml", True, id="granted"),
        pytest.param(task("Test b", new=("tests/test_b.py",)), "tests/test_b.py", True, id="another-test-is-welcome"),
        pytest.param(task("Move", "src/a.py", new=("src/c.py",)), "src/c.py", True, id="what-is-new-shows-it"),
        pytest.param(task("Use b in a", "src/b.py", "src/a.py"), "src/b.py", False, id="the-first"),
        pytest.param(task("Add a", new=("src/a.py",)), "src/a.py", False, id="a-new-file-that-is-there-is-changed"),
    ],
)
def test_work(planned: PlannedTask, path: str, is_new: bool) -> None:
    work = one(planned)
    assert isinstance(work, TaskWork), work
    assert (work.path, work.is_new, work.effort_1_5, work.impact) == (path, is_new, 3, "high")


def test_a_task_may_use_what_an_earlier_one_adds() -> None:
    tasks = [
        task("Add zeta", new=("src/zeta.py",)), task("Use zeta", "src/zeta.py", "src/a.py"),
        task("Document zeta", "src/zeta.py"), task("Use eta", "src/eta.py", "src/b.py"),
    ]  # fmt: skip
    works, left_out = split_tasks(tasks, TRACKED, GRANT)
    assert [(work.path, work.is_new) for work in works] == [
        ("src/zeta.py", True), ("src/a.py", False), ("src/zeta.py", False),
    ]  # fmt: skip
    assert left_out == ("“Use eta” names a file that is not there: src/eta.py",)
    assert explain_wrong_files(tasks, TRACKED) == ("", "", "", "names a file that is not there: src/eta.py")


def test_a_task_that_is_there_twice_is_passed_over() -> None:
    tasks = [task("Tidy", "src/a.py"), task("Tidy", "src/b.py"), task("Tidy", "src/a.py", "src/b.py")]
    works, left_out = split_tasks(tasks, TRACKED, GRANT)
    assert [work.path for work in works] == ["src/a.py", "src/b.py"]
    assert left_out == ("“Tidy” is there twice: give each a title of its own",)


def test_what_a_task_that_is_passed_over_would_add_is_not_there() -> None:
    tasks = [
        task("Add zeta", "src/gone.py", new=("src/zeta.py",)), task("Fix zeta", "src/zeta.py"),
        task("Add a test", new=("tests/test_z.py",)), task("Fix the test", "tests/test_z.py"),
    ]  # fmt: skip
    works, left_out = split_tasks(tasks, TRACKED, GRANT)
    assert [work.title for work in works] == ["Add a test", "Fix the test"]
    assert left_out[1] == "“Fix zeta” names a file that is not there: src/zeta.py"


@pytest.mark.parametrize(
    ("planned", "why"),
    [
        pytest.param(task("Do"), "names no file: add `- file: PATH` or `- new file: PATH` below it", id="no-file"),
        pytest.param(task("Do", "src/"), "names no single file of the repository: src/", id="folder"),
        pytest.param(task("Do", new=("docs/*.md",)), "names no single file of the repository: docs/*.md", id="pattern"),
        pytest.param(task("Do", new=("../x.py",)), "names no single file of the repository: ../x.py", id="outside"),
        pytest.param(task("Do", "src/gone.py"), "names a file that is not there: src/gone.py", id="not-there"),
        pytest.param(task("Do", "pyproject.toml"), "needs a grant: add pyproject.toml to `grants:`", id="config"),
        pytest.param(task("Do", "tests/test_a.py"), "needs a grant: add tests/test_a.py to `grants:`", id="test"),
        pytest.param(
            task("Do", "src/a.py", "pyproject.toml"), "needs a grant: add pyproject.toml to `grants:`", id="one-of-two"
        ),
        pytest.param(
            task("Do", new=("renovate.json",)), "needs a grant: add renovate.json to `grants:`", id="new-configuration"
        ),
    ],
)
def test_passed_over(planned: PlannedTask, why: str) -> None:
    assert one(planned) == f"“Do” {why}"


def test_what_the_repository_forbids_is_stronger_than_a_grant() -> None:
    assert one(task("Scaffold", new=(".github/dependabot.yml",)), FORBIDS) == (
        "“Scaffold” needs a file that the repository forbids to change (protected-config:.github/**)"
    )


def test_an_agent_reads_a_task_with_its_files() -> None:
    planned = task("Use zeta", "src/a.py", "src/b.py", new=("src/zeta.py",))
    assert describe_task(planned) == "Use zeta [src/a.py, src/b.py, src/zeta.py (new)]: high"
    assert describe_task(task("Think")) == "Think [no file]: high"


def test_sources() -> None:
    assert find_plan_topic(["ruff", make_source("tidy")]) == "tidy"
    assert find_plan_topic(["ruff"]) == ""


def test_configuration_and_tests_that_are_there_need_a_grant() -> None:
    tasks = [
        task("Scaffold", new=(".github/dependabot.yml",)),
        task("Raise the limit", "pyproject.toml", "src/shop.py"),
        task("Fix", "tests/test_shop.py"),
        task("Add", new=("tests/test_price.py",)),
        task("Refresh", "README.md", "pyproject.toml"),
    ]
    assert find_needed_grants(tasks, FILES) == (".github/dependabot.yml", "pyproject.toml", "tests/test_shop.py")


def test_a_file_that_no_task_can_have_needs_no_grant() -> None:
    wrong = [task("Do", "/etc/passwd"), task("Do", "../x.toml"), task("Do", "gone/pyproject.toml"), task("Do", "src/")]
    assert find_needed_grants(wrong, FILES) == ()


def test_other_files_need_none() -> None:
    assert find_needed_grants([task("Backfill", new=("CHANGELOG.md",)), task("Rewrite", "src/shop.py")], FILES) == ()
