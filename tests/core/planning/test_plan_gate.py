"""Which plans let a variant run."""

from dataclasses import replace
from typing import Any

import pytest

from reknit.core.gate.waiver import Waiver
from reknit.core.planning.intent import Constraint
from reknit.core.planning.plan_file.plan import PlannedCriterion, PlanProblem
from reknit.core.planning.plan_gate import (
    PlanRefusal,
    make_waivers,
    refuse_plan,
    refuse_unaccepted,
    refuse_unreadable,
    render_acceptance,
)
from tests.tools.plan_files import PLAN

FILE = "p.md"


@pytest.mark.parametrize(
    ("changes", "name", "what"),
    [
        pytest.param({}, "grey", "", id="recommended"),
        pytest.param({}, "professor", "", id="alternate"),
        pytest.param({}, "red", "the plan p.md does not name the variant red", id="another"),
        pytest.param({"variant_alternate": ""}, "", "the plan p.md does not name the variant", id="no-name"),
        pytest.param({"status": "provisional"}, "grey", "the plan p.md is provisional", id="provisional"),
        pytest.param({"status": "fallback"}, "grey", "the plan p.md is a fallback", id="fallback"),
        pytest.param({"tasks": ()}, "grey", "the plan p.md has no tasks", id="no-tasks"),
        pytest.param({"criteria": ()}, "grey", "the plan p.md has no acceptance criteria", id="no-criteria"),
        pytest.param({"grants": ("docs/*.md",)}, "grey", "1 grant of p.md cannot be used: 'docs/*.md'", id="pattern"),
        pytest.param({"grants": ("a", "../b")}, "grey", "1 grant of p.md cannot be used: '../b'", id="outside"),
        pytest.param({"grants": ("*", "../b")}, "grey", "2 grants of p.md cannot be used: '*', '../b'", id="both"),
        pytest.param({"grants": ("/etc/x",)}, "grey", "1 grant of p.md cannot be used", id="absolute"),
        pytest.param({"grants": ("a\u202e.yml",)}, "grey", "1 grant of p.md cannot be used: 'a\\u202e.yml'", id="rtl"),
        pytest.param({"grants": ("",)}, "grey", "1 grant of p.md cannot be used", id="empty"),
        pytest.param({"grants": 201 * ("a",)}, "grey", "the plan p.md has 201 grants, and 200 are taken", id="grants"),
        pytest.param({"tasks": 201 * PLAN.tasks[:1]}, "grey", "the plan p.md has 201 tasks", id="tasks"),
        pytest.param(
            {"criteria": 201 * PLAN.criteria[:1]}, "grey", "the plan p.md has 201 acceptance criteria", id="criteria"
        ),
    ],
)  # fmt: skip
def test_refusals(changes: dict[str, Any], name: str, what: str) -> None:
    refused = refuse_plan(replace(PLAN, **changes), name, FILE)
    assert (refused.message if refused else "").startswith(what)
    assert bool(refused) == bool(what)


def test_a_person_is_told_how_to_accept_a_plan() -> None:
    refused = refuse_plan(replace(PLAN, status="provisional"), "grey", FILE)
    assert refused and "`reknit plan accept p.md`" in refused.help
    assert "`reknit plan accept 'my plan.md'`" in refuse_unaccepted("my plan.md", "my plan.md").help


def test_a_person_is_told_what_was_accepted() -> None:
    plan = replace(PLAN, variant_alternate="", grants=("a/\u202eb.yml", "c"), tasks=PLAN.tasks[:1])
    criteria = (PlannedCriterion("run: x\x1b[m"),)
    plan = replace(plan, limits=(Constraint("budget", "max_usd: 5", "5"),), criteria=criteria)
    lines = render_acceptance(plan, FILE, "text", ["“Think” names no file"]).splitlines()
    first, task, note, check, limit, *grants, following = lines
    assert (note, check) == ("  note    a run passes over “Think” names no file", "  checks  run: x")
    assert limit == "  limit   max_usd: 5"
    prose = replace(plan, criteria=(PlannedCriterion("it is better"),))
    assert "  checks  it is better (a person checks it)" in render_acceptance(prose, FILE, "text", ())
    assert first == "accepted p.md: SHA-256 982d9e3eb996"
    assert task == f"  task    {plan.tasks[0].title}"
    assert grants == ["  grants  a/\\u202eb.yml", "  grants  c"]
    assert following == "  next    reknit fix plan p.md --as grey"
    assert "  grants  nothing" in render_acceptance(replace(PLAN, grants=()), FILE, "text", ())


def test_every_problem_of_a_broken_plan_is_named() -> None:
    problems = [PlanProblem(number, "wrong", "mend it") for number in range(1, 13)]
    assert refuse_unreadable(FILE, problems[:1]) == PlanRefusal(
        "p.md is no plan that can be read: line 1: wrong", "mend it"
    )
    assert refuse_unreadable(FILE, problems).message.endswith("line 10: wrong; and 2 more")


def test_a_grant_waives_exactly_the_rules_that_refuse_every_change() -> None:
    reason = "granted for the plan finish-next-milestone"
    plan = replace(PLAN, grants=(".github/dependabot.yml", "tests/test_a.py", "src/a.py", ".github/dependabot.yml"))
    assert make_waivers(plan, FILE) == (
        Waiver("protected-config", ".github/dependabot.yml", reason, FILE),
        Waiver("protected-test", "tests/test_a.py", reason, FILE),
    )
