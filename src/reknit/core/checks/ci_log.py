"""Reads the log of a failed CI job: cuts it to its errors, and tells infrastructure failures from code failures."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from reknit.core.evidence.digest import excerpt
from reknit.core.forge.values import CiCheck
from reknit.core.text.redact import clean
from reknit.core.text.truncate import MARK

LIMIT_BYTES = 4_000
_BEFORE, _AFTER = 12, 4
"""Lines kept around a line that shows a failure, if the whole log does not fit."""
_STAMP = re.compile(r"\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z ?")
# The runner prints a copy of a step's script and environment: commands, not their output.
_ECHO = re.compile(r"^(##\[group\]Run .*\n)(?:(?!##\[).*\n)*+##\[endgroup\]\n", re.MULTILINE)
_COMMAND = re.compile(r"\[command\].*")
_MARKER = re.compile(
    r"(?:##\[(?P<runner>[a-z-]{1,30})\]|::(?P<tool>error|warning|notice|debug|group|endgroup"
    r"|(?:add|set|save|remove|stop)-[a-z]{1,20})(?: [^:]{0,500})?::)(?P<text>.*)"
)
_FAILING = re.compile(
    r"(?i:\berror\b|\bfail(?:ed|ure|ing)?\b|panicked|traceback|exception|\bassert)|Error\b|^E  |^\s*[✗✕✖●]"
)
_MAX_LINE_CHARS = 4_000


@dataclass(frozen=True)
class _Line:
    text: str
    kind: Literal["step", "error", "plain"] = "plain"


def excerpt_log(log: str, limit_bytes: int = LIMIT_BYTES) -> str:
    """Return the failed step, the output around its errors, and its end: redacted, at most `limit_bytes`."""
    lines = list_failed_lines(log)
    if sum(map(len, lines)) + len(lines) > limit_bytes:
        lines = _select_near_failures(lines)
    return excerpt("\n".join(lines), limit_bytes)


def list_plain_lines(log: str) -> list[str]:
    """Return everything printed, without the runner's timestamps, markers and copies of commands."""
    return [line.text for line in _parse_lines(log)]


def list_failed_lines(log: str) -> list[str]:
    """Return each step with an error, up to its last error; the whole log if it has no markers.

    What follows the last error is the job's cleanup, and steps without an error did what they should.
    """
    lines = list(_parse_lines(log))
    failed = [line for step in _split_steps(lines) for line in _cut_after_last_error(step)]
    return [line.text for line in failed or lines]


def _parse_lines(log: str) -> Iterator[_Line]:
    text = clean("\n".join(map(_strip_overwritten, log.split("\n"))))
    for line in _ECHO.sub(r"\1", f"{text}\n").splitlines():
        mark = _MARKER.fullmatch(line)
        if mark:
            yield from _parse_marker(mark["runner"] or mark["tool"], mark["text"])
        elif not _COMMAND.fullmatch(line):
            yield _Line(line.rstrip())


def _strip_overwritten(line: str) -> str:
    """Return the line that a terminal shows in the end, without what a progress bar overwrote."""
    return line[_find_stamp_end(line) :].rstrip("\r").rpartition("\r")[2]


def _find_stamp_end(line: str) -> int:
    stamp = _STAMP.match(line)
    return stamp.end() if stamp else 0


def _parse_marker(word: str, text: str) -> Iterator[_Line]:
    if word == "error":
        yield _Line(f"error: {text}", "error")
    elif word in ("warning", "notice"):
        yield _Line(f"{word}: {text}")
    elif word == "group":
        yield _Line(text, "step" if text.startswith("Run ") else "plain")


def _split_steps(lines: Sequence[_Line]) -> list[list[_Line]]:
    steps: list[list[_Line]] = [[]]
    for line in lines:
        if line.kind == "step":
            steps.append([])
        steps[-1].append(line)
    return steps


def _cut_after_last_error(step: Sequence[_Line]) -> Sequence[_Line]:
    last = max((index for index, line in enumerate(step) if line.kind == "error"), default=-1)
    return step[: last + 1]


def _select_near_failures(lines: Sequence[str]) -> list[str]:
    """Select the lines around failures. The first line names the step; a mark shows each gap."""
    near = {0}
    for index, line in enumerate(lines):
        if _FAILING.search(line[:_MAX_LINE_CHARS]):
            near.update(range(max(index - _BEFORE, 0), min(index + _AFTER + 1, len(lines))))
    if len(near) == 1:
        return list(lines)
    indexes = sorted(near)
    return [
        text
        for before, index in zip([-1, *indexes], indexes, strict=False)
        for text in ([MARK, lines[index]] if index - before > 1 else [lines[index]])
    ]


INFRA_WORDS = frozenset({"cancelled", "startup_failure", "stale"})
"""Conclusions of a check that never got to test the code."""
NEEDS_A_PERSON = "action_required"
_LAST_LINES = 60
"""Number of last lines in which an infrastructure failure counts: the job survived the earlier ones."""
_DOWNLOAD = re.compile(
    r"\b(?:npm|yarn|pnpm|pip|apt|apt-get|curl|wget|docker|maven|gradle)\b|pypi|pythonhosted|crates\.io|golang\.org"
    r"|rubygems|registry|tarball|download|fetch|https://",
    re.IGNORECASE,
)
_BROKEN_CONNECTION = re.compile(
    r"ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|socket hang up|connection reset|connection timed out"
    r"|read timed out|TLS handshake timeout|unexpected EOF|max retries exceeded",
    re.IGNORECASE,
)
_SERVER_FAULT = re.compile(
    r"(?:HTTP(?:/[\d.]+)?|status|code|error|got|ERR!)[ :]{1,2}E?50[0-4]\b"
    r"|\b50[0-4] \(?(?:internal server error|bad gateway|service unavailable|gateway time-?out)",
    re.IGNORECASE,
)

SIGNATURES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("the runner was lost", r"runner.{0,100} lost communication with the server"),
        ("the runner was shut down", r"runner has received a shutdown signal"),
        ("the runner failed", r"(?:hosted runner|GitHub Actions) (?:has )?encountered an (?:internal )?error"),
        ("no runner took the job", r"job was not acquired by runner|no runner matching"),
        ("an action could not be downloaded", r"failed to (?:download action|resolve action download info)"),
        ("the disk was full", r"no space left on device|\bENOSPC\b|running out of disk space"),
        ("a host was not found", r"could not resolve host|temporary failure in name resolution"),
        (
            "a git transfer failed",
            r"RPC failed; |remote end hung up unexpectedly|requested URL returned error: 5\d\d",
        ),
        ("a registry failed", r"received unexpected HTTP status: 5\d\d|pull rate limit|toomanyrequests"),
    )
)
"""Infrastructure failures: a description, and the pattern of the line that shows it."""
NEAR_A_DOWNLOAD = {"a server failed during a download": _SERVER_FAULT, "a download was interrupted": _BROKEN_CONNECTION}
"""Infrastructure failures whose patterns count only near the words of a download."""
_NEAR_CHARS = 200

# A service that the job itself started is part of the code under test.
_LOOPBACK_HOST = re.compile(r"localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]", re.IGNORECASE)
_TEST_FAILED = re.compile(
    r"(?<!BUILD )\bFAILED\b|^\s*(?:--- )?FAIL\b|\bAssertionError\b|\b[Aa]ssertion(?: `.*`)? failed|panicked at"
    r"|\b[1-9]\d* (?:tests? |specs? |examples?, )?(?:failed|failures?|failing)\b|(?:Failures|Errors): [1-9]|^E   \S"
    r"|^not ok \d"
)
_CODE_BROKEN = re.compile(
    r"[:(]\d+(?:[:,]\d+)?\)?:? (?:fatal )?error\b|^\s*\d+:\d+\s+error\s|\berror(?:\[E\d+\]| TS\d+)"
    r"|error: (?:could not compile|aborting due)|\bSyntaxError\b|COMPILATION ERROR|undefined reference"
    r"|Found [1-9]\d* errors?\b|^would reformat|exceeded the maximum execution time"
)


def is_infra(check: CiCheck, log: str) -> bool:
    """Return True if the check failed on CI infrastructure, judging by its output.

    A check that prints a failing test or a compiler error did not: a flaky network must not hide a real failure.
    A check that timed out counts as a code failure unless a signature matches.
    """
    if check.state not in ("fail", "cancelled") or check.word == NEEDS_A_PERSON:
        return False
    output_lines = [*list_plain_lines(log), *check.summary.splitlines()]
    if any(_TEST_FAILED.search(line[:1_000]) for line in output_lines):
        return False
    if any(_CODE_BROKEN.search(line[:1_000]) and not _is_infra_line(line) for line in output_lines):
        return False
    last = [*list_failed_lines(log)[-_LAST_LINES:], *check.summary.splitlines()]
    return check.word in INFRA_WORDS or check.state == "cancelled" or any(map(_is_infra_line, last))


def _is_infra_line(line: str) -> bool:
    if _LOOPBACK_HOST.search(line):
        return False
    text = line[:1_000]
    return any(pattern.search(text) for _description, pattern in SIGNATURES) or any(
        _is_near_a_download(text, pattern) for pattern in NEAR_A_DOWNLOAD.values()
    )


def _is_near_a_download(line: str, pattern: re.Pattern[str]) -> bool:
    """Return True if the pattern matches within `_NEAR_CHARS` before or after a word of a download.

    Two searches, because one pattern for both would restart at every word.
    """
    spans = [match.span() for match in _DOWNLOAD.finditer(line)]
    starts, ends = [start for start, _end in spans], [end for _start, end in spans]
    for match in pattern.finditer(line):
        before, after = bisect_right(ends, match.start()), bisect_left(starts, match.end())
        if before and match.start() - ends[before - 1] <= _NEAR_CHARS:
            return True
        if after < len(starts) and starts[after] - match.end() <= _NEAR_CHARS:
            return True
    return False
