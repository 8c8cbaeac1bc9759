"""A repository without a CHANGELOG and a dependabot.yml, and a plan for them that a person made current."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from reknit.app.installation import find_installation
from reknit.app.start.planning.accepted import accept_plan
from reknit.core.agent_reports.values import PlannedTask
from reknit.core.planning.plan_file.plan import PlanFile, PlannedCriterion, plan_path
from reknit.core.planning.plan_file.printing import print_plan

CHANGELOG, DEPENDABOT = "CHANGELOG.md", ".github/dependabot.yml"
FILE = plan_path("tidy")
PLAN = PlanFile(
    title="Tidy up",
    updated="2026-11-17",
    status="current",
    variant_recommendation="grey",
    confidence_0_100=80,
    topic="tidy",
    as_of="2026-11-17",
    grants=(DEPENDABOT,),
    tasks=(
        PlannedTask("Add a changelog with an entry for v1.0", "M", "M", (), (CHANGELOG,)),
        PlannedTask("Scaffold dependabot", "S", "M", (), (DEPENDABOT,)),
    ),
    criteria=(
        PlannedCriterion("file: CHANGELOG.md contains v1.0"),
        PlannedCriterion("run: python3 check.py"),
        PlannedCriterion(f"file: {DEPENDABOT} exists"),
    ),
)
WRITE_CHANGELOG: dict[str, Any] = {"write": {CHANGELOG: "# Changes\n\n## v1.0\n\n- first\n"}, "cost_usd": 0.1}
WRITE_DEPENDABOT: dict[str, Any] = {"write": {DEPENDABOT: "version: 2\n"}, "cost_usd": 0.1}


def write_plan(root: Path, accepted_in: Mapping[str, str] | None = None, **changes: Any) -> str:
    """Returns its text. `accepted_in`: the environment of the installation in which a person accepts it, if any."""
    text = print_plan(replace(PLAN, **changes))
    (root / FILE).parent.mkdir(parents=True, exist_ok=True)
    (root / FILE).write_text(text)
    if accepted_in is not None:
        accept_plan(find_installation(accepted_in), root, FILE)
    return text


def plan_text(root: Path) -> str:
    return (root / FILE).read_text()
