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
from reknit.adapters.setup.client_settings import box_settings
from reknit.adapters.testing.suite_runner import TestCommandRunner
from reknit.app.config.load import load
from reknit.app.hook.health import agent_sources
from reknit.app.installation import Installation
from reknit.app.makers import agent_maker, forge_maker
from reknit.app.pulls.remotes import forge_places, forge_problem
from reknit.app.start.fix_tests import TestsPlan, plan_fix_tests
from reknit.app.wiring import project_setups
from reknit.core.agents.call import AgentSettings
from reknit.core.causes.classify import RedTest, cause_of_no_result, causes_of
from reknit.core.causes.left_out import LeftOut, left_out_of
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.errors import LoginNeeded, ReknitError
from reknit.core.forge.values import ForgeError
from reknit.core.hook.health import hook_problems, installed
from reknit.core.repository.remote_url import place_of
from reknit.core.setup.inputs import in_folder
from reknit.core.setup.registries import hosts_of
from reknit.core.setup.results import all_folders, not_covered
from reknit.core.testing.command import TestCommand
from reknit.core.testing.command_line import as_typed
from reknit.core.testing.projects.merge import merge
from reknit.core.testing.report import TestReport
from reknit.core.text.format import counted, first_few, one_line, seconds
from reknit.ports.box import Box
from reknit.store.database import open_store
from reknit.workflows.shared.project_setup import held_layer
from reknit.workflows.shared.tree_facts import facts_in
from reknit.workflows.shared.work_folders import run_workspace_setup

_DOCTOR = "doctor"


@dataclass(frozen=True)
class DoctorLine:
    mark: str
    part: str
    text: str
    fix: str = ""
    exit_code: int = 0


@dataclass(frozen=True)
class _DoneTests:
    project: TestCommand
    report: TestReport
    lacking: tuple[LeftOut, ...]
    """What the red tests lacked on this machine."""


def diagnose(
    place: Installation, folder: Path, *, every_probe: bool, compare: bool, agent: str | None = None
) -> list[DoctorLine]:
    lines = [*_tried("git", _git), *_tried("database", lambda: _database(place))]
    lines += _tried("box", lambda: _box(every_probe=every_probe))
    lines += _tried("hooks", lambda: _hooks(place, folder))
    try:
        plan = plan_fix_tests(place, folder, (), {"fixer": agent} if agent else {})
    except ReknitError as problem:
        where = f"{problem.where}: " if problem.where else ""
        mark = "bad" if problem.name == "config" else "warn"
        return [*lines, DoctorLine(mark, "here", f"{where}{problem.what}", problem.help)]
    lines += _tried("agent", lambda: _agents(place, plan))
    lines += _tried("forge", lambda: _forge(place, plan))
    if plan.spec.setups:
        lines += _tried("set-up", lambda: _set_up(place, plan))
    if not any(line.mark == "bad" if line.part == "box" else line.part == "set-up" and line.fix for line in lines):
        lines += _tried("tests", lambda: _tests(place, plan, compare=compare))
    return lines


def _tried(part: str, look: Callable[[], Iterator[DoctorLine]]) -> list[DoctorLine]:
    try:
        return list(look())
    except ReknitError as problem:
        return [DoctorLine("bad", part, problem.what, problem.help, problem.exit_code)]


def _git() -> Iterator[DoctorLine]:
    done = process.run(["git", "--version"], env={"PATH": "/usr/local/bin:/usr/bin:/bin"})
    yield DoctorLine("ok", "git", done.stdout.decode().strip().removeprefix("git "))


def _forge(place: Installation, plan: TestsPlan) -> Iterator[DoctorLine]:
    """Only `fix pr` needs a forge, so a repository that is not on one gets no line."""
    repository = UserRepository.find(plan.spec.repository)
    config = load(Path(repository.root), {}, place.environment)
    if not any(place_of(url) for _name, url in repository.remotes()):
        return
    where = forge_places(repository, config)[0]
    try:
        forge = forge_maker(place.environment)(where)
        who, may = forge.whoami().login, "may push" if forge.may_push(where.slug) else "may not push"
    except LoginNeeded as problem:
        yield DoctorLine("warn", "forge", f"{where.slug}: no login; `fix pr` needs one", problem.help)
    except ForgeError as hindered:
        silent = forge_problem(hindered.failure, where)
        yield DoctorLine("warn", "forge", silent.what, silent.help)
    else:
        yield DoctorLine("ok", "forge", f"{where.slug} as {who}, who {may}")


def _database(place: Installation) -> Iterator[DoctorLine]:
    open_store(place.database).dispose()
    yield DoctorLine("ok", "database", place.database.partition("://")[0].partition("+")[0] + ", tables up to date")


def _box(*, every_probe: bool) -> Iterator[DoctorLine]:
    began = time.monotonic()
    probes = registry.box("bubblewrap").self_test()
    for probe in probes:
        if not probe.held:
            yield DoctorLine("bad", "box", f"{probe.name}: {probe.detail}", "do not run agents here", 3)
        elif every_probe:
            yield DoctorLine("ok", "box", probe.name)
    if all(probe.held for probe in probes):
        took = seconds(time.monotonic() - began)
        yield DoctorLine("ok", "box", f"bubblewrap: {len(probes)} of {len(probes)} probes passed in {took}")


def _hooks(place: Installation, folder: Path) -> Iterator[DoctorLine]:
    """A person who has installed none gets no line."""
    try:
        root = Path(UserRepository.find(str(folder)).root)
    except ReknitError:
        root = None
    for agent in agent_sources(place.environment, root):
        problems = [DoctorLine("warn", "hooks", problem.text, problem.fix) for problem in hook_problems(agent)]
        yield from problems
        if not problems and (where := installed(agent)):
            yield DoctorLine("ok", "hooks", f"{agent.agent}: {first_few(where)}")


def _agents(place: Installation, plan: TestsPlan) -> Iterator[DoctorLine]:
    for settings in plan.spec.agents:
        yield from _agent(place, settings)


def _agent(place: Installation, settings: AgentSettings) -> Iterator[DoctorLine]:
    facts = agent_maker(place.environment, settings).facts()
    if not facts.found:
        what = facts.detail or "was not found"
        yield DoctorLine("bad", "agent", f"{settings.name}: {what}", "install it, or set `fixer`", 3)
    elif not facts.login:
        yield DoctorLine(
            "bad",
            "agent",
            f"{settings.name} {facts.version}: {facts.detail}",
            "set the variable of its key, or log in with the agent",
            4,
        )
    else:
        what = facts.detail or ("login" if facts.warning else "key") + " found; it stays outside the box"
        yield DoctorLine("ok", "agent", f"{settings.name} {facts.version}".rstrip() + f", {what}")
    if facts.warning:
        yield DoctorLine("warn", "agent", f"{settings.name}: {facts.warning}", "set the key's variable")


def _set_up(place: Installation, plan: TestsPlan) -> Iterator[DoctorLine]:
    """Without a layer no test is run: what it needs is not there."""
    setups = project_setups(place)
    with temporary_folder("reknit-doctor-") as folder:
        workspace = RunWorkspace(plan.spec, Path(folder))
        workspace.ready()
        for setup in plan.spec.setups:
            hosts = first_few(hosts_of(box_settings(setup.command, place.environment, "").registries))
            text = f"`{one_line(in_folder(setup))}`, which may reach {hosts}"
            if held_layer(workspace, setups, plan.spec, setup, _DOCTOR):
                yield DoctorLine("ok", "set-up", f"{text}: done, and kept")
            else:
                yield DoctorLine("warn", "set-up", f"{text}: not done yet", "the next run does it before its tests")
    setups.release(_DOCTOR)


def _tests(place: Installation, plan: TestsPlan, *, compare: bool) -> Iterator[DoctorLine]:
    inside = asyncio.run(_run_projects(place, plan, registry.box(plan.spec.box)))
    for done in inside:
        yield _tests_in_box(plan, done.project, done.report, compare=compare or bool(done.lacking))
        yield from (DoctorLine("bad", "tests", _counted(*each), each[2], 5) for each in done.lacking)
    yield from (DoctorLine("bad", "tests", why, remedy, 5) for _, why, remedy in plan.spec.unready)
    seen = [(done.project, done.report) for done in inside if done.report.status != "error"]
    if compare and seen:
        outside = asyncio.run(_run_projects(place, plan, registry.box("host")))
        same = [(done.project, done.report) for done in outside if done.project in dict(seen)]
        yield _compared(merge(seen), merge(same))


def _counted(tests: Sequence[str], why: str, _remedy: str) -> str:
    return f"{counted(len(tests), 'test')} failed because {why}"


def _tests_in_box(plan: TestsPlan, project: TestCommand, report: TestReport, *, compare: bool) -> DoctorLine:
    if report.status == "error":
        where = f" in {project.folder}" if project.folder else ""
        return DoctorLine("bad", "tests", f"no result{where} in the box: {report.why}", _remedy(plan, report), 5)
    count = f"{len(report.passed)} passed, {len(report.failed)} failed in {seconds(report.seconds)}"
    text = f"{as_typed(project)}: {count}, in the box, judged by {report.evidence}"
    if report.passed:
        return DoctorLine("ok", "tests", text)
    fix = "" if compare else "`reknit doctor --compare` says whether they pass outside the box"
    return DoctorLine("warn", "tests", text, fix)


def _remedy(plan: TestsPlan, inside: TestReport) -> str:
    cause = cause_of_no_result(inside.why, inside.output_tail, TreeFacts())
    printed = inside.output_tail.strip().splitlines()[-1:]
    known = cause.remedy if cause.verdict == "environment" else ""
    parts = [known or "make the command run without network access, or set checks.tests.run"]
    parts += [f"last output: {one_line(printed[0])[:150]}"] if printed and not known else []
    parts += [f"not carried into the box: {', '.join(plan.not_carried[:5])}"] if plan.not_carried else []
    return "; ".join(parts)


def _compared(inside: TestReport, outside: TestReport) -> DoctorLine:
    """Compares every result with and without the sandbox, so that a difference is measured, not guessed."""
    if outside.status == "error":
        return DoctorLine("warn", "compare", f"no result outside the box: {outside.why}")
    lost = sorted(outside.results.keys() - inside.results.keys())
    broken = sorted(outside.passed & inside.failed)
    if not lost and not broken:
        same = sum(outside.results.get(test) == result for test, result in inside.results.items())
        text = f"{same} of {len(inside.results)} tests have the same result outside the box"
        return DoctorLine("ok", "compare", text)
    fix = "carry or show what they need: workspace.carry, workspace.show"
    texts = [f"{len(lost)} test(s) are missing in the box, e.g. {lost[0]}"] if lost else []
    texts += [f"{len(broken)} test(s) pass outside and fail in the box, e.g. {broken[0]}"] if broken else []
    return DoctorLine("bad", "compare", "; ".join(texts), fix, 5)


async def _run_projects(place: Installation, plan: TestsPlan, box: Box) -> list[_DoneTests]:
    setups = project_setups(place)
    with temporary_folder("reknit-doctor-") as folder, closing(ChildCalls()) as calls:
        workspace, runner = RunWorkspace(plan.spec, Path(folder)), TestCommandRunner(calls)
        workspace.ready()
        held = [held_layer(workspace, setups, plan.spec, setup, _DOCTOR) for setup in plan.spec.setups]
        layers = all_folders(filter(None, held))
        view, wall_s = workspace.open_tree("tests", plan.spec.base), plan.spec.limits.test_wall_s
        view = replace(view, layers=layers, carry=not_covered(view.carry, layers))
        done, unprepared = [], await run_workspace_setup(box, plan.spec, view)
        for project in plan.spec.projects:
            report = unprepared or await runner.run(project, view, box, outbox=workspace.folder("out"), wall_s=wall_s)
            done.append(_DoneTests(project, report, _lacking(plan, workspace, merge([(project, report)]))))
        setups.release(_DOCTOR)
        return done


def _lacking(plan: TestsPlan, workspace: RunWorkspace, report: TestReport) -> tuple[LeftOut, ...]:
    """Why tests are red that no change of the code can turn green."""
    red = sorted(report.failed)
    facts = facts_in(workspace.repository, plan.spec, plan.spec.base, report, red)
    tests = [RedTest(test, report.messages.get(test, ""), report.files.get(test, "")) for test in red]
    return left_out_of(causes_of(tests, facts, passed=len(report.passed)))
