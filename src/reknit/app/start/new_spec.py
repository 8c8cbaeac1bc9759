"""What every command freezes into its run in the same way."""

import time
from collections.abc import Sequence
from dataclasses import replace

from reknit.adapters.git.review_range import fork_point
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config
from reknit.app.config.waivers import waivers_of
from reknit.app.repository_key import repository_key
from reknit.app.start.projects import ProjectsToTest
from reknit.app.start.workspace import carried, new_run_id
from reknit.core.agents.call import AgentSettings
from reknit.core.runs.spec import RunSpec, WorkspaceSettings
from reknit.core.setup.sharing import remote_id
from reknit.core.testing.command import TestCommand


def new_spec(
    kind: str, repository: UserRepository, config: Config, base: str, tests: Sequence[TestCommand],
    agents: Sequence[AgentSettings],
) -> tuple[RunSpec, tuple[str, ...]]:  # fmt: skip
    """Also returns which ignored files are not carried over, although tests may need them.

    `tests`: one per project; `agents`: the first choice, then its fallbacks.
    """
    carry, left_out = carried(repository, config)
    first, *fallback = agents
    spec = RunSpec(
        run_id=new_run_id(),
        kind=kind,
        repository=repository.root,
        base=base,
        tests=tests[0],
        other_projects=tuple(tests[1:]),
        named=(),
        agent=first,
        box=config.box,
        limits=config.limits(),
        workspace=WorkspaceSettings(carry, config.workspace.setup, config.workspace.show),
        created_at=time.time(),
        fallback=tuple(fallback),
        issue_repository=repository_key(repository),
        waivers=waivers_of(repository.root, config),
    )
    return spec, left_out


def with_projects(spec: RunSpec, repository: UserRepository, tests: ProjectsToTest) -> RunSpec:
    """With what its projects need, when it is known which commit their set-ups belong to."""
    commit = spec.setup_base or spec.on_top_of or spec.base
    spec = replace(spec, unready=tests.unready, setups=tests.setups)
    if not tests.setups:
        return spec
    remote = remote_id(dict(repository.remotes()))
    return replace(spec, setup_fork=fork_point(repository, commit), setup_remote=remote)
