"""Turns `vote` into a frozen run: the pull request, two vendors, and their instructions. Spends nothing."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, load
from reknit.app.installation import Installation
from reknit.app.pulls.find import find_pull, is_trusted, note_differing_head, refuse_closed
from reknit.app.runs.liveness import refuse_claimed
from reknit.app.start.agents import VENDORS, find_signed_in_agents, get_agent_settings, set_pull_thinking
from reknit.app.start.fix_tests import list_uncommitted
from reknit.app.start.instructions.agent_files import read_agent_files
from reknit.app.start.instructions.judges import checkout_judges
from reknit.app.start.new_spec import RunPlan, make_spec
from reknit.core.agents.call import AgentSettings
from reknit.core.agents.instructions import VOTING, select_files
from reknit.core.errors import UsageError
from reknit.core.forge.values import ForgePlace, Pull
from reknit.core.repository.uncommitted import warn_uncommitted
from reknit.core.testing.command import TestCommand
from reknit.core.text.format import to_one_line
from reknit.core.vote.decision import VOTERS, make_key
from reknit.core.vote.task import VoteOnPullRequest

NO_TESTS = TestCommand("command", ("true",), "exit code")
"""Placeholder for runs without tests: voters only read."""


def plan_vote(
    installation: Installation, folder: Path, number: int | None, flags: Mapping[str, Any], *, slug: str = ""
) -> RunPlan:
    """Plan a vote. `slug`: the repository the number belongs to, if given."""
    repository = UserRepository.find(str(folder))
    mine = load(None, flags, installation.environment)
    forge_place, pull = find_pull(installation, repository, mine, number, slug, "reknit vote")
    refuse_closed(pull)
    with checkout_judges(installation, repository, flags, pull_base=pull.base_sha) as judges:
        config, guides = judges.config, select_files(read_agent_files(judges.rules), VOTING)
    refuse_stranger_without_sandbox(installation, forge_place, pull, config)
    voters = _choose_voters(installation, config)
    target = VoteOnPullRequest(
        place=forge_place,
        number=pull.number,
        url=pull.url,
        title=to_one_line(pull.title)[:200],
        voters=tuple(map(set_pull_thinking, voters)),
        comment=config.forge.comment,
        limits=config.vote_limits(),
        guides=guides,
        backend=config.issues.backend,
        frontend=config.issues.frontend,
    )
    refuse_claimed(installation, make_key(target))
    spec, _left_out = make_spec(target, repository, config, pull.head_sha, [NO_TESTS], voters[:1])
    return RunPlan(spec, tuple(_make_notes(repository, pull, config)))


def _choose_voters(installation: Installation, config: Config) -> tuple[AgentSettings, ...]:
    """Choose two voters from different vendors: two votes from one vendor's models would be one opinion."""
    if config.vote.agents:
        voters = tuple(get_agent_settings(config, name) for name in config.vote.agents)
        if len({voter.vendor for voter in voters}) < VOTERS:
            names = " and ".join(config.vote.agents)
            message = f"{names} are from the same vendor ({voters[0].vendor}), and a vote needs two"
            raise UsageError("same-vendor", message, help="name others with --agents A,B or `[vote] agents`")
        return voters
    voters = tuple(islice(find_signed_in_agents(installation, config), VOTERS))
    if len(voters) < VOTERS:
        raise _too_few_voters_problem(voters)
    return voters


def _too_few_voters_problem(voters: Sequence[AgentSettings]) -> UsageError:
    here = {voter.name for voter in voters}
    missing = ", ".join(name for name in VENDORS if name not in here)
    signed_in_text = f"only {voters[0].name} is" if voters else "none is"
    message = f"a vote needs agents from two vendors, and {signed_in_text} signed in; missing: {missing}"
    first = next(name for name in reversed(VENDORS) if name not in here)
    sign_in = f"`reknit doctor --agent {first}` explains how to sign in"
    return UsageError("second-vendor", message, help=f"{sign_in}; --agents A,B or `[vote] agents` selects others")


def refuse_stranger_without_sandbox(
    installation: Installation, forge_place: ForgePlace, pull: Pull, config: Config
) -> None:
    """Refuse a stranger's pull request in box `host`: agents may act on its text."""
    if config.box == "host" and not is_trusted(installation, forge_place, pull):
        message = f"{to_one_line(pull.author)} does not belong to {forge_place.slug}, and box `host` is not a sandbox"
        raise UsageError(
            "untrusted", message, help='agents may act on what a pull request says: set box = "bubblewrap"'
        )


def _make_notes(repository: UserRepository, pull: Pull, config: Config) -> Iterator[str]:
    yield from note_differing_head(repository, pull, "voted on")
    if dirty := list_uncommitted(repository):
        yield warn_uncommitted(dirty, len(dirty), on_forge=True)
    if config.box == "host":
        yield "box `host` is not a sandbox: only their instructions keep the voters from each other's files"
