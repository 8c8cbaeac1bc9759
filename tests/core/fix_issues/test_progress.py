"""What a run on the backlog has done so far."""

from dataclasses import replace

from reknit.core.agent_reports.values import FixReport
from reknit.core.fix_issues.progress import (
    BacklogProgress,
    BatchAttempt,
    ToolFix,
    add_missing_waivers,
    end_unchanged_task,
)
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.gate.waiver import Waivers
from reknit.core.runs.agent_rotation import AgentRotation


def attempt(number: int, batch: int, agent: str, *, kept: bool = True) -> BatchAttempt:
    return BatchAttempt(number, batch, 0, kept, "", agent=agent)


def test_only_what_was_kept_has_authors_and_batches() -> None:
    attempts = (attempt(1, 1, "ann"), attempt(2, 2, "bob", kept=False), attempt(3, 2, "cat"), attempt(4, 3, "ann"))
    progress = BacklogProgress(AgentRotation(("ann",)), "head", (1, 2, 3), AgentRotation(()), attempts)
    assert progress.authors == ("ann", "cat")
    assert progress.kept_batches == {1, 2, 3}


def test_only_a_single_kept_change_speaks_for_the_commit() -> None:
    report = FixReport("fixed", "did it")
    one = BacklogProgress(
        AgentRotation(("ann",)), "head", (1,), AgentRotation(()), (replace(attempt(1, 1, "ann"), report=report),)
    )
    assert one.only_report == report
    assert replace(one, attempts=(*one.attempts, attempt(2, 2, "ann"))).only_report is None
    assert replace(one, tool_fixes=(ToolFix("ruff 1.0", (1,)),)).only_report is None


def test_what_tools_fixed_is_kept_beside_what_agents_did() -> None:
    start = BacklogProgress(AgentRotation(("ann",)), "base", (1, 2, 3), AgentRotation(()))
    assert start.with_tool_fixes((), "other", 5.0, 2.0) == replace(start, worked_s=2.0)
    tools = start.with_tool_fixes((ToolFix("ruff 1.0", (1, 2)),), "fixed", 5.0, 2.0)
    assert (tools.head, tools.at, tools.by_tools, tools.only_tools) == (
        "fixed",
        5.0,
        {1: "ruff 1.0", 2: "ruff 1.0"},
        True,
    )
    both = tools.with_attempt(replace(attempt(1, 1, "ann"), still_reported=(3,)), "more", 9.0, 1.0, 0.5)
    assert (both.authors, both.only_tools, both.still_reported) == (("ruff 1.0", "ann"), False, frozenset({3}))
    back = both.without_agents()
    assert (back.head, back.at, back.attempts, back.still_reported, back.only_tools) == (
        "fixed",
        5.0,
        (),
        frozenset(),
        True,
    )


TRIED = BatchAttempt(1, 1, 0, is_kept=False, why="the gate refused it")
NOW = Waivers(ends_at_once=True)
TEST = ("protected-test", "tests/test_a.py")
TYPE = (
    "the agents changed what decides how tests run, which may hide the failure instead of mending it: tests/test_a.py: "
    "look at the change; `reknit explain protected-test` says how to allow it"
)


def verdict(*refused: tuple[str, str]) -> GateVerdict:
    return GateVerdict(tuple(Refusal(rule, path, "no") for rule, path in refused), ("a",), 1, 1, 1)


def test_a_change_that_no_waiver_helps_stays_as_it_is() -> None:
    assert add_missing_waivers(TRIED, verdict(), NOW, (), 3) == TRIED
    assert add_missing_waivers(TRIED, verdict(TEST, ("test-removed", "tests/test_a.py")), NOW, (), 3) == TRIED
    assert add_missing_waivers(TRIED, verdict(TEST), Waivers(), (), 3) == TRIED


def test_a_lockfile_alone_is_left_to_a_person_at_once() -> None:
    tried = add_missing_waivers(TRIED, verdict(("protected-config", "uv.lock")), NOW, (), 3)
    assert tried.final
    assert tried.why.endswith("add `--allow protected-config:uv.lock`")


def test_an_agent_that_changed_a_test_gets_one_more_attempt_and_never_reads_what_a_person_types() -> None:
    first = add_missing_waivers(TRIED, verdict(TEST), NOW, (), 3)
    assert first == replace(TRIED, missing_waivers=(TEST,))
    assert add_missing_waivers(TRIED, verdict(TEST), NOW, (first,), 3) == replace(first, final=True, why=TYPE)


def test_the_last_attempt_says_what_to_type() -> None:
    assert add_missing_waivers(TRIED, verdict(TEST), NOW, (), 1) == replace(TRIED, missing_waivers=(TEST,), why=TYPE)


def test_a_variant_takes_no_option_so_its_plan_is_named_where_a_grant_helps() -> None:
    granted = add_missing_waivers(TRIED, verdict(TEST), NOW, (), 1, "p.md").why
    assert granted == "only a person may allow a change of tests/test_a.py: add it to `grants:` in p.md"
    beyond = add_missing_waivers(TRIED, verdict(("no-mode-change", "run.sh")), NOW, (), 1, "p.md").why
    assert beyond == "only you can change run.sh: no grant lifts no-mode-change"


def test_a_task_that_an_earlier_agent_may_have_done_is_paid_for_once() -> None:
    kept = BacklogProgress(AgentRotation(("ann",)), "head", (1, 2), AgentRotation(()), (attempt(1, 1, "ann"),))
    tried = attempt(2, 2, "ann", kept=False)
    ended = end_unchanged_task(tried, verdict(("nothing-changed", "")), kept)
    assert (ended.final, "An earlier task may have done this one too." in ended.why) == (True, True)
    assert end_unchanged_task(tried, verdict(("nothing-changed", "")), replace(kept, attempts=())) == tried
    assert end_unchanged_task(tried, verdict(TEST), kept) == tried
