"""Turns what a person asked into a frozen run: repository, base, tests, agent, limits. It spends nothing."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from secrets import token_hex
from typing import Any

from reknit.adapters.vcs.user_repository import UserRepository
from reknit.app.config import Config, load
from reknit.app.config_parts import AgentPart
from reknit.app.installation import Installation
from reknit.core.agent_call import AgentSettings
from reknit.core.carry import what_to_carry
from reknit.core.checks import TestCommand
from reknit.core.errors import UsageProblem
from reknit.core.run import RunSpec, WorkspaceSettings
from reknit.core.runners import MANIFESTS, detect, parse_user_command
from reknit.core.uncommitted import kept_names
from reknit.core.wording import one_line

VENDORS = ("claude", "codex", "gemini")
KINDS = (*VENDORS, "scripted", "any_command")


@dataclass(frozen=True)
class Plan:
    spec: RunSpec
    not_carried: tuple[str, ...]
    """For people: a name that is the repository's word is one plain line here."""


def new_run_id() -> str:
    return f"r-{token_hex(4)}"


def plan_fix_tests(
    place: Installation, folder: Path, named: Sequence[str], flags: Mapping[str, Any], *, again: bool = False
) -> Plan:
    repository = UserRepository.find(str(folder))
    config = load(Path(repository.root), flags, place.environment)
    refuse_branch_in_the_way(repository)
    tests = test_command(repository, config)
    if named and tests.evidence != "junit":
        what = "the test command is judged by its exit code, so single tests cannot be named"
        raise UsageProblem("named-tests", what, help="`reknit fix tests` without names repairs the whole suite")
    carry, left_out = carried(repository, config)
    unseen = uncommitted(repository)
    spec = RunSpec(
        run_id=new_run_id(),
        kind="fix tests",
        repository=repository.root,
        base=repository.head(),
        tests=tests,
        named=tuple(_from_the_root(name, folder, Path(repository.root)) for name in named),
        agent=agent_settings(config, config.fixer),
        box=config.box,
        limits=config.limits(),
        workspace=WorkspaceSettings(carry, config.workspace.setup, config.workspace.show),
        created_at=time.time(),
        fallback=tuple(agent_settings(config, name) for name in config.fallback if name != config.fixer),
        again=again,
        uncommitted=kept_names(unseen),
        uncommitted_count=len(unseen),
    )
    return Plan(spec, tuple(map(one_line, left_out)))


def uncommitted(repository: UserRepository) -> tuple[str, ...]:
    return tuple(path for path in repository.dirty() if path != "reknit.toml")  # that one is read as it lies there


def _from_the_root(name: str, folder: Path, root: Path) -> str:
    """A test named in a sub-folder, as people type it there."""
    file, found, rest = name.partition("::")
    place = (folder / file).resolve()
    if folder.resolve() == root or not place.exists() or not place.is_relative_to(root):
        return name
    return f"{place.relative_to(root)}{found}{rest}"


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
        raise UsageProblem("no-tests", what, help='in reknit.toml: [checks.tests] run = "pytest -q"')
    return found[0]


def find_tests(repository: UserRepository) -> tuple[TestCommand, ...]:
    tracked = repository.tracked()
    wanted = {path for path in tracked if path.rsplit("/", 1)[-1] in MANIFESTS and path.count("/") <= 1}
    return detect({path: repository.read(path) if path in wanted else None for path in tracked})


def agent_settings(config: Config, name: str) -> AgentSettings:
    part = config.agents.get(name) or AgentPart()
    kind = part.kind or (name if name in KINDS else "any_command")
    if kind == "any_command" and not part.command:
        known = ", ".join(sorted({*VENDORS, *config.agents}))
        raise UsageProblem("config", f"no agent {name!r}; known: {known}", help=f"set agents.{name}.command")
    return AgentSettings(
        name=name,
        kind=kind,
        model=part.model,
        effort=part.effort,
        thinking_tokens=part.thinking_budget,
        binary=part.binary,
        command=part.command,
        upstream=part.upstream,
        provider=part.provider,
        key_env=part.key_env,
        env=tuple(part.env.items()),
        story=part.story,
    )


def carried(repository: UserRepository, config: Config) -> tuple[tuple[str, ...], tuple[str, ...]]:
    wanted = config.workspace.carry
    if wanted == "auto":
        chosen = what_to_carry(repository.ignored())
        linked = tuple(entry for entry in chosen.carried if _has_link(repository, entry))
        return tuple(entry for entry in chosen.carried if entry not in linked), (*chosen.left_out, *linked)
    entries, tracked = tuple(str(PurePosixPath(entry)) for entry in wanted), repository.tracked()
    for entry in entries:
        what = _why_not_carried(entry, repository, tracked)
        if what:
            fix = "leave it out; what git tracks is in the box anyway, secrets and links never are"
            raise UsageProblem("config", f"workspace.carry: {entry!r} {what}", help=fix)
    return entries, ()


def _why_not_carried(entry: str, repository: UserRepository, tracked: Sequence[str]) -> str:
    """Empty: it may be. The list can be a stranger's, and so can be all that came with the repository."""
    if entry in ("", ".") or entry.startswith("/") or {"..", ".git"} & set(PurePosixPath(entry).parts):
        return "is not an entry of the working tree"
    if what_to_carry([entry]).secrets:
        return "looks like a secret, and an agent could read it"
    if any(path == entry or path.startswith(f"{entry}/") for path in tracked):
        return "is tracked by git"
    if any(entry.startswith(f"{path}/") for path in tracked):
        return "lies in a submodule"
    return "is a link, or lies behind one" if _has_link(repository, entry) else ""


def _has_link(repository: UserRepository, entry: str) -> bool:
    here = PurePosixPath(entry)
    return any(Path(repository.root, step).is_symlink() for step in (here, *here.parents[:-1]))


def refuse_branch_in_the_way(repository: UserRepository) -> None:
    """Found out when a fix lands, it would have cost the whole run."""
    if repository.has_branch("reknit"):
        what = "a branch named 'reknit' leaves no room for branches named 'reknit/RUN'"
        raise UsageProblem("branch-in-the-way", what, help="git branch -m reknit another-name")
