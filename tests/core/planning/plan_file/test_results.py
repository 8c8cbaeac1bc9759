"""Results under the criteria, and nothing else."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given

from reknit.core.planning.plan_file.parsing import parse_plan
from reknit.core.planning.plan_file.plan import PlanFile
from reknit.core.planning.plan_file.printing import print_plan
from reknit.core.planning.plan_file.results import (
    insert_results,
    make_accepted_key,
    make_current,
    make_written_key,
    remove_results,
)
from tests.tools.plan_files import PLAN, PLAN_TEXT, PLANS

BEGIN = "---\r\n---\r\n## Acceptance Criteria\r\n"
OLD = "unverified: a person checks it"
FIRST, SECOND = (each.text for each in PLAN.criteria)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            PLAN_TEXT,
            PLAN_TEXT.replace("v1.6\n", "v1.6\n  - passed: 5 of 5\n").replace(OLD, "failed: no"),
            id="new-and-replaced",
        ),
        pytest.param(
            f"{BEGIN} * {FIRST}\r\n   - mine\r\n   - failed: a\r\n     b\r\n- other\r\n",
            f"{BEGIN} * {FIRST}\r\n   - passed: 5 of 5\r\n   - mine\r\n- other\r\n",
            id="crlf-remark-and-long-result",
        ),
        pytest.param(
            f"\ufeff---\n---\n## Acceptance Criteria\n- {FIRST}",
            f"\ufeff---\n---\n## Acceptance Criteria\n- {FIRST}\n  - passed: 5 of 5",
            id="no-line-end-at-the-end",
        ),
        pytest.param("no plan at all\n", "no plan at all\n", id="no-plan"),
    ],
)
def test_written_once(text: str, expected: str) -> None:
    results = {FIRST: "passed: 5 of 5", SECOND: "failed: no", "gone": "failed: x"}
    assert insert_results(text, results) == expected
    assert insert_results(expected, results) == expected
    assert remove_results(expected) == remove_results(text)


def test_an_edit_is_not_a_result() -> None:
    assert remove_results(PLAN_TEXT) != remove_results(PLAN_TEXT.replace("status: current", "status: provisional"))
    assert "unverified" not in remove_results(PLAN_TEXT)


@given(PLANS)
def test_of_any_plan(plan: PlanFile) -> None:
    results = {each.text: "failed: <!-- x" for each in plan.criteria}
    text = insert_results(print_plan(plan), results)
    read = parse_plan(text)
    assert isinstance(read, PlanFile)
    assert [each.result for each in read.criteria] == ["failed: <!-- x"] * len(plan.criteria)
    assert [each.text for each in read.criteria] == [each.text for each in plan.criteria]
    assert insert_results(text, results) == text


TEXT = print_plan(PLAN)


@pytest.mark.parametrize("key_of", [make_written_key, make_accepted_key])
def test_every_part_counts(key_of: Callable[[str, str, str], str]) -> None:
    key = key_of("/r", "a.md", "text")
    assert key == key_of("/r", "a.md", "text")
    others = {key_of("/s", "a.md", "text"), key_of("/r", "b.md", "text"), key_of("/r", "a.md", "texts")}
    assert len({key, *others}) == 4


def test_results_do_not_count_and_everything_else_does() -> None:
    results = tuple(replace(each, result="passed: it is there") for each in PLAN.criteria)
    key = make_accepted_key("/r", "a.md", TEXT)
    assert key == make_accepted_key("/r", "a.md", print_plan(replace(PLAN, criteria=results)))
    assert key != make_accepted_key("/r", "a.md", print_plan(replace(PLAN, criteria=results[:1])))
    assert key != make_accepted_key("/r", "a.md", print_plan(replace(PLAN, grants=("x.yml",))))


def test_a_plan_is_made_current_by_one_word() -> None:
    text = print_plan(replace(PLAN, status="provisional", context="status: provisional"))
    assert make_current(text) == print_plan(replace(PLAN, status="current", context="status: provisional"))
