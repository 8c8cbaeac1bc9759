"""Starts the services of one box inside it, and reads the starter's report on the host."""

import importlib.resources
import json
import socket
from collections.abc import Sequence
from dataclasses import asdict
from typing import Literal

from reknit.core.services.failure import LOG_CHARS, ServiceFailure
from reknit.core.services.service import Service, plan_start

FOLDER = "/tmp/services"  # noqa: S108 - in the box
"""Folder in the box for logs and for the private folders of services."""
_MESSAGE_BYTES = 1 << 17


class ServiceChannel:
    """The connection to the starter. `box_fd` goes into the box; the caller that starts the box closes it."""

    def __init__(self, services: Sequence[Service], *, needed: bool) -> None:
        self._services, self._needed = services, needed
        self._host_end, box_end = socket.socketpair()
        self.box_fd = box_end.detach()

    def command(self, python: str) -> tuple[str, ...]:
        """Return the words before the command in the box."""
        starts = [asdict(plan_start(service)) for service in self._services]
        plan = json.dumps({"needed": self._needed, "folder": FOLDER, "services": starts})
        source = importlib.resources.files("reknit.adapters.box.services").joinpath("starter.py").read_text("utf-8")
        return (python, "-I", "-S", "-c", source, str(self.box_fd), plan)

    def outcome(self) -> Literal["ready", "unknown"] | ServiceFailure:
        """Return the outcome; call it after the box has ended. Without a message, the box or the starter has failed."""
        self._host_end.settimeout(0)
        try:
            message = json.loads(self._read_message())
        except (OSError, ValueError):
            return "unknown"
        match message:
            case {"number": int(number), "exit_code": int() | None as code, "log": str(log)}:
                if 0 <= number < len(self._services):
                    return ServiceFailure(self._services[number], code, log[-LOG_CHARS:].strip())
        return "ready" if message == {} else "unknown"

    def _read_message(self) -> bytes:
        parts = []
        while part := self._host_end.recv(_MESSAGE_BYTES):
            parts.append(part)
        return b"".join(parts)

    def close(self) -> None:
        self._host_end.close()
