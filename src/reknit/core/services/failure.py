"""Describes a service that did not become ready: its message, and if the code may be the cause."""

import re
from dataclasses import dataclass

from reknit.core.services.known_servers import KNOWN, to_install_command
from reknit.core.services.service import Service, find_server, parse_program, plan_start, to_service_id

LOG_CHARS = 4000
NOT_FOUND = 127
_EARLY = "before it was ready"
_LATE = "was not ready within"
_KILLED = (f"was killed by signal 9 {_EARLY}", f"ended with exit code 137 {_EARLY}")
_SENTENCE = re.compile(rf"(?:[^`\n]{{1,300}}[:/] ?)?the service `([^\n]{{1,2000}})` [^`\n]{{0,60}}(?:{_EARLY}|{_LATE})")
_ID = re.compile(r"(?:[^`\n]{1,300}/)?the service `.{1,2000}`")
_PRINTED_CHARS = 200


@dataclass(frozen=True)
class ServiceFailure:
    """A service that did not become ready."""

    service: Service
    exit_code: int | None
    """Exit code of a service that ended; None: it is still running, but not ready."""
    log: str = ""
    """The end of its output."""

    @property
    def is_of_project(self) -> bool:
        """Return True if it runs code of the tree, so that a change may repair it."""
        return find_server(self.service) is None

    @property
    def sentence(self) -> str:
        if self.exit_code is not None and self.exit_code < 0:
            return f"{to_service_id(self.service)} was killed by signal {-self.exit_code} {_EARLY}"
        if self.exit_code is not None:
            return f"{to_service_id(self.service)} ended with exit code {self.exit_code} {_EARLY}"
        ready = plan_start(self.service).ready
        condition = f"port {ready}" if isinstance(ready, int) else f"`{ready}`"
        return f"{to_service_id(self.service)} {_LATE} {self.service.ready_s:g} s ({condition})"

    @property
    def message(self) -> str:
        return f"{self.sentence}; it printed:\n{self.log}" if self.log else f"{self.sentence}; it printed nothing"


def is_service_id(test: str) -> bool:
    """Return True if this test id belongs to a service."""
    return _ID.fullmatch(test) is not None


def is_failure(words: str) -> bool:
    """Return True if these words begin with the sentence of a failure, maybe after the folder of a project."""
    return _SENTENCE.match(words) is not None


def is_late(words: str) -> bool:
    """Return True if the service ran, but was not ready in time."""
    match = _SENTENCE.match(words)
    return match is not None and match.group().endswith(_LATE)


def is_killed(words: str) -> bool:
    """Return True if the service was killed from outside, for example because the machine has no memory left."""
    match = _SENTENCE.match(words)
    return match is not None and any(phrase in match.group() for phrase in _KILLED)


def suggest_remedy(sentence: str, log: str) -> str:
    """Return what a person can do about a well-known server that did not become ready."""
    match = _SENTENCE.match(sentence)
    program = parse_program(match.group(1)) if match else ""
    if f"exit code {NOT_FOUND} " in sentence and program in KNOWN:
        return f"`{to_install_command(program)}`"
    printed = [line.strip() for line in log.splitlines() if line.strip()][-1:]
    output = f"; it printed: {printed[0][:_PRINTED_CHARS]}" if printed else ""
    return f"correct its `run` or `ready` in `services`{output}"
