"""Cuts the log of a failed CI job to what matters."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from reknit.core.evidence.digest import excerpt
from reknit.core.text.redact import clean
from reknit.core.text.truncate import MARK

LIMIT_BYTES = 4_000
_BEFORE, _AFTER = 12, 4
"""Lines kept around a line that shows a failure, if the whole log does not fit."""
_STAMP = re.compile(r"\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z ?")
# The runner's own copy of a step's script and environment: the commands, not their output.
_ECHO = re.compile(r"^(##\[group\]Run .*\n)(?:(?!##\[).*\n)*+##\[endgroup\]\n", re.MULTILINE)
_COMMAND = re.compile(r"\[command\].*")
_MARK = re.compile(
    r"(?:##\[(?P<runner>[a-z-]{1,30})\]|::(?P<tool>error|warning|notice|debug|group|endgroup"
    r"|(?:add|set|save|remove|stop)-[a-z]{1,20})(?: [^:]{0,500})?::)(?P<text>.*)"
)
_FAILING = re.compile(
    r"(?i:\berror\b|\bfail(?:ed|ure|ing)?\b|panicked|traceback|exception|\bassert)|Error\b|^E  |^\s*[✗✕✖●]"
)
_LONGEST_LINE = 4_000


@dataclass(frozen=True)
class _Line:
    text: str
    kind: Literal["step", "error", "plain"] = "plain"


def log_excerpt(log: str, limit_bytes: int = LIMIT_BYTES) -> str:
    """The failed step, its output around its errors, and its end; redacted, at most `limit_bytes`."""
    lines = failed_lines(log)
    if sum(map(len, lines)) + len(lines) > limit_bytes:
        lines = _near_failures(lines)
    return excerpt("\n".join(lines), limit_bytes)


def plain_lines(log: str) -> list[str]:
    """Everything printed, without the runner's timestamps, markers and copies of commands."""
    return [line.text for line in _lines(log)]


def failed_lines(log: str) -> list[str]:
    """Each step with an error, up to its last error; the whole log if it has no markers.

    What follows the last error is the job's cleanup, and steps without an error did what they should.
    """
    lines = list(_lines(log))
    failed = [line for step in _steps(lines) for line in _until_last_error(step)]
    return [line.text for line in failed or lines]


def _lines(log: str) -> Iterator[_Line]:
    text = clean("\n".join(map(_printed, log.split("\n"))))
    for line in _ECHO.sub(r"\1", f"{text}\n").splitlines():
        mark = _MARK.fullmatch(line)
        if mark:
            yield from _marked(mark["runner"] or mark["tool"], mark["text"])
        elif not _COMMAND.fullmatch(line):
            yield _Line(line.rstrip())


def _printed(line: str) -> str:
    """As a terminal would show it: without what a progress bar overwrote."""
    return line[_end_of_stamp(line) :].rstrip("\r").rpartition("\r")[2]


def _end_of_stamp(line: str) -> int:
    stamp = _STAMP.match(line)
    return stamp.end() if stamp else 0


def _marked(word: str, text: str) -> Iterator[_Line]:
    if word == "error":
        yield _Line(f"error: {text}", "error")
    elif word in ("warning", "notice"):
        yield _Line(f"{word}: {text}")
    elif word == "group":
        yield _Line(text, "step" if text.startswith("Run ") else "plain")


def _steps(lines: Sequence[_Line]) -> list[list[_Line]]:
    steps: list[list[_Line]] = [[]]
    for line in lines:
        if line.kind == "step":
            steps.append([])
        steps[-1].append(line)
    return steps


def _until_last_error(step: Sequence[_Line]) -> Sequence[_Line]:
    last = max((index for index, line in enumerate(step) if line.kind == "error"), default=-1)
    return step[: last + 1]


def _near_failures(lines: Sequence[str]) -> list[str]:
    """The first line names the step; a gap marks what was left out."""
    near = {0}
    for index, line in enumerate(lines):
        if _FAILING.search(line[:_LONGEST_LINE]):
            near.update(range(max(index - _BEFORE, 0), min(index + _AFTER + 1, len(lines))))
    if len(near) == 1:
        return list(lines)
    kept = sorted(near)
    return [
        text
        for before, index in zip([-1, *kept], kept, strict=False)
        for text in ([MARK, lines[index]] if index - before > 1 else [lines[index]])
    ]
