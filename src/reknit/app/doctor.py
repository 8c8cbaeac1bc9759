"""Tests everything a run depends on: git, box, agents, database, and the tests inside and outside the box."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from reknit.adapters import process, registry
from reknit.adapters.bounded.calls import ChildCalls
from reknit.adapters.files.folders import temporary_folder
from reknit.adapters.git.user_repository import UserRepository
from reknit.adapters.git.workspace import RunWorkspace
from reknit.adapters.setup.client_settings import make_box_settings
from reknit.adapters.testing.suite_runner import TestCommandRunner
from reknit.app.config.load import load
from reknit.app.hook.install import list_agent_sources
from reknit.app.installation import Installation
from reknit.app.makers import make_agent, make_forge_maker
from reknit.app.pulls.remotes import forge_problem, list_forge_places
from reknit.app.start.fix_tests import TestsPlan, plan_fix_tests
from reknit.app.wiring import make_setup_runner
from reknit.core.agents.call import AgentSettings
from reknit.core.causes.cause import LeftOut, list_left_out
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.errors import LoginNeededError, ReknitError
from reknit.core.forge.values import ForgeError
from reknit.core.hook.health import find_hook_problems, list_hook_places
from reknit.core.languages.causes import RedTest, find_cause_of_no_result, find_causes
from reknit.core.projects.merge import merge_reports
from reknit.core.repository.remote_url import parse_remote
from reknit.core.setup.inputs import to_setup_command
from reknit.core.setup.layers import list_uncovered, merge_folders
from reknit.core.setup.registries import list_hosts
from reknit.core.testing.command import TestCommand, to_command_line
from reknit.core.testing.report import TestReport
from reknit.core.text.format import format_seconds, join_few, pluralize, to_one_line
from reknit.ports.agents import StartableAgent
from reknit.ports.box import Box
from reknit.store.database import open_store
from reknit.workflows.shared.project_setup import hold_layer
from reknit.workflows.shared.repository_facts import read_tree_facts
from reknit.workflows.shared.work_folders import run_workspace_setup

_DOCTOR = "doctor"


@dataclass(frozen=True)
class DoctorLine:
    """One line of the report: a check, its result, and the step that helps."""

    mark: str
    part: str
    text: str
    fix: str = ""
    exit_code: int = 0


@dataclass(frozen=True)
class _TestResult:
    project: TestCommand
    report: TestReport
    lacking: tuple[LeftOut, ...]
    """Tests that are red because this machine lacks something, with the reason and the remedy."""


def diagnose(
    installation: Installation, folder: Path, *, every_probe: bool, compare: bool, agent: str | None = None
) -> list[DoctorLine]:
    """Run every check. The tests run only if the box and the set-ups are usable."""
    lines = [*_run_check("git", _check_git), *_run_check("database", lambda: _check_database(installation))]
    lines += _run_check("box", lambda: _check_box(every_probe=every_probe))
    lines += _run_check("hooks", lambda: _check_hooks(installation, folder))
    try:
        plan = plan_fix_tests(installation, folder, (), {"fixer": agent} if agent else {})
    except ReknitError as problem:
        location = f"{problem.where}: " if problem.where else ""
        mark = "bad" if problem.name == "config" else "warn"
        exit_code = problem.exit_code if mark == "bad" else 0
        return [*lines, DoctorLine(mark, "here", f"{location}{problem.message}", problem.help, exit_code)]
    has_box = not any(line.mark == "bad" for line in lines if line.part == "box")
    lines += _run_check("agent", lambda: _check_agents(installation, plan, starts=has_box))
    lines += _run_check("forge", lambda: _check_forge(installation, plan))
    if plan.spec.setups.commands:
        lines += _run_check("set-up", lambda: _check_set_ups(installation, plan))
    if not any(line.mark == "bad" if line.part == "box" else line.part == "set-up" and line.fix for line in lines):
        lines += _run_check("tests", lambda: _check_tests(installation, plan, compare=compare))
    return lines


def _run_check(part: str, look: Callable[[], Iterator[DoctorLine]]) -> list[DoctorLine]:
    try:
        return list(look())
    except ReknitError as problem:
        return [DoctorLine("bad", part, problem.message, problem.help, problem.exit_code)]


def _check_git() -> Iterator[DoctorLine]:
    result = process.run(["git", "--version"], env={"PATH": "/usr/local/bin:/usr/bin:/bin"})
    yield DoctorLine("ok", "git", result.stdout.decode().strip().removeprefix("git "))


def _check_forge(installation: Installation, plan: TestsPlan) -> Iterator[DoctorLine]:
    """Check the forge. Only `fix pr` needs one, so a repository that is not on one gets no line."""
    repository = UserRepository.find(plan.spec.repository)
    config = load(Path(repository.root), {}, installation.environment)
    if not any(parse_remote(url) for _name, url in repository.remotes()):
        return
    forge_place = list_forge_places(repository, config)[0]
    try:
        forge = make_forge_maker(installation.environment)(forge_place)
        login, permission = forge.whoami().login, "may push" if forge.may_push(forge_place.slug) else "may not push"
    except LoginNeededError as problem:
        yield DoctorLine("warn", "forge", f"{forge_place.slug}: no login; `fix pr` needs one", problem.help)
    except ForgeError as error:
        silent = forge_problem(error.failure, forge_place)
        yield DoctorLine("warn", "forge", silent.message, silent.help)
    else:
        yield DoctorLine("ok", "forge", f"{forge_place.slug} as {login}, who {permission}")


def _check_database(installation: Installation) -> Iterator[DoctorLine]:
    open_store(installation.database).dispose()
    yield DoctorLine(
        "ok", "database", installation.database.partition("://")[0].partition("+")[0] + ", tables up to date"
    )


def _check_box(*, every_probe: bool) -> Iterator[DoctorLine]:
    began = time.monotonic()
    probes = registry.make_box("bubblewrap").self_test()
    for probe in probes:
        if not probe.has_passed:
            yield DoctorLine("bad", "box", f"{probe.name}: {probe.detail}", "do not run agents here", 3)
        elif every_probe:
            yield DoctorLine("ok", "box", probe.name)
    if all(probe.has_passed for probe in probes):
        took = format_seconds(time.monotonic() - began)
        yield DoctorLine("ok", "box", f"bubblewrap: {len(probes)} of {len(probes)} probes passed in {took}")


def _check_hooks(installation: Installation, folder: Path) -> Iterator[DoctorLine]:
    """Check the hooks. A person who has installed none gets no line."""
    try:
        root = Path(UserRepository.find(str(folder)).root)
    except ReknitError:
        root = None
    for agent in list_agent_sources(installation.environment, root):
        problems = [DoctorLine("warn", "hooks", problem.text, problem.fix) for problem in find_hook_problems(agent)]
        yield from problems
        if not problems and (files := list_hook_places(agent)):
            yield DoctorLine("ok", "hooks", f"{agent.agent}: {join_few(files)}")


def _check_agents(installation: Installation, plan: TestsPlan, *, starts: bool) -> Iterator[DoctorLine]:
    """Check the agents. `starts`: the box works, so each agent is started in it once, without its model."""
    for settings in plan.spec.agents:
        yield from _check_agent(installation, settings)
    with temporary_folder("reknit-doctor-") as folder:
        workspace = RunWorkspace(plan.spec, Path(folder))
        workspace.ensure_commits()
        view, box = workspace.open_tree("agents", plan.spec.base), registry.make_box(plan.spec.box)
        for settings in plan.spec.agents if starts else ():
            agent = make_agent(installation.environment, settings)
            if not isinstance(agent, StartableAgent) or not agent.read_facts().is_installed:
                continue
            if problem := asyncio.run(agent.check_start(view, box)):
                yield DoctorLine("bad", "agent", f"{settings.name}: {problem}", "name its files in `workspace.show`", 3)


def _check_agent(installation: Installation, settings: AgentSettings) -> Iterator[DoctorLine]:
    facts = make_agent(installation.environment, settings).read_facts()
    if not facts.is_installed:
        text = facts.detail or "was not found"
        yield DoctorLine("bad", "agent", f"{settings.name}: {text}", "install it, or set `fixer`", 3)
    elif not facts.login:
        yield DoctorLine(
            "bad",
            "agent",
            f"{settings.name} {facts.version}: {facts.detail}",
            "set the variable of its key, or log in with the agent",
            4,
        )
    else:
        text = facts.detail or ("login" if facts.warning else "key") + " found; it stays outside the box"
        yield DoctorLine("ok", "agent", f"{settings.name} {facts.version}".rstrip() + f", {text}")
    if facts.warning:
        yield DoctorLine("warn", "agent", f"{settings.name}: {facts.warning}", "set the key's variable")


def _check_set_ups(installation: Installation, plan: TestsPlan) -> Iterator[DoctorLine]:
    """Check that set-ups are done. Without their layer no test is run: its dependencies are missing."""
    setups = make_setup_runner(installation)
    with temporary_folder("reknit-doctor-") as folder:
        workspace = RunWorkspace(plan.spec, Path(folder))
        workspace.ensure_commits()
        for setup in plan.spec.setups.commands:
            hosts = join_few(list_hosts(make_box_settings(setup.command, installation.environment, "").registries))
            text = f"`{to_one_line(to_setup_command(setup))}`, which may reach {hosts}"
            if hold_layer(workspace, setups, plan.spec, setup, _DOCTOR):
                yield DoctorLine("ok", "set-up", f"{text}: done, and kept")
            else:
                yield DoctorLine("warn", "set-up", f"{text}: not done yet", "the next run does it before its tests")
    setups.release(_DOCTOR)


def _check_tests(installation: Installation, plan: TestsPlan, *, compare: bool) -> Iterator[DoctorLine]:
    inside = asyncio.run(_run_projects(installation, plan, registry.make_box(plan.spec.box)))
    for result in inside:
        yield _describe_tests(plan, result.project, result.report, compare=compare or bool(result.lacking))
        yield from (DoctorLine("bad", "tests", _count_failures(*group), group[2], 5) for group in result.lacking)
    yield from (DoctorLine("bad", "tests", why, remedy, 5) for _, why, remedy in plan.spec.unready)
    reports = [(result.project, result.report) for result in inside if result.report.status != "error"]
    if compare and reports:
        outside = asyncio.run(_run_projects(installation, plan, registry.make_box("host")))
        same = [(result.project, result.report) for result in outside if result.project in dict(reports)]
        yield _compare_results(merge_reports(reports), merge_reports(same))


def _count_failures(tests: Sequence[str], why: str, _remedy: str) -> str:
    return f"{pluralize(len(tests), 'test')} failed because {why}"


def _describe_tests(plan: TestsPlan, project: TestCommand, report: TestReport, *, compare: bool) -> DoctorLine:
    if report.status == "error":
        location = f" in {project.folder}" if project.folder else ""
        return DoctorLine(
            "bad", "tests", f"no result{location} in the box: {report.why}", _find_remedy(plan, report), 5
        )
    count = f"{len(report.passed)} passed, {len(report.failed)} failed in {format_seconds(report.seconds)}"
    text = f"{to_command_line(project)}: {count}, in the box, judged by {report.evidence}"
    if report.passed:
        return DoctorLine("ok", "tests", text)
    fix = "" if compare else "`reknit doctor --compare` says whether they pass outside the box"
    return DoctorLine("warn", "tests", text, fix)


def _find_remedy(plan: TestsPlan, inside: TestReport) -> str:
    cause = find_cause_of_no_result(inside.why, inside.output_tail, TreeFacts())
    printed = inside.output_tail.strip().splitlines()[-1:]
    remedy = cause.remedy if cause.verdict == "environment" else ""
    parts = [remedy or "make the command run without network access, or set checks.tests.run"]
    parts += [f"last output: {to_one_line(printed[0])[:150]}"] if printed and not remedy else []
    parts += [f"not carried into the box: {', '.join(plan.not_carried[:5])}"] if plan.not_carried else []
    return "; ".join(parts)


def _compare_results(inside: TestReport, outside: TestReport) -> DoctorLine:
    """Compare every result with and without the sandbox, so that a difference is measured, not guessed."""
    if outside.status == "error":
        return DoctorLine("warn", "compare", f"no result outside the box: {outside.why}")
    lost = sorted(outside.results.keys() - inside.results.keys())
    failing_inside = sorted(outside.passed & inside.failed)
    if not lost and not failing_inside:
        same = sum(outside.results.get(test) == result for test, result in inside.results.items())
        text = f"{same} of {len(inside.results)} tests have the same result outside the box"
        return DoctorLine("ok", "compare", text)
    fix = "carry or show what they need: workspace.carry, workspace.show"
    texts = [f"{len(lost)} test(s) are missing in the box, e.g. {lost[0]}"] if lost else []
    texts += (
        [f"{len(failing_inside)} test(s) pass outside and fail in the box, e.g. {failing_inside[0]}"]
        if failing_inside
        else []
    )
    return DoctorLine("bad", "compare", "; ".join(texts), fix, 5)


async def _run_projects(installation: Installation, plan: TestsPlan, box: Box) -> list[_TestResult]:
    setups = make_setup_runner(installation)
    with temporary_folder("reknit-doctor-") as folder, closing(ChildCalls()) as calls:
        workspace, runner = RunWorkspace(plan.spec, Path(folder)), TestCommandRunner(calls)
        workspace.ensure_commits()
        set_up_layers = [
            hold_layer(workspace, setups, plan.spec, setup, _DOCTOR) for setup in plan.spec.setups.commands
        ]
        layers = merge_folders(filter(None, set_up_layers))
        view, wall_s = workspace.open_tree("tests", plan.spec.base), plan.spec.limits.test_wall_s
        view = replace(view, layers=layers, carry=list_uncovered(view.carry, layers))
        results, unprepared = [], await run_workspace_setup(box, plan.spec, view)
        for project in plan.spec.projects:
            report = unprepared or await runner.run(project, view, box, outbox=workspace.folder("out"), wall_s=wall_s)
            results.append(
                _TestResult(project, report, _find_lacking(plan, workspace, merge_reports([(project, report)])))
            )
        setups.release(_DOCTOR)
        return results


def _find_lacking(plan: TestsPlan, workspace: RunWorkspace, report: TestReport) -> tuple[LeftOut, ...]:
    """Return the reasons why tests are red that no change of the code can turn green."""
    red = sorted(report.failed)
    facts = read_tree_facts(workspace.repository, plan.spec, plan.spec.base, report, red)
    tests = [RedTest(test, report.messages.get(test, ""), report.files.get(test, "")) for test in red]
    return list_left_out(find_causes(tests, facts, passed=len(report.passed)))
