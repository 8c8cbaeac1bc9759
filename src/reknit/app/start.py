"""Turns what a person asked into a frozen run: repository, base, tests, agent, limits. It spends nothing."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

from reknit.adapters.vcs.user_repository import UserRepository
from reknit.app.config import AgentPart, Config, load
from reknit.app.installation import Installation
from reknit.core.agent_call import AgentSettings
from reknit.core.carry import what_to_carry
from reknit.core.checks import TestCommand
from reknit.core.errors import UsageProblem
from reknit.core.run import RunSpec, WorkspaceSettings
from reknit.core.runners import MANIFESTS, detect, parse_user_command

KINDS = ("claude", "scripted", "any_command")


@dataclass(frozen=True)
class Plan:
    spec: RunSpec
    uncommitted: tuple[str, ...]
    not_carried: tuple[str, ...]


def new_run_id() -> str:
    return f"r-{token_hex(4)}"


def plan_fix_tests(place: Installation, folder: Path, named: Sequence[str], flags: Mapping[str, Any]) -> Plan:
    repository = UserRepository.find(str(folder))
    config = load(Path(repository.root), flags, place.environment)
    tests = test_command(repository, config)
    if named and tests.evidence != "junit":
        what = "the test command is judged by its exit code, so single tests cannot be named"
        raise UsageProblem("named-tests", what, help="`reknit fix tests` without names repairs the whole suite")
    carry, left_out = _carry(repository, config)
    spec = RunSpec(
        run_id=new_run_id(),
        kind="fix tests",
        repository=repository.root,
        base=repository.head(),
        tests=tests,
        named=tuple(named),
        agent=agent_settings(config, config.fixer),
        box=config.box,
        limits=config.limits(),
        workspace=WorkspaceSettings(carry, config.workspace.setup, config.workspace.show),
        created_at=time.time(),
    )
    return Plan(spec, repository.dirty(), left_out)


def test_command(repository: UserRepository, config: Config) -> TestCommand:
    settings = config.checks.tests
    if settings.run:
        try:
            return parse_user_command(settings.run, settings.report)
        except ValueError as problem:
            raise UsageProblem("config", f"checks.tests.run: {problem}") from None
    found = find_tests(repository)
    if not found:
        what = "no tests were found in this repository"
        raise UsageProblem("no-tests", what, help='set checks.tests.run, e.g. `[checks] tests = { run = "pytest -q" }`')
    return found[0]


def find_tests(repository: UserRepository) -> tuple[TestCommand, ...]:
    tracked = repository.tracked()
    wanted = {path for path in tracked if path.rsplit("/", 1)[-1] in MANIFESTS and path.count("/") <= 1}
    return detect({path: repository.read(path) if path in wanted else None for path in tracked})


def agent_settings(config: Config, name: str) -> AgentSettings:
    part = config.agents.get(name) or AgentPart()
    kind = part.kind or (name if name in KINDS else "any_command")
    if kind == "any_command" and not part.command:
        known = ", ".join(sorted({"claude", *config.agents}))
        raise UsageProblem("config", f"no agent {name!r}; known: {known}", help=f"set agents.{name}.command")
    return AgentSettings(
        name=name,
        kind=kind,
        model=part.model,
        effort=part.effort,
        binary=part.binary,
        command=part.command,
        upstream=part.upstream,
        key_env=part.key_env,
        env=tuple(part.env.items()),
        story=part.story,
    )


def _carry(repository: UserRepository, config: Config) -> tuple[tuple[str, ...], tuple[str, ...]]:
    wanted = config.workspace.carry
    if wanted == "auto":
        chosen = what_to_carry(repository.ignored())
        return chosen.carried, chosen.left_out
    outside = [entry for entry in wanted if entry.startswith("/") or {"..", ".git"} & set(Path(entry).parts)]
    if outside:
        raise UsageProblem("config", f"workspace.carry: {outside[0]!r} is not an entry of the working tree")
    secrets = what_to_carry(wanted).secrets
    if secrets:
        what = f"workspace.carry: {secrets[0]!r} looks like a secret, and an agent could read it"
        raise UsageProblem("config", what, help="leave it out; tests in the box get no secrets")
    return tuple(wanted), ()
