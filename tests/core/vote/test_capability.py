from reknit.core.capability import AgentChoice, StoredRun
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from reknit.core.vote.capability import VOTE
from reknit.core.vote.record import tally_to_document
from tests.tools.vote_samples import RUN, TALLY, TARGET

SPEC = RunSpec("r-1", "/shop", "b" * 40, TARGET, TestCommand("command", ("true",), "exit code"), (TARGET.voters[0],))


def test_both_voters_are_checked_and_shown() -> None:
    assert VOTE.agents(SPEC) == [AgentChoice(voter, "--agents") for voter in TARGET.voters]
    assert VOTE.agent_names(RUN) == "claude, mine"


def test_votes_are_null_until_both_are_in() -> None:
    votes = tally_to_document(TALLY)
    assert VOTE.show_document(StoredRun(RUN)) == {"votes": None}
    assert VOTE.ending_document(StoredRun(RUN, documents={"votes": votes})) == {"votes": votes}
    assert not any("of 100" in line for line in VOTE.show_lines(StoredRun(RUN), 80))
