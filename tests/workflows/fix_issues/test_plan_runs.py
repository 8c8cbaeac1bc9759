"""Runs that a plan allowed: a commit for each task, only what was granted, and a result under each criterion."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from reknit.core.agent_reports.values import PlannedTask
from reknit.core.planning.plan_file.plan import PlannedCriterion
from tests.tools import backlog_scene as scene
from tests.tools.command_line import Answer, CommandLine
from tests.tools.variant_scene import (
    CHANGELOG,
    DEPENDABOT,
    FILE,
    PLAN,
    WRITE_CHANGELOG,
    WRITE_DEPENDABOT,
    plan_text,
    write_plan,
)
from tests.workflows.fix_issues.backlog_runs import log

Here = Callable[..., Answer]
FIXES = [WRITE_CHANGELOG, WRITE_DEPENDABOT]
"""In the order of the plan."""


def grey(here: Here, root: Path, *arguments: str) -> Answer:
    return here("fix", "plan", "tidy", "--as", "grey", "--format", "json", *arguments, cwd=root)


def changed(root: Path, before: str, after: str) -> list[str]:
    argv = ["git", "diff", "--name-only", before, after]
    return subprocess.run(argv, cwd=root, capture_output=True, text=True, check=True).stdout.split()


def test_each_task_is_a_commit_with_a_result_under_each_criterion(
    here: Here, reknit: CommandLine, tmp_path: Path
) -> None:
    root = scene.make(tmp_path)
    before = write_plan(root, reknit.environment)
    scene.tell(reknit, FIXES)
    answer = grey(here, root)
    assert (answer.ending["ending"], answer.exit_code) == ("FIXED", 0), (answer.ending["reason"], answer.err)
    assert answer.ending["reason"].endswith("3 of 3 criteria passed")
    message, other = log(root, answer.ending["run"])
    assert "Reknit-Allowed" not in other
    assert changed(root, "HEAD", f"reknit/{answer.ending['run']}") == [DEPENDABOT, CHANGELOG]
    use = f"protected-config:{DEPENDABOT} allowed by a person ({FILE}: granted for the plan tidy)"
    assert f"Reknit-Allowed: {use}" in message.splitlines()
    assert answer.ending["receipt"]["allowed"] == [use]
    after = plan_text(root)
    assert after.count("  - passed: ") == 3
    assert "\n".join(line for line in after.split("\n") if "passed: " not in line) == before
    assert set(scene.states(reknit, root).values()) == {"RESOLVED"}
    assert [each["state"] for each in answer.events("criterion")] == ["passed"] * 3
    again = grey(here, root)
    assert (again.exit_code, "every task of plan/tidy that could be taken is done" in again.out) == (2, True), again.out
    assert "`reknit issues list --tool plan/tidy --status all` shows them" in again.out


def test_a_criterion_that_refuses_an_attempt_is_told_while_it_works(
    here: Here, reknit: CommandLine, tmp_path: Path
) -> None:
    root = scene.make(tmp_path)
    write_plan(root, reknit.environment)
    scene.tell(reknit, [{"write": {CHANGELOG: "# Changes\n"}, "cost_usd": 0.1}, *FIXES])
    answer = grey(here, root)
    assert (answer.ending["ending"], answer.exit_code) == ("FIXED", 0), answer.err
    [refused] = answer.events("unproven")
    assert (refused["attempt"], "CHANGELOG.md contains v1.0" in refused["why"]) == (1, True)


def test_a_second_run_tells_if_the_first_one_was_not_merged(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    root = scene.make(tmp_path)
    write_plan(root, reknit.environment, variant_recommendation="immortal")
    scene.tell(reknit, FIXES)
    first = here("fix", "plan", "tidy", "--format", "json", cwd=root)
    run = first.ending["run"]
    assert (first.ending["ending"], len(log(root, run))) == ("PARTIAL", 1), first.err
    assert "plan tidy: " in here("runs", cwd=root).out
    told = f"what {run} did of this plan is not in HEAD: `git merge reknit/{run}` first"
    assert told in here("fix", "plan", "tidy", "--queue", cwd=root).err
    here("stop", here("runs", cwd=root).out.split()[0], "--for-good", cwd=root)
    subprocess.run(["git", "merge", "-q", f"reknit/{run}"], cwd=root, check=True)
    assert told not in here("fix", "plan", "tidy", "--queue", cwd=root).err


def test_tasks_are_done_in_the_order_of_the_plan_and_may_use_what_earlier_ones_create(
    here: Here, reknit: CommandLine, tmp_path: Path
) -> None:
    root = scene.make(tmp_path)
    planned = [
        ("Add zeta", [], ["app/zeta.py"]), ("Use zeta", ["app/b1.py", "app/zeta.py"], []),
        ("Add alpha", [], ["app/alpha.py"]), ("Use alpha", ["app/b2.py", "app/alpha.py"], []),
        ("Document zeta", ["app/zeta.py"], []),
    ]  # fmt: skip
    criteria = tuple(map(PlannedCriterion, ("run: python3 check.py", "file: app/zeta.py contains answer")))
    tasks = tuple(PlannedTask(title, "S", "less is copied", (*old,), (*new,)) for title, old, new in planned)
    write_plan(root, reknit.environment, grants=(), tasks=tasks, criteria=criteria)
    use = scene.BACKEND.replace("import os", "from app.{name} import VALUE")
    files = [
        ("app/zeta.py", "VALUE = 42\n"), ("app/b1.py", use.format(name="zeta")), ("app/alpha.py", "VALUE = 42\n"),
        ("app/b2.py", use.format(name="alpha")), ("app/zeta.py", "# The answer.\nVALUE: int = 42\n"),
    ]  # fmt: skip
    scene.tell(reknit, [{"write": {path: text}, "cost_usd": 0.1} for path, text in files])
    answer = grey(here, root)
    assert (answer.ending["ending"], answer.exit_code) == ("FIXED", 0), (answer.ending["reason"], answer.err)
    assert [each["files"] for each in answer.events("attempt_ended")] == [[path] for path, _ in files]
    landed = [message.splitlines()[0] for message in log(root, answer.ending["run"])]
    assert landed == [f"chore: {title}" for title, _, _ in reversed(planned)]
    tip = f"reknit/{answer.ending['run']}"
    assert [changed(root, f"{tip}~{5 - at}", f"{tip}~{4 - at}") for at in range(5)] == [[path] for path, _ in files]


def test_a_task_that_the_agent_of_an_earlier_one_did_too_is_paid_for_once(
    here: Here, reknit: CommandLine, tmp_path: Path
) -> None:
    root = scene.make(tmp_path)
    planned = (("Add zeta", "app/zeta.py"), ("Add alpha", "app/alpha.py"))
    tasks = tuple(PlannedTask(title, "S", "less is copied", (), (path,)) for title, path in planned)
    write_plan(root, reknit.environment, grants=(), tasks=tasks, criteria=(PlannedCriterion("run: true"),))
    scene.tell(reknit, [{"write": {path: "VALUE = 42\n" for _, path in planned}}, {"write": {}}])
    answer = here("fix", "plan", "tidy", "--format", "json", cwd=root)
    assert len(answer.events("attempt_ended")) == 2, answer.err  # three, if it were tried again


def test_a_configuration_file_that_was_not_granted_is_refused(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    root = scene.make(tmp_path)
    write_plan(root, reknit.environment)
    third = {"write": {**WRITE_DEPENDABOT["write"], "renovate.json": "{}\n"}}
    scene.tell(reknit, [third, *FIXES])
    answer = grey(here, root)
    assert (answer.ending["ending"], answer.exit_code) == ("FIXED", 0), (answer.ending["reason"], answer.err)
    [refused] = [each for each in answer.events("gate") if not each["accepted"]]
    assert [(each["rule"], each["path"]) for each in refused["refusals"]] == [("protected-config", "renovate.json")]
    assert changed(root, "HEAD", f"reknit/{answer.ending['run']}") == [DEPENDABOT, CHANGELOG]


def test_what_is_refused_to_the_end_is_to_be_granted_in_the_plan_as_a_variant_has_no_option_for_it(
    here: Here, reknit: CommandLine, tmp_path: Path
) -> None:
    root = scene.make(tmp_path)
    write_plan(root, reknit.environment)
    scene.tell(reknit, [{"write": {**WRITE_DEPENDABOT["write"], "renovate.json": "{}\n"}}])
    reason = grey(here, root).ending["reason"]
    assert f"only a person may allow a change of renovate.json: add it to `grants:` in {FILE}" in reason
    assert "--allow" not in reason


def test_a_task_without_its_grant_is_passed_over_and_the_ending_says_what_to_add(
    here: Here, reknit: CommandLine, tmp_path: Path
) -> None:
    root = scene.make(tmp_path)
    write_plan(root, reknit.environment, grants=(), criteria=PLAN.criteria[:1])
    scene.tell(reknit, FIXES)
    answer = grey(here, root)
    assert (answer.ending["ending"], answer.exit_code) == ("PARTIAL", 1), (answer.ending["reason"], answer.err)
    assert f"needs a grant: add {DEPENDABOT} to `grants:`" in answer.ending["reason"]
    assert changed(root, "HEAD", f"reknit/{answer.ending['run']}") == [CHANGELOG]


def test_a_criterion_that_no_code_can_check_is_unverified(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    root = scene.make(tmp_path)
    opens = PlannedCriterion("dependabot opens at least one PR within 24h")
    missing = PlannedCriterion("run: no-such-program --check")
    write_plan(root, reknit.environment, criteria=(*PLAN.criteria, opens, missing))
    scene.tell(reknit, FIXES)
    answer = grey(here, root)
    assert (answer.ending["ending"], answer.exit_code) == ("UNVERIFIED", 5), (answer.ending["reason"], answer.err)
    assert answer.ending["reason"].endswith("3 of 5 criteria passed, 2 unverified")
    assert answer.ending["commit"]
    assert "  - unverified: a person checks it" in plan_text(root)
    assert "  - unverified: the command could not start (exit code 127)" in plan_text(root)


def test_a_failed_criterion_makes_it_partial_also_if_nothing_landed(
    here: Here, reknit: CommandLine, tmp_path: Path
) -> None:
    root = scene.make(tmp_path)
    write_plan(root, reknit.environment, criteria=(PlannedCriterion("run: grep v2.0 CHANGELOG.md"),))
    scene.tell(reknit, FIXES)
    answer = grey(here, root)
    assert (answer.ending["ending"], answer.exit_code) == ("PARTIAL", 1), (answer.ending["reason"], answer.err)
    assert "  - failed: exit code 1" in plan_text(root)
    write_plan(root, reknit.environment, topic="other", tasks=(PlannedTask("Fix", "S", "", ("app/b1.py",)),))
    scene.tell(reknit, [scene.mend("app/b2.py")] * 3)
    answer = grey(here, root)
    assert answer.events("ending"), answer.out
    assert answer.ending["ending"] == "DEFERRED", answer.err
    assert answer.ending["reason"].endswith("1 of 3 criteria passed, 2 failed")


def test_an_answer_to_the_challenger_is_a_commit_of_its_own(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    root = scene.make(tmp_path)
    write_plan(root, reknit.environment)
    rework = {"write": {CHANGELOG: "# Changes\n\n## v1.0\n\n- first release\n"}, "cost_usd": 0.1}
    scene.tell(reknit, [*FIXES, rework], [scene.score(82, issue="say what v1.0 is"), scene.score(96)])
    answer = grey(here, root)
    assert (answer.ending["ending"], answer.exit_code) == ("FIXED", 0), (answer.ending["reason"], answer.err)
    assert [message.splitlines()[0] for message in log(root, answer.ending["run"])] == [
        "chore: finish the tasks of the plan", "chore: Scaffold dependabot",
        "chore: Add a changelog with an entry for v1.0",
    ]  # fmt: skip
