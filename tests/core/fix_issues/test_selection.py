import random
from dataclasses import replace

import pytest

from reknit.core.finding import Weight
from reknit.core.fix_issues.selection import (
    FILES_NAMED,
    batch_tasks,
    choose_issues,
    explain_exclusion,
    order_issues,
    plan_batches,
)
from reknit.core.fix_issues.task import Batch
from reknit.core.gate.needed_waivers import NotAllowed
from reknit.core.gate.waiver import Waiver, Waivers
from reknit.core.issues.model import Issue, IssueSource
from reknit.core.repository.file_kinds import route_file
from reknit.core.runs.limits import IssueLimits

CONFIG_OF_TESTS = "tests/jest.config.js"
TRACKED = frozenset(
    {"shop/a.py", "tests/test_a.py", "pyproject.toml", "tests/__snapshots__/a.snap", CONFIG_OF_TESTS, "uv.lock"}
)
IN_TESTS, IN_CONFIG = "in tests, which a fix may not change", "in configuration, which a fix may not change"
TEST_ALLOWED = Waiver("protected-test", "tests/**")
CONFIG_ALLOWED = Waiver("protected-config", "**/*.js")


def issue(number: int, path: str) -> Issue:
    return Issue(number, "shop", "f" * 32, "OPEN", path, 1, 1, "F401", "unused", "important", (), "new")


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("shop/a.py", ""),
        ("", "no file"),
        ("shop/new.py", "in a file that is not at HEAD"),
        ("tests/test_a.py", IN_TESTS),
        ("tests/__snapshots__/a.snap", IN_TESTS),
        ("pyproject.toml", IN_CONFIG),
        ("uv.lock", IN_CONFIG),
    ],
)
def test_no_agent_is_paid_for_what_the_gate_would_refuse(path: str, why: str) -> None:
    assert explain_exclusion(issue(1, path), TRACKED) == why


@pytest.mark.parametrize(
    ("path", "allowed", "why"),
    [
        pytest.param("tests/test_a.py", (TEST_ALLOWED,), "", id="a test that a person allows"),
        pytest.param("tests/test_a.py", (CONFIG_ALLOWED,), IN_TESTS, id="another rule"),
        pytest.param("uv.lock", (Waiver("protected-config", "poetry.lock"),), IN_CONFIG, id="another file"),
        pytest.param(CONFIG_OF_TESTS, (TEST_ALLOWED,), IN_CONFIG, id="one of two rules"),
        pytest.param(CONFIG_OF_TESTS, (TEST_ALLOWED, CONFIG_ALLOWED), "", id="both rules"),
        pytest.param("tests/test_b.py", (TEST_ALLOWED,), "in a file that is not at HEAD", id="no such file"),
    ],
)
def test_a_waiver_takes_an_issue_in(path: str, allowed: tuple[Waiver, ...], why: str) -> None:
    assert explain_exclusion(issue(1, path), TRACKED, Waivers(allowed)) == why


def test_a_run_takes_so_many_and_counts_what_it_passes_over() -> None:
    issues = [issue(1, "shop/a.py"), issue(2, "tests/test_a.py"), issue(3, "shop/a.py"), issue(4, "shop/a.py")]
    found = choose_issues(issues, TRACKED, 2)
    assert [one.id for one in found.issues] == [1, 3]
    assert dict(found.skip_counts) == {IN_TESTS: 1}
    assert choose_issues(issues, TRACKED, 9).issues == (issues[0], issues[2], issues[3])


def test_it_names_the_options_that_would_take_more_in() -> None:
    paths = ["", "gone.py", "tests/test_a.py", "tests/test_a.py", CONFIG_OF_TESTS]
    found = choose_issues([issue(number, path) for number, path in enumerate(paths)], TRACKED, 9)
    options = [f"protected-test:{CONFIG_OF_TESTS}", f"protected-config:{CONFIG_OF_TESTS}"]
    allow = tuple(f"--allow {each}" for each in ["protected-test:tests/test_a.py", *options])
    assert found.not_allowed == NotAllowed(3, 2, allow)
    assert sum(found.skip_counts.values()) == 5


def test_what_the_repository_forbids_is_not_offered() -> None:
    waivers = Waivers((TEST_ALLOWED,), forbidden=("protected-test:tests/**",))
    found = choose_issues([issue(1, "tests/test_a.py")], TRACKED, 9, waivers)
    assert (dict(found.skip_counts), found.not_allowed) == ({IN_TESTS: 1}, NotAllowed())


def test_a_path_that_stands_for_more_than_its_file_is_not_offered() -> None:
    paths = ["tests/**", "tests/*", "tests/test_?.py", "tests/a\\b.py"]
    found = choose_issues([issue(1, path) for path in paths], frozenset(paths), 9)
    assert (dict(found.skip_counts), found.not_allowed) == ({IN_TESTS: 4}, NotAllowed())


def test_only_the_first_files_are_named() -> None:
    paths = [f"tests/test_{number}.py" for number in range(FILES_NAMED + 3)]
    found = choose_issues([issue(1, path) for path in paths], frozenset(paths), 9).not_allowed
    assert (found.issues, found.files, len(found.allow)) == (FILES_NAMED + 3, FILES_NAMED + 3, FILES_NAMED)


def test_a_task_of_a_plan_is_left_to_its_variant() -> None:
    task = replace(issue(1, "shop/a.py"), sources=(IssueSource("plan/tidy", "tidy", "Add it"),))
    assert explain_exclusion(task, TRACKED) == "of a plan, which only `reknit fix plan` takes"
    assert choose_issues([task], TRACKED, 5).issues == ()


ISSUE = Issue(
    id=1,
    repository="r",
    fingerprint="f",
    status="OPEN",
    path="a.py",
    line=1,
    column=0,
    rule="x",
    message="m",
    weight="important",
    sources=(),
    baseline="new",
)


def sized_issue(
    number: int, path: str = "a.py", *, line: int = 1, weight: Weight = "important", points: int = 0
) -> Issue:
    effort, files = (1, points) if points else (0, 0)
    return replace(ISSUE, id=number, path=path, line=line, weight=weight, effort_1_5=effort, files=files)


def test_backend_goes_before_frontend_and_the_worst_file_first() -> None:
    issues = [
        sized_issue(1, "web/b.ts", weight="critical"),
        sized_issue(2, "api/z.py", line=9, weight="minor"),
        sized_issue(3, "api/a.py", weight="minor"),
        sized_issue(4, "api/z.py", line=2, weight="critical"),
        sized_issue(5, "web/a.ts"),
        sized_issue(6, "api/m.py"),
        sized_issue(7, "api/m.py"),
        sized_issue(8, "api/y.py", weight="minor"),
    ]
    made = plan_batches(issues, IssueLimits(), route_file)
    assert made == (
        Batch(1, "backend", (4, 2, 6, 7, 3), 15),
        Batch(2, "backend", (8,), 3),
        Batch(3, "frontend", (1, 5), 6),
    )


def test_the_order_of_asking_changes_nothing() -> None:
    chance = random.Random(7)
    weights: list[Weight] = ["critical", "important", "minor"]
    issues = [
        sized_issue(
            number, f"f{number % 9}.{'ts' if number % 3 else 'py'}", weight=chance.choice(weights), points=number % 17
        )
        for number in range(1, 90)
    ]
    made = plan_batches(issues, IssueLimits(), route_file)
    chance.shuffle(issues)
    assert plan_batches(issues, IssueLimits(), route_file) == made
    assert sorted(one for batch in made for one in batch.issues) == sorted(one.id for one in issues)
    assert [batch.number for batch in made] == list(range(1, len(made) + 1))


def test_one_issue_over_the_points_stands_alone_and_says_its_own() -> None:
    assert plan_batches([sized_issue(1, points=25), sized_issue(2)], IssueLimits(), route_file) == (
        Batch(1, "backend", (1,), 25),
        Batch(2, "backend", (2,), 3),
    )


def test_the_limits_are_the_configurations() -> None:
    limits = IssueLimits(batch_points=6, batch_issues=1)
    assert [batch.issues for batch in plan_batches([sized_issue(1), sized_issue(2)], limits, route_file)] == [
        (1,),
        (2,),
    ]
    limits = replace(limits, batch_issues=5)
    assert [
        batch.issues for batch in plan_batches([sized_issue(1), sized_issue(2), sized_issue(3)], limits, route_file)
    ] == [
        (1, 2),
        (3,),
    ]


def test_no_issues_no_batches() -> None:
    assert plan_batches([], IssueLimits(), route_file) == ()
    assert order_issues([]) == ()


def test_tasks_of_a_plan_stay_in_its_order_one_a_batch() -> None:
    tasks = [issue(7, "web/b.ts"), issue(3, "app/a.py"), issue(5, "app/a.py")]
    assert batch_tasks(tasks, route_file, IssueLimits(), [task.message for task in tasks]) == (
        Batch(1, "frontend", (7,), tasks[0].workload),
        Batch(2, "backend", (3,), tasks[1].workload),
        Batch(3, "backend", (5,), tasks[2].workload),
    )


def test_small_tasks_in_a_row_share_a_batch_and_keep_the_order_of_the_plan() -> None:
    tasks = [issue(7, "web/b.ts"), *(issue(number, "app/a.py") for number in (3, 9, 1, 2)), issue(4, "web/a.ts")]
    limits = IssueLimits(batch_points=3 * tasks[1].workload, batch_issues=3)
    assert [(batch.number, batch.issues) for batch in batch_tasks(tasks, route_file, limits, ())] == [
        (1, (7,)), (2, (3, 9, 1)), (3, (2,)), (4, (4,)),
    ]  # fmt: skip
    apart = replace(tasks[2], message="with a criterion of its own")
    mixed = [tasks[1], apart, *tasks[3:5]]
    assert [batch.issues for batch in batch_tasks(mixed, route_file, limits, {apart.message})] == [(3,), (9,), (1, 2)]
    limits = replace(limits, batch_points=2 * tasks[1].workload)
    batches = batch_tasks(tasks, route_file, limits, ())
    assert [batch.issues for batch in batches] == [(7,), (3, 9), (1, 2), (4,)]
    assert [batch.points for batch in batches] == [
        sum(task.workload for task in tasks if task.id in batch.issues) for batch in batches
    ]
