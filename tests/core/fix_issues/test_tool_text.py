"""What people and agents read about tools."""

from dataclasses import replace

from reknit.core.fix_issues import tool_text
from reknit.core.fix_issues.progress import BacklogProgress, ToolFix
from reknit.core.fix_issues.tool_decision import Fixable, ToolCheck, ToolPlan
from reknit.core.fix_issues.tools.look import ToolLook, ToolReport
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.runs.agent_rotation import AgentRotation
from tests.tools.issue_samples import issue

NOTHING = BacklogProgress(AgentRotation(("claude",)), "base", (1, 2, 3), AgentRotation(()))
LOOK = ToolLook((ToolReport("ruff", "1.0"), ToolReport("eslint", why="it is not installed here", missing=True)))
F401, I001 = Fixable("ruff", "F401", "a.py", (1, 2)), Fixable("ruff", "I001", "a.py", (3,))


def test_what_the_tools_offer() -> None:
    event = tool_text.report_look(LOOK, ToolPlan((F401, I001), (7,)))
    assert event.text == (
        "ruff 1.0; eslint: it is not installed here; safe fixes for 3 issues; "
        "no longer reported, so left as they are: I-7"
    )
    assert event.data["fixable"] == ["I-1", "I-2", "I-3"]
    assert "no longer" not in tool_text.report_look(LOOK, ToolPlan()).text


def test_what_tools_fixed_or_why_not() -> None:
    fixed = tool_text.report_tool_fix(1, (F401, I001), "", (ToolFix("ruff 1.0", (1, 2, 3)),))
    assert (fixed.mark, fixed.text) == ("ok", "ruff 1.0 fixed 3 issues; no test turned red, no agent was called")
    bad = tool_text.report_tool_fix(2, (F401, I001), "t::one is red\nmore", ())
    assert (bad.mark, bad.text) == ("bad", "the fixes of ruff (F401, I001) were not accepted: t::one is red")


def test_what_the_gate_said() -> None:
    verdict = GateVerdict((Refusal("too-much", "", "too many files"),), (), 1, 1, 1)
    assert tool_text.explain_gate_refusal(verdict) == "the gate refused it: too many files"
    assert tool_text.explain_gate_refusal(GateVerdict((), (), 1, 1, 1)) == ""


def test_an_agent_is_told_what_is_still_reported() -> None:
    told = tool_text.explain_still_reported(LOOK, {1}, [issue(1), issue(2)])
    assert told.splitlines() == [
        "the tools still report 1 issue after this change, maybe in another file, or cannot read it:",
        f"- I-1 F401 src/a.py: {issue(1).message} (ruff 1.0)",
    ]
    event = tool_text.report_refused_by_tools(2, told)
    assert event.text == "the tools still report 1 issue after this change, maybe in another file, or cannot read it"
    many = tool_text.explain_still_reported(LOOK, range(15), [issue(number) for number in range(15)])
    assert many.splitlines()[-1] == "- and 5 more"


def test_an_agent_is_told_that_its_change_breaks_the_tool() -> None:
    assert "ruff 1.0: it ended" in tool_text.explain_no_result(
        [ToolReport("ruff", "1.0", "it ended with exit code 2 ()")]
    )


def test_the_receipt_says_who_fixed_what_and_what_was_not_checked() -> None:
    checked = ToolCheck(silent=(1, 2), unchecked=(3,))
    fixed = replace(NOTHING, tool_fixes=(ToolFix("ruff 1.0", (1, 9)),))
    assert tool_text.render_tool_receipt(fixed, checked, LOOK, (1, 2, 3)) == (
        "ruff 1.0 fixed I-1",
        "run again, ruff 1.0 no longer report 2 issues of 3",
        "not checked again: I-3 (eslint: it is not installed here)",
    )
    unread = ToolLook((ToolReport("ruff", "1.0"),))
    assert tool_text.render_tool_receipt(NOTHING, ToolCheck(unchecked=(3,)), unread, (3,)) == (
        "not checked again: I-3 (they were not reported before the fix, or their files were not read)",
    )
    unknown = ToolLook((ToolReport("ruff", "1.0", unknown=("PT004", "XYZ1")),))
    assert tool_text.render_tool_receipt(NOTHING, ToolCheck(unchecked=(3,)), unknown, (3,)) == (
        "not checked again: I-3 (ruff did not look for PT004, XYZ1)",
    )
    assert tool_text.render_tool_receipt(NOTHING, ToolCheck(), LOOK, (3,)) == ()


def test_the_receipt_names_what_was_left_because_no_tool_reports_it() -> None:
    [line] = tool_text.render_tool_receipt(replace(NOTHING, absent_issues=(4, 5)), ToolCheck(), LOOK, (3,))
    assert line == "I-4, I-5 left OPEN, no longer reported by their tools: import new reports"
