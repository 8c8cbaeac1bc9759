"""`vote` as shared code sees it."""

from collections.abc import Mapping

from reknit.core.capability import AgentChoice, Capability, StoredRun
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import RunView, pull_of
from reknit.core.vote import run_text
from reknit.core.vote.decision import Tally
from reknit.core.vote.record import tally_in


def _agents(spec: RunSpec) -> list[AgentChoice]:
    return [AgentChoice(voter, "--agents") for voter in spec.vote_target.voters]


def _agent_names(run: RunView) -> str:
    return ", ".join(voter["name"] for voter in pull_of(run)["voters"])


def _tally(stored: StoredRun) -> Tally | None:
    return tally_in(stored.documents.get("votes", {}))


def _lines(stored: StoredRun, width: int) -> list[str]:
    return run_text.show_lines(stored.run, _tally(stored), width)


def _document(stored: StoredRun) -> dict[str, object]:
    votes: Mapping[str, object] = stored.documents.get("votes", {})
    return {"votes": votes or None}


VOTE = Capability(
    kind="vote",
    workflow="vote.v1",
    function="reknit.workflows.vote.workflow:vote",
    agents=_agents,
    agent_names=_agent_names,
    phases=run_text.PHASES,
    documents=("votes",),
    heading=run_text.heading,
    ending_text=lambda stored, width: run_text.ending_text(stored.run, _tally(stored), width),
    show_lines=_lines,
    explain_lines=_lines,
    show_document=_document,
    ending_document=_document,
)
