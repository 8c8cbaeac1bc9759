"""Sends the operator's notifications and the trace of a run that has ended."""

from collections.abc import Callable

from reknit.adapters.notifier import Notifier
from reknit.app.config.load import load
from reknit.app.installation import Installation
from reknit.app.telemetry import make_trace_sender
from reknit.core.notify.channels import Channels
from reknit.core.notify.message import build_notification, report_failed_notification
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader

NOTIFIED = "notified"
"""Name of the mark that a run's message was sent. It is set first: a message that a crash loses is not sent twice."""


def make_announcer(installation: Installation, ledger: SqlRunLedger) -> Callable[[str], None]:
    """Return the function that tells about an ended run. Only the operator's own configuration counts."""
    notifier = Notifier(load(None, {}, installation.environment).notify.channels(), installation.environment)
    sender = make_trace_sender(installation)

    def announce(run_id: str) -> None:
        announce_end(ledger, notifier, run_id)
        if sender:
            sender.send(ledger, run_id)

    return announce


def announce_end(ledger: SqlRunLedger, notifier: Notifier, run_id: str) -> None:
    """Send the message about a run, once. A failure is an event of the run and changes nothing else."""
    if notifier.channels == Channels() or not ledger.mark_once(run_id, NOTIFIED):
        return
    message = build_notification(RunReader(ledger.engine).run(run_id))
    for channel, problem in notifier.send(message).items():
        ledger.put_event(run_id, f"notify-{channel}", report_failed_notification(channel, problem))
