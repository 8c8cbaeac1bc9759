"""Tells a person that a run has ended: a bell, a desktop message, a webhook, Slack. All of it is bounded in time."""

import http.client
import json
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from reknit.adapters.process import find_program, run
from reknit.core.errors import ReknitError
from reknit.core.notify.channels import Channels
from reknit.core.notify.message import Notification

TIMEOUT_S = 5.0
"""Limit for connecting, and for each read."""
TOTAL_S = 10.0
"""Limit for one channel. A server that sends its answer byte by byte would otherwise hold up the run."""


class NotDeliveredError(Exception):
    """The message did not arrive. The text says why, and never contains the address."""


@dataclass(frozen=True)
class Notifier:
    """Sends one message on every channel that the operator chose."""

    channels: Channels
    environment: Mapping[str, str]
    total_s: float = TOTAL_S

    def send(self, message: Notification) -> dict[str, str]:
        """Send the message on all channels at once. Return channel -> why it was not delivered."""
        senders: dict[str, Callable[[], None]] = {}
        if self.channels.bell:
            senders["bell"] = _ring
        if self.channels.desktop:
            senders["desktop"] = lambda: self._show_on_desktop(message)
        if self.channels.webhook:
            senders["webhook"] = lambda: _post(self.channels.webhook, message.document)
        if self.channels.slack:
            senders["slack"] = lambda: _post(self.channels.slack, message.slack_document)
        problems = dict.fromkeys(senders, f"no answer within {self.total_s:g} s")
        threads = [
            threading.Thread(target=_try, args=(name, sender, problems), name="reknit-notify", daemon=True)
            for name, sender in senders.items()
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(self.total_s)
        return {name: problem for name, problem in dict(problems).items() if problem}

    def _show_on_desktop(self, message: Notification) -> None:
        program = find_program("notify-send", self.environment.get("PATH"))
        if not program:
            raise NotDeliveredError("notify-send is not installed")
        argv = [program, "--app-name=reknit", "--", message.title, message.text]
        if run(argv, env=self.environment, timeout_s=TIMEOUT_S).exit_code:
            raise NotDeliveredError("notify-send failed")


def _try(name: str, sender: Callable[[], None], problems: dict[str, str]) -> None:
    try:
        sender()
        problems[name] = ""
    except NotDeliveredError as problem:
        problems[name] = str(problem)
    except (OSError, http.client.HTTPException, ReknitError) as problem:  # their texts may contain the address
        problems[name] = f"it could not be reached ({type(problem).__name__})"


def _ring() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\a")
        sys.stderr.flush()


def _post(address: str, document: Mapping[str, object]) -> None:
    """Post JSON without following redirects, which could lead to another host."""
    parts = urlsplit(address)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=TIMEOUT_S)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        headers = {"content-type": "application/json", "user-agent": "reknit"}
        connection.request("POST", target, json.dumps(document).encode(), headers)
        status = connection.getresponse().status
    finally:
        connection.close()
    if not 200 <= status < 300:
        raise NotDeliveredError(f"it answered {status}")
