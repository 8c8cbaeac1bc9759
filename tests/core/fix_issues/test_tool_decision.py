"""What tools fix, in which parts, and what they still report."""

from dataclasses import replace

import pytest

from reknit.core.fix_issues.task import Batch, FixIssues
from reknit.core.fix_issues.tool_decision import (
    MAX_TRIES,
    Fixable,
    ToolCheck,
    ToolPlan,
    ToolQueue,
    check_issues,
    limit_to_batches,
    list_failed_since,
    list_moved,
    list_other_files,
    may_keep,
    plan_tool_fixes,
    rebatch,
    start_queue,
)
from reknit.core.fix_issues.tools.look import ToolFinding, ToolLook, ToolReport
from reknit.core.issues.model import Issue, IssueSource
from reknit.core.runs.limits import IssueLimits
from tests.tools.issue_samples import FLAKE8, issue


def of(number: int, rule: str = "F401", tool: str = "ruff", path: str = "a.py", *more: IssueSource) -> Issue:
    return issue(number, path=path, line=number, rule=rule, sources=(IssueSource(tool, rule, f"m{number}"), *more))


def seen(number: int, rule: str = "F401", path: str = "a.py", *, fixable: bool = True) -> ToolFinding:
    return ToolFinding(rule, path, number, f"m{number}", f"line {number}", fixable)


def look(*findings: ToolFinding, why: str = "", unread: tuple[str, ...] = ()) -> ToolLook:
    return ToolLook((ToolReport("ruff", "1.0", why, findings=findings, unread=unread),))


def not_looked_for(*rules: str) -> ToolLook:
    return ToolLook((ToolReport("ruff", "1.0", unknown=rules),))


def test_what_has_a_safe_fix_is_the_tools_and_the_rest_an_agents() -> None:
    issues = [of(1), of(2), of(3, "E711"), of(4, "F841", "ruff", "b.py")]
    found = plan_tool_fixes(look(seen(1), seen(2), seen(3, "E711", fixable=False), seen(4, "F841", "b.py")), issues, ())
    assert found == ToolPlan(
        (Fixable("ruff", "F401", "a.py", (1, 2), ("F401",)), Fixable("ruff", "F841", "b.py", (4,), ("F841",)))
    )


def test_what_a_person_ignored_in_a_file_keeps_the_tool_from_that_rule_there() -> None:
    issues = [of(1), of(2, path="b.py")]
    found = plan_tool_fixes(look(seen(1), seen(2, path="b.py")), issues, {("F401", "a.py")})
    assert [each.path for each in found.fixable] == ["b.py"]


def test_the_tool_may_offer_more_fixes_than_were_asked_for() -> None:
    [fixable] = plan_tool_fixes(look(seen(1), seen(9, "I001")), [of(1)], ()).fixable
    assert fixable.offered == ("F401", "I001")


def test_one_issue_of_two_tools_is_fixed_by_the_first() -> None:
    eslint = ToolReport("eslint", findings=(replace(seen(1), rule="no-var"),))
    both = of(1, "F401", "ruff", "a.py", IssueSource("eslint", "no-var", "m1"))
    [fixable] = plan_tool_fixes(ToolLook((look(seen(1)).reports[0], eslint)), [both], ()).fixable
    assert fixable.tool == "ruff"


@pytest.mark.parametrize(
    ("given", "one", "gone"),
    [
        pytest.param(look(), of(1), (1,), id="silent"),
        pytest.param(look(seen(1)), of(1), (), id="reported"),
        pytest.param(look(why="crashed"), of(1), (), id="no result is not silence"),
        pytest.param(look(unread=("a.py",)), of(1), (), id="nor is a file that was not read"),
        pytest.param(not_looked_for("F401"), of(1), (), id="nor is a rule that it did not look for"),
        pytest.param(look(), of(1, "F401", "ruff", "a.py", FLAKE8), (), id="another tool may still report it"),
        pytest.param(look(), issue(1, sources=()), (), id="nobody reported it"),
    ],
)
def test_what_is_no_longer_reported_is_gone_only_if_that_is_known(
    given: ToolLook, one: Issue, gone: tuple[int, ...]
) -> None:
    assert plan_tool_fixes(given, [one], ()).absent_issues == gone


def test_a_second_issue_of_which_only_one_is_left_is_gone() -> None:
    assert plan_tool_fixes(look(seen(2)), [of(1), of(2)], ()).absent_issues == (1,)


F401, E711 = Fixable("ruff", "F401", "a.py", (1,)), Fixable("ruff", "E711", "b.py", (2,))
VAR = Fixable("eslint", "no-var", "a.ts", (3,))


def test_a_refused_part_is_tried_by_tool_and_then_by_rule() -> None:
    queue = start_queue(ToolPlan((F401, E711, VAR)))
    assert queue.next == (F401, E711, VAR)
    queue = queue.refuse()
    assert queue.parts == ((F401, E711), (VAR,))
    queue = queue.refuse()
    assert queue.parts == ((F401,), (E711,), (VAR,))
    queue = queue.refuse()
    assert queue.parts == ((E711,), (VAR,))
    assert queue.accept().next == (VAR,)
    assert queue.accept().accept().next == ()


def test_there_is_an_end_to_trying() -> None:
    assert ToolQueue(((F401,),), MAX_TRIES - 1).next
    assert not ToolQueue(((F401,),), MAX_TRIES).next
    assert start_queue(ToolPlan()).next == ()


BOTH = look(seen(1), seen(2))


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        pytest.param(look(), ToolCheck(silent=(1, 2)), id="silent"),
        pytest.param(look(seen(2)), ToolCheck(still_reported=(2,), silent=(1,)), id="one is left"),
        pytest.param(look(unread=("a.py",)), ToolCheck(still_reported=(1, 2)), id="the file cannot be read any more"),
        pytest.param(look(why="crashed"), ToolCheck(unchecked=(1, 2)), id="no result"),
        pytest.param(ToolLook(()), ToolCheck(unchecked=(1, 2)), id="not run"),
    ],
)
def test_what_the_tools_say_after_a_fix(after: ToolLook, expected: ToolCheck) -> None:
    assert check_issues(BOTH, after, [of(1), of(2), issue(3, sources=(FLAKE8,))], (1, 2, 3)) == expected


def test_only_what_was_asked_for_is_checked() -> None:
    assert check_issues(BOTH, look(seen(2)), [of(1), of(2)], (1,)) == ToolCheck(silent=(1,))


def test_silence_about_what_was_not_reported_before_the_fix_either_means_nothing() -> None:
    assert check_issues(look(seen(2)), look(), [of(1), of(2)], (1, 2)) == ToolCheck(unchecked=(1,), silent=(2,))


def test_a_tool_without_a_result_before_checks_nothing() -> None:
    assert check_issues(look(why="crashed"), look(), [of(1)], (1,)) == ToolCheck(unchecked=(1,))
    assert check_issues(look(unread=("a.py",)), look(), [of(1)], (1,)) == ToolCheck(unchecked=(1,))
    assert check_issues(not_looked_for("F401"), look(), [of(1)], (1,)) == ToolCheck(unchecked=(1,))


def test_a_rule_that_only_the_change_switches_off_is_not_silent() -> None:
    assert check_issues(BOTH, not_looked_for("F401"), [of(1)], (1,)) == ToolCheck(still_reported=(1,))


def test_a_tool_that_fails_only_after_the_change() -> None:
    crashed = look(why="crashed")
    assert list_failed_since(BOTH, crashed) == crashed.reports
    assert list_failed_since(crashed, crashed) == ()
    assert list_failed_since(crashed, BOTH) == ()


@pytest.mark.parametrize(
    ("still", "known", "last", "kept"),
    [
        pytest.param((), (), False, True, id="nothing is reported"),
        pytest.param((1,), (), False, False, id="another attempt may do better"),
        pytest.param((1,), (), True, True, id="the last one keeps the rest of the batch"),
        pytest.param((1, 2), (), True, False, id="of which there must be some"),
        pytest.param((9,), (), True, False, id="what was silent before must stay so"),
        pytest.param((9,), (9,), False, True, id="what was reported before changes nothing"),
    ],
)
def test_when_a_change_is_kept(still: tuple[int, ...], known: tuple[int, ...], last: bool, kept: bool) -> None:
    assert may_keep(still, known, (1, 2), last=last) == kept


def test_batches_are_made_again_from_what_is_left() -> None:
    batches = tuple(Batch(number, "backend", (2 * number - 1, 2 * number), 6) for number in (1, 2, 3))
    target = FixIssues("r", (*batches, Batch(4, "frontend", (7,), 3)), None, limits=IssueLimits(batch_issues=2))
    issues = [of(number, path=f"f{number}.py") for number in range(1, 8)]
    left = rebatch(target, issues, (1, 3, 5, 6))
    assert left == (Batch(1, "backend", (2, 4), 6), Batch(2, "frontend", (7,), 3))
    made = limit_to_batches(target, left)
    assert (made.batches, made.others) == (left, (1, 3, 5, 6))
    assert sorted(made.issues) == [1, 2, 3, 4, 5, 6, 7]


def test_a_finding_can_be_moved_to_changed_files_of_its_kind() -> None:
    paths = ("a.py", "b.py", "app/c.py", "c.js", "README.md")
    assert list_other_files(paths, [of(1), of(2, path="d.ts")]) == ("app/c.py", "b.py")


@pytest.mark.parametrize(
    ("before", "after", "silent", "expected"),
    [
        pytest.param((), (seen(1, path="b.py"),), (1, 2), (1,), id="its rule is new there"),
        pytest.param((seen(7, path="b.py"),), (seen(1, path="b.py"),), (1,), (), id="as often as before"),
        pytest.param(
            (seen(7, path="b.py"),), (seen(1, path="b.py"), seen(7, path="b.py")), (1,), (1,), id="more often"
        ),
        pytest.param((), (seen(1, "E501", "b.py"),), (1,), (), id="another rule"),
        pytest.param((), (seen(1, path="b.py"),), (2,), (), id="it is reported where it was"),
    ],
)
def test_a_finding_that_is_only_moved_is_not_resolved(
    before: tuple[ToolFinding, ...], after: tuple[ToolFinding, ...], silent: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    assert list_moved(look(*before), look(*after), [of(1), of(2, "E711")], silent) == expected
