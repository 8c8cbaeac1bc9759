"""What is told before a run on the backlog spends anything."""

from dataclasses import replace

import pytest

from reknit.core.agents.call import AgentSettings
from reknit.core.fix_issues.forecast import (
    RunProspect,
    build_forecast_document,
    count_calls,
    describe_agents,
    render_batch,
    render_forecast,
)
from reknit.core.fix_issues.task import Batch, FixIssues
from reknit.core.gate.needed_waivers import NotAllowed
from reknit.core.issues.model import Issue
from reknit.core.runs.limits import Limits

BATCHES = (Batch(1, "backend", (1, 2, 3), 9), Batch(2, "frontend", (4,), 3))
TARGET = FixIssues("shop", BATCHES, AgentSettings("gemini", "gemini"))
ALONE = replace(TARGET, challenger=None, unchallenged="switched off")
JUDGED = "gemini challenges (95 of 100, at most 3 rounds)"
LIMITS = Limits()
KNOWN = RunProspect(fix_usd=0.1, challenge_usd=0.3, others=0, absent=0, skip_counts={})


def issue(number: int, path: str) -> Issue:
    return Issue(number, "shop", "f" * 32, "OPEN", path, 1, 1, "F401", "unused", "important", (), "new")


def test_calls_are_counted_for_the_best_and_the_worst_case() -> None:
    assert count_calls(TARGET, LIMITS) == (3, 2 * 3 + 3 * 2 + 2 * 3)
    assert count_calls(replace(TARGET, challenger=None), LIMITS) == (2, 6)


def test_a_batch_is_one_line() -> None:
    issues = [issue(1, "a.py"), issue(2, "b.py"), issue(3, "c.py"), issue(4, "d.ts")]
    whole = "  B-1    backend     9 points  3 issues  I-1 I-2 I-3  a.py, b.py and 1 more"
    assert render_batch(BATCHES[0], issues) == whole
    assert render_batch(BATCHES[1], issues) == "  B-2    frontend    3 points  1 issue   I-4  d.ts"
    assert render_batch(BATCHES[0], issues, 60) == f"{whole[:59]}…"


def test_of_a_large_batch_some_ids_are_named() -> None:
    line = render_batch(Batch(1, "backend", tuple(range(1, 9)), 9), [issue(1, "a.py")])
    assert "  8 issues  I-1 I-2 I-3 I-4 I-5 and 3 more  a.py" in line


@pytest.mark.parametrize(
    ("target", "fixers", "unready", "told"),
    [
        pytest.param(TARGET, ["claude"], {}, f"claude fixes, {JUDGED}", id="both are there"),
        pytest.param(
            TARGET,
            ["claude"],
            {"claude": "not found on PATH"},
            f"claude fixes (not found on PATH), {JUDGED}",
            id="no fixer",
        ),
        pytest.param(TARGET, ["claude"], {"gemini": "no key"}, f"claude fixes, {JUDGED} (no key)", id="no challenger"),
        pytest.param(
            TARGET,
            ["claude", "codex"],
            {"codex": "no key"},
            f"claude, then codex fixes (codex no key), {JUDGED}",
            id="one",
        ),
        pytest.param(TARGET, ["claude", "codex"], {}, f"claude, then codex fixes, {JUDGED}", id="a fallback"),
        pytest.param(ALONE, ["claude"], {}, "claude fixes; no challenger: switched off", id="nobody judges"),
    ],
)
def test_who_works_and_who_could_not(target: FixIssues, fixers: list[str], unready: dict[str, str], told: str) -> None:
    assert describe_agents(target, fixers, unready) == told


def test_the_forecast_names_the_cap_and_counts_no_issue_twice() -> None:
    lines = render_forecast(TARGET, LIMITS, replace(KNOWN, others=4, absent=5, skip_counts={"in tests": 2}))
    assert lines == [
        "  calls     3 if all goes well, at most 18",
        "  cost      about $0.50 based on earlier calls here; at most $5.00",
        "  left out  2 in tests",
        "  left out  5 absent: their tools no longer report them",
        "  others    4 more are open but not selected",
    ]
    crowd = render_forecast(TARGET, LIMITS, replace(KNOWN, others=9000, absent=None))
    assert crowd[2:] == ["  others    9000 more are open but not selected, including absent ones"]
    assert len(render_forecast(TARGET, LIMITS, KNOWN)) == 2


@pytest.mark.parametrize(
    ("target", "fix_usd", "challenge_usd", "told", "usd"),
    [
        pytest.param(TARGET, 0.1, 0.3, "about $0.50 based on earlier calls here", 0.5, id="each has its own price"),
        pytest.param(
            TARGET, 0.1, None,
            "about $0.20 for the fixer based on earlier calls here, no history for the challenger yet", None,
            id="nobody has judged here yet",
        ),
        pytest.param(ALONE, 0.1, None, "about $0.20 based on earlier calls here", 0.2, id="nobody judges"),
        pytest.param(TARGET, None, 0.3, "no history here yet", None, id="nobody has fixed here yet"),
    ],
)  # fmt: skip
def test_a_forecast_prices_the_challenger_apart(
    target: FixIssues, fix_usd: float | None, challenge_usd: float | None, told: str, usd: float | None
) -> None:
    prospect = replace(KNOWN, fix_usd=fix_usd, challenge_usd=challenge_usd)
    assert render_forecast(target, LIMITS, prospect)[1] == f"  cost      {told}; at most $5.00"
    document = build_forecast_document(target, LIMITS, prospect, ["claude"])
    assert (document["forecast_usd"], document["call_usd"]) == (usd, {"fixer": fix_usd, "challenger": challenge_usd})


def test_the_document_has_the_same_facts() -> None:
    prospect = replace(KNOWN, others=1, absent=3, skip_counts={"in tests": 2})
    document = build_forecast_document(TARGET, LIMITS, prospect, ["claude", "codex"], {"codex": "no key"})
    assert document["batches"] == [
        {"batch": 1, "kind": "backend", "points": 9, "issues": ["I-1", "I-2", "I-3"]},
        {"batch": 2, "kind": "frontend", "points": 3, "issues": ["I-4"]},
    ]
    assert (document["fixer"], document["fallback"], document["challenger"]) == ("claude", ["codex"], "gemini")
    assert (document["others"], document["absent"], document["left_out"]) == (1, 3, {"in tests": 2})
    assert document["unready"] == {"codex": "no key"}
    assert build_forecast_document(ALONE, LIMITS, KNOWN, ["claude"])["challenger"] is None


def test_tools_come_first_and_cost_nothing() -> None:
    prospect = RunProspect(None, None, 0, 0, {})
    told = render_forecast(replace(TARGET, tools=("ruff", "eslint")), LIMITS, prospect)
    assert told[-1] == "  tools     ruff and eslint first, if installed: what they fix safely costs no call"


def test_the_forecast_names_what_a_person_can_let_in() -> None:
    target = replace(TARGET, not_allowed=NotAllowed(2, 1, ("--allow protected-config:uv.lock",)))
    assert render_forecast(target, LIMITS, KNOWN)[-1] == (
        "  allow     2 issues in files that only a person may allow to change: add `--allow protected-config:uv.lock`"
    )
    told = {"issues": 2, "files": 1, "allow": ["--allow protected-config:uv.lock"]}
    assert build_forecast_document(target, LIMITS, KNOWN, ["claude"])["not_allowed"] == told
