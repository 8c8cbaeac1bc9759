"""Which tasks become work, and what the others lack."""

import pytest

from reknit.core.agent_reports.values import PlannedTask
from reknit.core.gate.waiver import Waiver, Waivers
from reknit.core.planning.tasks import TaskWork, find_needed_grants, find_plan_topic, make_source, split_tasks

TRACKED = ("README.md", "src/a.py", "src/b.py", "tests/test_a.py", "pyproject.toml")
FILES = frozenset({"src/shop.py", "pyproject.toml", "tests/test_shop.py", "README.md"})
GRANT = Waivers((Waiver("protected-config", ".github/dependabot.yml"),))
FORBIDS = Waivers(GRANT.allowed, ("protected-config:.github/**",))


def one(title: str, waivers: Waivers = GRANT) -> TaskWork | str:
    works, left_out = split_tasks([PlannedTask(title, "M", "high")], TRACKED, waivers)
    assert len(works) + len(left_out) == 1
    return works[0] if works else left_out[0]


@pytest.mark.parametrize(
    ("title", "path", "is_new"),
    [
        pytest.param("Fix the parser in src/a.py", "src/a.py", False, id="there"),
        pytest.param("Add CHANGELOG.md", "CHANGELOG.md", True, id="new"),
        pytest.param("Scaffold .github/dependabot.yml", ".github/dependabot.yml", True, id="granted"),
        pytest.param("Add tests/test_b.py", "tests/test_b.py", True, id="another-test-is-welcome"),
        pytest.param("Move parts of src/a.py to src/c.py", "src/c.py", True, id="what-is-new-shows-it"),
        pytest.param("Use src/b.py in src/a.py", "src/b.py", False, id="the-first"),
    ],
)
def test_work(title: str, path: str, is_new: bool) -> None:
    work = one(title)
    assert isinstance(work, TaskWork), work
    assert (work.path, work.is_new, work.effort_1_5, work.impact) == (path, is_new, 3, "high")


def test_a_task_may_use_what_an_earlier_one_creates() -> None:
    titles = ("Add src/zeta.py", "Use src/zeta.py in src/a.py", "Document src/zeta.py", "Use src/eta.py in src/b.py")
    works, left_out = split_tasks([PlannedTask(title, "S", "") for title in titles], TRACKED, GRANT)
    assert [(work.path, work.is_new) for work in works] == [
        ("src/zeta.py", True), ("src/a.py", False), ("src/zeta.py", False),
    ]  # fmt: skip
    assert left_out == ("“Use src/eta.py in src/b.py” names a file that is not there: src/eta.py",)


def test_what_a_task_that_is_passed_over_would_create_is_not_there() -> None:
    titles = ("Add src/zeta.py and update src/gone.py", "Fix src/zeta.py", "Add tests/test_z.py", "Fix tests/test_z.py")
    works, left_out = split_tasks([PlannedTask(title, "S", "") for title in titles], TRACKED, GRANT)
    assert [work.title for work in works] == ["Add tests/test_z.py", "Fix tests/test_z.py"]
    assert left_out[1] == "“Fix src/zeta.py” names a file that is not there: src/zeta.py"


@pytest.mark.parametrize(
    ("title", "why"),
    [
        pytest.param("Improve everything", "names no file: write its path into the task", id="no-file"),
        pytest.param("Clean up src/", "names no file: write its path into the task", id="folder"),
        pytest.param("Fix src/gone.py", "names a file that is not there: src/gone.py", id="not-there"),
        pytest.param("Bump pyproject.toml", "needs a grant: add pyproject.toml to `grants:`", id="configuration"),
        pytest.param("Fix tests/test_a.py", "needs a grant: add tests/test_a.py to `grants:`", id="test"),
        pytest.param(
            "Fix src/a.py and pyproject.toml", "needs a grant: add pyproject.toml to `grants:`", id="one-of-two"
        ),
        pytest.param("Add renovate.json", "needs a grant: add renovate.json to `grants:`", id="new-configuration"),
    ],
)
def test_passed_over(title: str, why: str) -> None:
    assert one(title) == f"“{title}” {why}"


def test_what_the_repository_forbids_is_stronger_than_a_grant() -> None:
    title = "Scaffold .github/dependabot.yml"
    assert one(title, FORBIDS) == (
        f"“{title}” needs a file that the repository forbids to change (protected-config:.github/**)"
    )


def test_sources() -> None:
    assert find_plan_topic(["ruff", make_source("tidy")]) == "tidy"
    assert find_plan_topic(["ruff"]) == ""


def test_configuration_and_tests_that_are_there_need_a_grant() -> None:
    titles = [
        "Scaffold .github/dependabot.yml",
        "Raise the limit in pyproject.toml and src/shop.py",
        "Fix tests/test_shop.py",
        "Add tests/test_price.py",
        "Refresh README.md and pyproject.toml",
    ]
    assert find_needed_grants(titles, FILES) == (".github/dependabot.yml", "pyproject.toml", "tests/test_shop.py")


def test_other_files_need_none() -> None:
    assert find_needed_grants(["Backfill CHANGELOG entries", "Rewrite src/shop.py", "Think"], FILES) == ()
