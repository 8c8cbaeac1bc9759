"""The message about an ended run: no code, no diff, and no text of a finding leaves the machine with it."""

from collections.abc import Mapping
from dataclasses import dataclass

from reknit.core.runs.event import Event
from reknit.core.runs.view import RunView, describe_spending
from reknit.core.text.format import sanitize_line

_NAME_CHARS = 60


@dataclass(frozen=True)
class Notification:
    """A message for a person, and the same facts for a program."""

    title: str
    text: str
    document: Mapping[str, object]
    """Body of the webhook."""

    @property
    def slack_document(self) -> Mapping[str, str]:
        """Return the body that Slack, and services compatible with it, accept."""
        text = f"{self.title}\n{self.text}"
        return {"text": text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")}


def build_notification(run: RunView) -> Notification:
    """Return the message about a run that has ended."""
    name = sanitize_line(run.repository.rstrip("/").rpartition("/")[2], _NAME_CHARS)
    fixed, left = (_count(run.detail.get(key)) for key in ("fixed", "left"))
    needs_person, command = run.ending == "BLOCKED", f"reknit show {run.id}"
    facts = (["a person is needed"] if needs_person else []) + [f"{fixed} fixed, {left} left", describe_spending(run)]
    document = {
        "schema": 1, "event": "run_ended", "run": run.id, "kind": run.kind, "repository": name, "ending": run.ending,
        "needs_person": needs_person, "fixed": fixed, "left": left, "spent_usd": run.spent_usd,
        "reserved_usd": run.held_usd, "budget_usd": run.budget_usd, "command": command,
    }  # fmt: skip
    return Notification(f"reknit {run.kind}: {run.ending} in {name}", "; ".join([*facts, f"`{command}`"]), document)


def _count(ids: object) -> int:
    return len(ids) if isinstance(ids, list | tuple) else 0


def report_failed_notification(channel: str, problem: str) -> Event:
    """Report that a message was not delivered. The run is not affected."""
    return Event("notify_failed", "note", "notify", f"{channel}: {problem}", {"channel": channel})
