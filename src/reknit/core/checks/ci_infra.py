"""Tells CI infrastructure failures from code failures, with a short table of log patterns."""

import re
from bisect import bisect_left, bisect_right

from reknit.core.checks.ci_log import failed_lines, plain_lines
from reknit.core.forge.values import CiCheck

INFRA_WORDS = frozenset({"cancelled", "startup_failure", "stale"})
"""Conclusions of a check that never got to test the code."""
WAITS_FOR_A_PERSON = "action_required"
_LAST_LINES = 60
"""An infrastructure failure ends the job: the job survived anything printed earlier."""
_DOWNLOAD = re.compile(
    r"\b(?:npm|yarn|pnpm|pip|apt|apt-get|curl|wget|docker|maven|gradle)\b|pypi|pythonhosted|crates\.io|golang\.org"
    r"|rubygems|registry|tarball|download|fetch|https://",
    re.IGNORECASE,
)
_BROKEN_LINE = re.compile(
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
"""Infrastructure failures: what happened, and the pattern it prints."""
NEAR_A_DOWNLOAD = {"a server failed during a download": _SERVER_FAULT, "a download was interrupted": _BROKEN_LINE}
"""The same, for patterns that count only near the words of a download."""
_NEAR_CHARS = 200

# A service that the job itself started is part of the code under test.
_AT_HOME = re.compile(r"localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]", re.IGNORECASE)
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
    """Whether it failed on CI infrastructure, as far as its output shows.

    Only if no failing test and no compiler error is printed: a flaky network must not hide a real failure next to it.
    `timed_out` counts as a code failure unless a signature matches.
    """
    if check.state not in ("fail", "cancelled") or check.word == WAITS_FOR_A_PERSON:
        return False
    printed = [*plain_lines(log), *check.summary.splitlines()]
    if any(_TEST_FAILED.search(line[:1_000]) for line in printed):
        return False
    if any(_CODE_BROKEN.search(line[:1_000]) and not _is_of_machines(line) for line in printed):
        return False
    last = [*failed_lines(log)[-_LAST_LINES:], *check.summary.splitlines()]
    return check.word in INFRA_WORDS or check.state == "cancelled" or any(map(_is_of_machines, last))


def _is_of_machines(line: str) -> bool:
    if _AT_HOME.search(line):
        return False
    text = line[:1_000]
    return any(words.search(text) for _what, words in SIGNATURES) or any(
        _is_near_a_download(text, words) for words in NEAR_A_DOWNLOAD.values()
    )


def _is_near_a_download(line: str, words: re.Pattern[str]) -> bool:
    """Before or after it. Two searches, because one pattern for both would restart at every word."""
    places = [found.span() for found in _DOWNLOAD.finditer(line)]
    starts, ends = [start for start, _end in places], [end for _start, end in places]
    for found in words.finditer(line):
        before, after = bisect_right(ends, found.start()), bisect_left(starts, found.end())
        if before and found.start() - ends[before - 1] <= _NEAR_CHARS:
            return True
        if after < len(starts) and starts[after] - found.end() <= _NEAR_CHARS:
            return True
    return False
