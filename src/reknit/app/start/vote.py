"""Turns `vote` into a frozen run: which pull request, which two vendors, by which reviewer files. Spends nothing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, load
from reknit.app.installation import Installation
from reknit.app.pulls.find import differing_head, find_pull, is_trusted, refuse_closed
from reknit.app.runs.claims import refuse_taken
from reknit.app.start.agent_settings import VENDORS, agent_settings, pull_reader
from reknit.app.start.fix_tests import uncommitted
from reknit.app.start.instructions.agent_files import agent_files
from reknit.app.start.instructions.judges import judges_of
from reknit.app.start.new_spec import new_spec
from reknit.app.start.run_plan import RunPlan
from reknit.app.start.signed_in_agents import signed_in
from reknit.core.agents.call import AgentSettings
from reknit.core.agents.instructions import VOTING, only
from reknit.core.errors import UsageProblem
from reknit.core.forge.values import ForgePlace, Pull
from reknit.core.repository.uncommitted import not_looked_at
from reknit.core.runs.spec import VoteTarget
from reknit.core.testing.command import TestCommand
from reknit.core.text.format import one_line
from reknit.core.vote.decision import VOTERS, key_of

NO_TESTS = TestCommand("command", ("true",), "exit code")
"""Voters only read; no test is run."""


def plan_vote(
    place: Installation, folder: Path, number: int | None, flags: Mapping[str, Any], *, slug: str = ""
) -> RunPlan:
    """`slug`: the repository the number belongs to, if given."""
    repository = UserRepository.find(str(folder))
    mine = load(None, flags, place.environment)
    where, pull = find_pull(place, repository, mine, number, slug, "reknit vote")
    refuse_closed(pull)
    with judges_of(place, repository, flags, pull_base=pull.base_sha) as judges:
        config, guides = judges.config, only(agent_files(judges.rules), VOTING)
    refuse_stranger_without_sandbox(place, where, pull, config)
    voters = _voters(place, config)
    target = VoteTarget(
        place=where,
        number=pull.number,
        url=pull.url,
        title=one_line(pull.title)[:200],
        voters=tuple(map(pull_reader, voters)),
        comment=config.forge.comment,
        limits=config.vote_limits(),
        guides=guides,
        backend=config.issues.backend,
        frontend=config.issues.frontend,
    )
    refuse_taken(place, key_of(target))
    spec, _left_out = new_spec("vote", repository, config, pull.head_sha, [NO_TESTS], voters[:1])
    return RunPlan(replace(spec, vote=target), tuple(_notes(repository, pull, config)))


def _voters(place: Installation, config: Config) -> tuple[AgentSettings, ...]:
    """Two from different vendors: two votes from one vendor's models would be one opinion."""
    if config.vote.agents:
        voters = tuple(agent_settings(config, name) for name in config.vote.agents)
        if len({voter.vendor for voter in voters}) < VOTERS:
            names = " and ".join(config.vote.agents)
            what = f"{names} are from the same vendor ({voters[0].vendor}), and a vote needs two"
            raise UsageProblem("same-vendor", what, help="name others with --agents A,B or `[vote] agents`")
        return voters
    voters = tuple(islice(signed_in(place, config), VOTERS))
    if len(voters) < VOTERS:
        raise _too_few(voters)
    return voters


def _too_few(voters: Sequence[AgentSettings]) -> UsageProblem:
    here = {voter.name for voter in voters}
    missing = ", ".join(name for name in VENDORS if name not in here)
    found = f"only {voters[0].name} is" if voters else "none is"
    what = f"a vote needs agents from two vendors, and {found} signed in; missing: {missing}"
    first = next(name for name in reversed(VENDORS) if name not in here)
    sign_in = f"`reknit doctor --agent {first}` explains how to sign in"
    return UsageProblem("second-vendor", what, help=f"{sign_in}; --agents A,B or `[vote] agents` selects others")


def refuse_stranger_without_sandbox(place: Installation, where: ForgePlace, pull: Pull, config: Config) -> None:
    if config.box == "host" and not is_trusted(place, where, pull):
        what = f"{one_line(pull.author)} does not belong to {where.slug}, and box `host` is not a sandbox"
        raise UsageProblem("untrusted", what, help='agents may act on what a pull request says: set box = "bubblewrap"')


def _notes(repository: UserRepository, pull: Pull, config: Config) -> Iterator[str]:
    yield from differing_head(repository, pull, "voted on")
    if dirty := uncommitted(repository):
        yield not_looked_at(dirty, len(dirty), on_forge=True)
    if config.box == "host":
        yield "box `host` is not a sandbox: only their instructions keep the voters from each other's files"
