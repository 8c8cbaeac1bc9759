"""A plan as people edit it: what is read the same, and what is refused with its line."""

from dataclasses import replace

import pytest

from reknit.core.agent_reports.values import PlannedTask
from reknit.core.planning.plan_file.parsing import parse_plan
from reknit.core.planning.plan_file.plan import PlanFile, PlannedCriterion
from tests.tools.plan_files import PLAN, PLAN_TEXT


def edit(old: str, new: str) -> str:
    return PLAN_TEXT.replace(old, new)


def plan_of(text: str) -> PlanFile:
    plan = parse_plan(text)
    assert isinstance(plan, PlanFile), plan
    return plan


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(edit("\n", "\r\n"), id="crlf"),
        pytest.param("\ufeff\n" + PLAN_TEXT, id="bom-and-blank-line"),
        pytest.param("\ufeff" + edit("\n- ", "\n\n* ").replace("\n  - i", "\n    + i"), id="bullets"),
        pytest.param(edit("## Context", "# Heading\n\nwords\n\n## Context"), id="own-title"),
        pytest.param(PLAN_TEXT + "\n## Notes\n\n- [S] not a task\nstatus: fallback\n", id="other-section"),
        pytest.param(edit("domain:", "owner: me\nmore:\n  a: 1\ndomain:"), id="other-fields"),
        pytest.param(edit("domain:", "# why\ndomain:").replace("78", "78  # sure"), id="yaml-comments"),
        pytest.param(edit("\n  - .github/d", " [.github/d").replace("t.yml\nd", "t.yml]\nd"), id="inline-list"),
        pytest.param(edit("\n  - .github/dependabot.yml", " '.github/dependabot.yml'"), id="one-word-list"),
        pytest.param(
            edit("\nconstraints:\n  - be", "\nconstraints:  # one\n  - 'be").replace("kind", "kind'"), id="quoted-item"
        ),
        pytest.param(edit("- [S]", "<!-- - [L] hidden\n- [L] too -->\n- [S]"), id="commented-tasks"),
        pytest.param(edit("contains v1.6", "\n  contains v1.6"), id="continued-line"),
        pytest.param(edit("- dependabot", "  - seen by me\n    today\n- dependabot"), id="remark-below"),
        pytest.param(edit("## Acceptance Criteria", "## acceptance criteria ##"), id="heading-style"),
        pytest.param(edit("---\n\n## Context", "...\n\n## Context"), id="other-end-of-fields"),
    ],
)
def test_edited_and_the_same(text: str) -> None:
    assert text != PLAN_TEXT
    assert plan_of(text) == PLAN


def test_what_a_person_may_leave_out() -> None:
    fields = "title: t\nupdated: 2026-11-17\nstatus: current\nvariant_recommendation: grey\nconfidence: 0\n"
    text = f"---\n{fields}grants: ~\nvariant_alternate:\n---\n## Tasks\n1. [S]\n## Acceptance Criteria\n- a is there\n"
    expected = PlanFile("t", "2026-11-17", "current", "grey", 0, tasks=(PlannedTask("", "S", ""),))
    assert plan_of(text) == replace(expected, criteria=(PlannedCriterion("a is there"),))


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        pytest.param("", ["1: the file does not begin with its fields"], id="empty"),
        pytest.param("# Plan\nstatus: current\n", ["1: the file does not begin"], id="no-fields"),
        pytest.param("---\nstatus: current\n", ["1: the fields that begin here have no end"], id="no-end"),
        pytest.param("---\n---\n", ["1: there is no `status`", "1: there is no `## Tasks`"], id="nothing-in-it"),
        pytest.param(edit("status: current", "status: Current"), ["4: `status` is 'Current'"], id="status"),
        pytest.param(edit("domain:", "status: current\ndomain:"), ["5: `status` is there twice"], id="two-of-a-field"),
        pytest.param(edit("status: current", "status: |\n  current"), ["4: `status` is not one"], id="block"),
        pytest.param(edit("status: current", "status: 'current"), ["4: `status` is not one"], id="open-quote"),
        pytest.param(edit("grey", '"\\x"'), ["6: `variant_recommendation` is not"], id="bad-escape"),
        pytest.param(edit("grey", "&a grey"), ["6: `variant_recommendation` is not"], id="anchor"),
        pytest.param(edit("status: current", "status: current\n  too"), ["4: `status` is not one"], id="continued"),
        pytest.param(edit("domain: planning", "- planning"), ["4: `status` is not one"], id="item-below-a-word"),
        pytest.param(edit("domain:", f"x: {'y' * 70_000}\ndomain:"), ["2: the fields are longer"], id="too-long"),
        pytest.param(edit("grants:", "grants: [a, [b]]\nx:"), ["12: `grants` is no list"], id="nested-list"),
        pytest.param(edit("78", "high"), ["8: `confidence` is no whole number"], id="confidence"),
        pytest.param(edit("78", "101"), ["8: `confidence` is no whole number"], id="over-100"),
        pytest.param(edit("updated: 2026-11-17", "updated: today"), ["3: `updated` is no date"], id="date"),
        pytest.param(edit("variant_recommendation: grey", "variant_recommendation:"), ["6:"], id="no-variant"),
        pytest.param(edit('cap: "~1 hour"', "cap: forever"), ["11: `cap` is 'forever'"], id="cap"),
        pytest.param(edit("grants:", "grants: x"), ["12: `grants` is no list"], id="word-and-list"),
        pytest.param(edit("grants:", "grants: [a, {b: c}]\nx:"), ["12: `grants` is no list"], id="map-in-list"),
        pytest.param(edit("  - .github", "  a: .github"), ["12: `grants` is no list"], id="map"),
        pytest.param(edit("domain: planning", "domain planning"), ["5: this is no field"], id="no-colon"),
        pytest.param(edit("- [S] ", "- "), ["36: this task has no effort"], id="no-effort"),
        pytest.param(edit("- [S] ", "-[S] "), ["36: this line below `## Tasks` is no item"], id="no-item"),
        pytest.param(edit("## Tasks", "Tasks"), ["1: there is no `## Tasks`"], id="no-tasks"),
        pytest.param(PLAN_TEXT + "\n## Tasks\n", ["56: `## Tasks` is there twice"], id="two-of-a-section"),
        pytest.param(edit("max_usd: 5", "max_us: 5"), ["16: there is no field `max_us`; did you"], id="slip"),
        pytest.param(edit("max_usd: 5", "Max-USD: 5"), ["16: there is no field `Max-USD`; did you"], id="spelling"),
        pytest.param(edit("be kind", "'max_usd: 1'"), ["17: `constraints` is no place for `max_usd: 1`"], id="place"),
        pytest.param(edit("be kind", "'budget: 1'"), ["17: `constraints` is no place for `budget: 1`"], id="no-limit"),
        pytest.param(edit("  - file:", "  - files:"), ["34: a task has no `files:`; did you mean"], id="files"),
        pytest.param(edit("## Tradeoffs", "## Task"), ["48: there is no section `## Task`"], id="section"),
        pytest.param(edit("max_usd: 5", "max_usd: five"), ["16: `max_usd` is no limit"], id="no-amount"),
        pytest.param(edit("max_usd: 5", "max_usd: [5]"), ["16: `max_usd` is not one value"], id="two-amounts"),
        pytest.param(edit("max_usd: 5", "max_usd:"), ["16: `max_usd` is empty"], id="no-value"),
        pytest.param(edit("4 docs", "<!-- 4 docs"), ["1: ", "1: ", "23: the comment that begins"], id="comment"),
        pytest.param(
            edit("status: current", "status: x").replace("- [S] ", "- "),
            ["4: `status`", "36: this task"],
            id="all-at-once",
        ),
    ],
)
def test_refused_with_the_line(text: str, problems: list[str]) -> None:
    found = parse_plan(text)
    assert isinstance(found, tuple)
    said = [str(problem) for problem in found]
    for begin in problems:
        assert any(line.startswith(f"line {begin}") for line in said), said
    assert all(problem.help for problem in found)
    assert [problem.line for problem in found] == sorted(problem.line for problem in found)
