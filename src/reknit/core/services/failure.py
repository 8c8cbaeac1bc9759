"""A service that did not become ready: what is said about it, and whether that may be the fault of the code."""

import re
from dataclasses import dataclass

from reknit.core.services.known_servers import KNOWN, install_command
from reknit.core.services.service import Service, program_of, server_of, service_id, start_of

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
    service: Service
    exit_code: int | None
    """Of a service that ended; None: it is still running, but not ready."""
    log: str = ""
    """The end of what it printed."""

    @property
    def is_the_projects(self) -> bool:
        """It runs code of the tree, so that a change of the code may repair it."""
        return server_of(self.service) is None

    @property
    def sentence(self) -> str:
        if self.exit_code is not None and self.exit_code < 0:
            return f"{service_id(self.service)} was killed by signal {-self.exit_code} {_EARLY}"
        if self.exit_code is not None:
            return f"{service_id(self.service)} ended with exit code {self.exit_code} {_EARLY}"
        ready = start_of(self.service).ready
        what = f"port {ready}" if isinstance(ready, int) else f"`{ready}`"
        return f"{service_id(self.service)} {_LATE} {self.service.ready_s:g} s ({what})"

    @property
    def message(self) -> str:
        return f"{self.sentence}; it printed:\n{self.log}" if self.log else f"{self.sentence}; it printed nothing"


def is_service_id(test: str) -> bool:
    return _ID.fullmatch(test) is not None


def is_failure(words: str) -> bool:
    """Whether these words begin with the sentence of a failure, maybe after the folder of a project."""
    return _SENTENCE.match(words) is not None


def is_late(words: str) -> bool:
    """Whether the service ran, but was not ready in time."""
    found = _SENTENCE.match(words)
    return found is not None and found.group().endswith(_LATE)


def is_killed(words: str) -> bool:
    """Whether the service was killed from outside, as by a machine that has no memory left."""
    found = _SENTENCE.match(words)
    return found is not None and any(each in found.group() for each in _KILLED)


def remedy_of(sentence: str, log: str) -> str:
    """What a person can do about a well-known server that did not become ready."""
    found = _SENTENCE.match(sentence)
    program = program_of(found.group(1)) if found else ""
    if f"exit code {NOT_FOUND} " in sentence and program in KNOWN:
        return f"`{install_command(program)}`"
    printed = [line.strip() for line in log.splitlines() if line.strip()][-1:]
    said = f"; it printed: {printed[0][:_PRINTED_CHARS]}" if printed else ""
    return f"correct its `run` or `ready` in `services`{said}"
