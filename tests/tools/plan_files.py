"""Plans for tests: an example as a file, and any others with hostile text."""

from typing import get_args

from hypothesis import strategies as st

from reknit.core.agent_reports.values import PlannedTask
from reknit.core.planning.intent import Cap, Constraint
from reknit.core.planning.plan_file.plan import PlanFile, PlannedCriterion, PlanStatus

PLAN = PlanFile(
    title="Finish the next milestone",
    updated="2026-11-17",
    status="current",
    domain="planning",
    variant_recommendation="grey",
    variant_alternate="professor",
    confidence_0_100=78,
    topic="finish-next-milestone",
    as_of="2026-11-17",
    cap="~1 hour",
    grants=(".github/dependabot.yml",),
    limits=(Constraint("model", "deny_models: opus", "opus"), Constraint("budget", "max_usd: 5", "5")),
    constraints=("be kind",),
    tasks=(
        PlannedTask("Backfill entries for the last 5 releases", "M", "M", ("CHANGELOG.md",)),
        PlannedTask("Scaffold dependabot", "S", "M", (), (".github/dependabot.yml",)),
        PlannedTask("Think", "L", ""),
    ),
    criteria=(
        PlannedCriterion("file: CHANGELOG.md contains v1.6"),
        PlannedCriterion("dependabot opens at least one PR within 24h", "unverified: a person checks it"),
    ),
    context="4 docs are stale.",
    plan="Run grey.\n\nHygiene first.",
    tradeoffs="None worth naming.",
    methodology="Explored, scored, asked once.",
)
PLAN_TEXT = """\
---
title: Finish the next milestone
updated: 2026-11-17
status: current
domain: planning
variant_recommendation: grey
variant_alternate: professor
confidence: 78
topic: finish-next-milestone
as_of: 2026-11-17
cap: "~1 hour"
grants:
  - .github/dependabot.yml
deny_models:
  - opus
max_usd: 5
constraints:
  - be kind
---

## Context

4 docs are stale.

## Plan

Run grey.

Hygiene first.

## Tasks

- [M] Backfill entries for the last 5 releases
  - file: CHANGELOG.md
  - impact: M
- [S] Scaffold dependabot
  - new file: .github/dependabot.yml
  - impact: M
- [L] Think
  - it names no file, so no run takes it: add `file: PATH` or `new file: PATH`

## Acceptance Criteria

- file: CHANGELOG.md contains v1.6
- dependabot opens at least one PR within 24h
  - unverified: a person checks it

## Tradeoffs

None worth naming.

## Methodology

Explored, scored, asked once.
"""

_PARTS = (
    *(
        "---",
        "- ",
        "* ",
        "## Tasks",
        "## Acceptance Criteria",
        "# x",
        "status: current",
        "grants:\n  - *",
        "<!--",
        "-->",
    ),
    *(
        "`",
        "```",
        "[S] ",
        "impact: ",
        "passed: ",
        "\\u{",
        "}",
        "\\",
        '"',
        "'",
        "#",
        ": ",
        "null",
        "\n",
        "\r\n",
        "\t",
        " ",
    ),
    *("\u202e", "\u2028", "\x00", "\ufeff", "<details>", "[a](b)", "1. ", "None.", "é", "~", "|"),
)
TEXT = st.lists(st.sampled_from(_PARTS) | st.text(max_size=4), max_size=8).map("".join)
WORDS = TEXT.filter(bool)
_DATES = st.dates().map(lambda day: f"{day:%Y-%m-%d}".rjust(10, "0"))
_RESULTS = st.just("") | st.builds("{}: {}".format, st.sampled_from(["passed", "failed", "unverified"]), TEXT)
_PATHS = st.lists(TEXT, max_size=2).map(tuple)
PLANS = st.builds(
    PlanFile,
    title=WORDS,
    updated=_DATES,
    status=st.sampled_from(get_args(PlanStatus)),
    domain=TEXT,
    variant_recommendation=WORDS,
    variant_alternate=TEXT,
    confidence_0_100=st.integers(0, 100),
    topic=TEXT,
    as_of=_DATES | st.just(""),
    cap=st.sampled_from(get_args(Cap)),
    grants=st.lists(TEXT, max_size=3).map(tuple),
    limits=st.sampled_from(((), PLAN.limits, PLAN.limits[1:])),
    constraints=st.lists(TEXT.filter(lambda text: ":" not in text), max_size=3).map(tuple),
    tasks=st.lists(
        st.builds(PlannedTask, TEXT, st.sampled_from(["S", "M", "L"]), TEXT, _PATHS, _PATHS), max_size=3
    ).map(tuple),
    criteria=st.lists(st.builds(PlannedCriterion, TEXT, _RESULTS), max_size=3).map(tuple),
    context=TEXT,
    plan=TEXT,
    tradeoffs=TEXT,
    methodology=TEXT,
)
