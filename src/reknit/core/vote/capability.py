"""Describes `vote` to shared code."""

from collections.abc import Mapping

from reknit.core.capability import AgentChoice, Capability, StoredRun
from reknit.core.runs.view import get_pull
from reknit.core.vote import run_text
from reknit.core.vote.decision import Tally
from reknit.core.vote.record import read_tally
from reknit.core.vote.task import VoteOnPullRequest


def _read_stored_tally(stored: StoredRun) -> Tally | None:
    return read_tally(stored.documents.get("votes", {}))


def _render_lines(stored: StoredRun, width: int) -> list[str]:
    return run_text.show_lines(stored.run, _read_stored_tally(stored), width)


def _to_document(stored: StoredRun) -> dict[str, object]:
    votes: Mapping[str, object] = stored.documents.get("votes", {})
    return {"votes": votes or None}


VOTE = Capability(
    kind="vote",
    agents=lambda spec: [AgentChoice(voter, "--agents") for voter in spec.task_as(VoteOnPullRequest).voters],
    agent_names=lambda run: ", ".join(voter["name"] for voter in get_pull(run)["voters"]),
    phases=run_text.PHASES,
    documents=("votes",),
    heading=run_text.render_heading,
    ending_text=lambda stored, width: run_text.render_ending(stored.run, _read_stored_tally(stored), width),
    show_lines=_render_lines,
    explain_lines=_render_lines,
    show_document=_to_document,
    ending_document=_to_document,
)
