"""The services of one box: the command that starts them inside, and what it reported to the outside."""

import importlib.resources
import json
import socket
from collections.abc import Sequence
from dataclasses import asdict
from typing import Literal

from reknit.core.services.failure import LOG_CHARS, ServiceFailure
from reknit.core.services.service import Service, start_of

FOLDER = "/tmp/services"  # noqa: S108 - in the box
"""Logs, and the private folders of servers."""
_MESSAGE_BYTES = 1 << 17


class ServiceChannel:
    """`box_fd` is passed into the box; the caller that starts the box closes it here."""

    def __init__(self, services: Sequence[Service], *, needed: bool) -> None:
        self._services, self._needed = services, needed
        self._host_end, box_end = socket.socketpair()
        self.box_fd = box_end.detach()

    def command(self, python: str) -> tuple[str, ...]:
        """Goes before the command in the box."""
        starts = [asdict(start_of(service)) for service in self._services]
        plan = json.dumps({"needed": self._needed, "folder": FOLDER, "services": starts})
        source = importlib.resources.files("reknit.adapters.box.services").joinpath("starter.py").read_text("utf-8")
        return (python, "-I", "-S", "-c", source, str(self.box_fd), plan)

    def outcome(self) -> Literal["ready", "unknown"] | ServiceFailure:
        """To be read when the box has ended. Without a message, the box itself has failed, or what starts services."""
        self._host_end.settimeout(0)
        try:
            said = json.loads(self._received())
        except (OSError, ValueError):
            return "unknown"
        match said:
            case {"number": int(number), "exit_code": int() | None as code, "log": str(log)}:
                if 0 <= number < len(self._services):
                    return ServiceFailure(self._services[number], code, log[-LOG_CHARS:].strip())
        return "ready" if said == {} else "unknown"

    def _received(self) -> bytes:
        parts = []
        while part := self._host_end.recv(_MESSAGE_BYTES):
            parts.append(part)
        return b"".join(parts)

    def close(self) -> None:
        self._host_end.close()
