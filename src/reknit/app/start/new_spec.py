"""Makes the parts of a run's spec that are the same for every command."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from reknit.adapters.git.review_range import fork_point
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, collect_waivers
from reknit.app.pulls.remotes import repository_key
from reknit.app.start.projects import ProjectsToTest
from reknit.app.start.queue import new_run_id
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import UsageError
from reknit.core.gate.waiver import MAX_NAMED_WAIVERS, render_ended, render_forbidden
from reknit.core.repository.uncommitted import plan_carry
from reknit.core.runs.spec import RunSpec, Task, WorkspaceSettings
from reknit.core.setup.layers import hash_remotes
from reknit.core.testing.command import TestCommand


def select_carried(repository: UserRepository, config: Config) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ignored files to carry over, and those left out although tests may need them.

    Secrets and links are left out; caches are not listed.
    """
    carry = config.workspace.carry
    if carry == "auto":
        selection = plan_carry(repository.ignored())
        linked = tuple(entry for entry in selection.carried if _has_link(repository, entry))
        return tuple(entry for entry in selection.carried if entry not in linked), (*selection.secrets, *linked)
    entries, tracked = tuple(str(PurePosixPath(entry)) for entry in carry), repository.tracked()
    for entry in entries:
        reason = _why_not_carried(entry, repository, tracked)
        if reason:
            fix = "remove it; tracked files are in the box anyway, secrets and symlinks never are"
            raise UsageError("config", f"workspace.carry: {entry!r} {reason}", help=fix)
    return entries, ()


def _why_not_carried(entry: str, repository: UserRepository, tracked: Sequence[str]) -> str:
    """Return why an entry may not be carried; empty if it may.

    The list, and everything in the repository, may come from a stranger.
    """
    if entry in ("", ".") or entry.startswith("/") or {"..", ".git"} & set(PurePosixPath(entry).parts):
        return "is not an entry of the working tree"
    if plan_carry([entry]).secrets:
        return "looks like a secret, and an agent could read it"
    if any(path == entry or path.startswith(f"{entry}/") for path in tracked):
        return "is tracked by git"
    if any(entry.startswith(f"{path}/") for path in tracked):
        return "is in a submodule"
    return "is a symlink, or is reached through one" if _has_link(repository, entry) else ""


def _has_link(repository: UserRepository, entry: str) -> bool:
    here = PurePosixPath(entry)
    return any(Path(repository.root, step).is_symlink() for step in (here, *here.parents[:-1]))


def refuse_branch_in_the_way(repository: UserRepository) -> None:
    """Refuse a branch that would make every landing fail, after the whole run was paid for."""
    if repository.has_branch("reknit"):
        message = "a branch named 'reknit' prevents creating branches named 'reknit/RUN'"
        raise UsageError("branch-in-the-way", message, help="git branch -m reknit another-name")


def make_spec(
    task: Task, repository: UserRepository, config: Config, base: str, tests: Sequence[TestCommand],
    agents: Sequence[AgentSettings],
) -> tuple[RunSpec, tuple[str, ...]]:  # fmt: skip
    """Make the spec, and return the ignored files that are left out although tests may need them.

    `tests`: one per project; `agents`: the first choice, then its fallbacks.
    """
    carry, left_out = select_carried(repository, config)
    spec = RunSpec(
        new_run_id(),
        repository.root,
        base,
        task,
        tests[0],
        tuple(agents),
        other_projects=tuple(tests[1:]),
        box=config.box,
        limits=config.limits(),
        workspace=WorkspaceSettings(carry, config.workspace.setup, config.workspace.show),
        created_at=time.time(),
        issue_repository=repository_key(repository),
        waivers=collect_waivers(repository.root, config),
    )
    return spec, left_out


def add_projects(spec: RunSpec, repository: UserRepository, tests: ProjectsToTest) -> RunSpec:
    """Add the set-ups of the projects. Call it when the commit of the run is known."""
    commit = spec.setups.base or spec.uncommitted.on_top_of or spec.base
    spec = replace(spec, setups=replace(spec.setups, commands=tests.setups), unready=tests.unready)
    if not tests.setups:
        return spec
    remote = hash_remotes(dict(repository.remotes()))
    return replace(spec, setups=replace(spec.setups, fork=fork_point(repository, commit), remote=remote))


@dataclass(frozen=True)
class RunPlan:
    """A run that is ready to start."""

    spec: RunSpec
    notes: tuple[str, ...] = ()
    """Facts that the user should know before the run starts."""


def make_start_notes(spec: RunSpec) -> tuple[str, ...]:
    """Return notes for any run: ended or forbidden waivers, and a box that is not a sandbox."""
    ended = spec.waivers.ended
    more = (f"and {len(ended) - MAX_NAMED_WAIVERS} more waivers have ended",) if len(ended) > MAX_NAMED_WAIVERS else ()
    forbidden = render_forbidden(spec.waivers)[:MAX_NAMED_WAIVERS]
    return (*_make_sandbox_notes(spec), *forbidden, *map(render_ended, ended[:MAX_NAMED_WAIVERS]), *more)


def _make_sandbox_notes(spec: RunSpec) -> tuple[str, ...]:
    if spec.box != "host":
        return ()
    alone = ("box `host` starts no services: start what the tests need yourself",) if spec.services else ()
    return ("box `host` is not a sandbox: agent and tests run with your permissions", *alone)
