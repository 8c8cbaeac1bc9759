"""The plan for this repository in docs/examples: made by `reknit plan` from a recorded answer.

After a change of the plan's layout or of the recorded answer: python -m tests.test_example_plan
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

from reknit.adapters.git.landing import commit_all
from reknit.core.planning.criteria import Unchecked, parse_criterion
from reknit.core.planning.plan_file.parsing import parse_plan
from reknit.core.planning.plan_file.plan import PlanFile, plan_path
from reknit.core.planning.tasks import explain_wrong_files
from tests.tools.command_line import Answer, CommandLine
from tests.tools.project_files import ROOT, project_files

TOPIC = "finish-next-milestone"
EXAMPLE = ROOT / "docs" / "examples" / f"{TOPIC}-advisor.md"
RECORDED = json.loads((ROOT / "tests" / "golden" / f"{TOPIC}.json").read_text())
GOAL = "How should reknit finish its next milestone: a Stop hook that answers at once, and less to maintain around it?"


def tracked() -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in project_files()]


def made_plan(folder: Path) -> tuple[Answer, str]:
    """Of a copy of this repository, so that nothing is written here."""
    copy = folder / "copy"
    for path in tracked():
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, copy / path)
    commit_all(str(copy), "reknit")
    report = {key: value for key, value in RECORDED.items() if key != "confidence"}
    reknit = CommandLine(folder)
    reknit.tell_story({"report": {**report, "confidence_0_100": RECORDED["confidence"]}}, box="host")
    arguments = ("plan", TOPIC, "--description", GOAL, "--as-of", "2026-11-18", "--constraint", "max_usd: 5")
    answer = reknit.run(*arguments, "--format", "json", cwd=copy)
    return answer, (copy / plan_path(TOPIC)).read_text()


def read(text: str) -> PlanFile:
    plan = parse_plan(text)
    assert isinstance(plan, PlanFile), plan
    return plan


def test_the_plan_for_this_repository_is_current(tmp_path: Path) -> None:
    answer, text = made_plan(tmp_path)
    assert (answer.exit_code, answer.ending["plan"]["status"]) == (0, "current"), answer.out + answer.err
    plan, example = read(text), read(EXAMPLE.read_text())
    assert (plan.status, plan.variant_recommendation, plan.variant_alternate) == ("current", "professor", "fixit")
    for part in ("tasks", "criteria", "limits", "variant_recommendation", "status", "plan"):
        assert getattr(example, part) == getattr(plan, part), part


def test_it_names_only_files_that_are_here_or_are_added() -> None:
    plan = read(EXAMPLE.read_text())
    assert explain_wrong_files(plan.tasks, frozenset(tracked())) == ("",) * 5
    assert [path for task in plan.tasks for path in task.new_files] == ["docs/STATE.md"]
    assert sum(len(task.files) for task in plan.tasks) >= 6


def test_code_can_check_every_criterion() -> None:
    checks = [parse_criterion(criterion.text) for criterion in read(EXAMPLE.read_text()).criteria]
    assert [check for check in checks if isinstance(check, Unchecked)] == []
    assert len(checks) == 5


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made_in:
        made = made_plan(Path(made_in))
        EXAMPLE.parent.mkdir(exist_ok=True)
        EXAMPLE.write_text(made[1])
        sys.exit(made[0].exit_code)
