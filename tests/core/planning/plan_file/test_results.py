"""Results under the criteria, and nothing else."""

import pytest
from hypothesis import given

from reknit.core.planning.plan_file.parsing import parse_plan
from reknit.core.planning.plan_file.plan import PlanFile
from reknit.core.planning.plan_file.printing import print_plan
from reknit.core.planning.plan_file.results import with_results, without_results
from tests.tools.plan_files import PLAN, PLAN_TEXT, PLANS

BEGIN = "---\r\n---\r\n## Acceptance Criteria\r\n"
OLD = "unverified: no code can check this"
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
    assert with_results(text, results) == expected
    assert with_results(expected, results) == expected
    assert without_results(expected) == without_results(text)


def test_an_edit_is_not_a_result() -> None:
    assert without_results(PLAN_TEXT) != without_results(PLAN_TEXT.replace("status: current", "status: provisional"))
    assert "unverified" not in without_results(PLAN_TEXT)


@given(PLANS)
def test_of_any_plan(plan: PlanFile) -> None:
    results = {each.text: "failed: <!-- x" for each in plan.criteria}
    text = with_results(print_plan(plan), results)
    read = parse_plan(text)
    assert isinstance(read, PlanFile)
    assert [each.result for each in read.criteria] == ["failed: <!-- x"] * len(plan.criteria)
    assert [each.text for each in read.criteria] == [each.text for each in plan.criteria]
    assert with_results(text, results) == text
