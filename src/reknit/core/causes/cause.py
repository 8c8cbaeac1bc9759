"""The cause of a red test, the code or the environment, and the texts about tests that are left out."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reknit.core.text.format import join_and_count, join_few, pluralize, to_one_line

Verdict = Literal["code", "doubtful", "environment"]
"""`doubtful`: treated as a fault of the code, but with one attempt only."""
CauseKind = Literal[
    "", "missing-module", "not-installed", "missing-program", "missing-library", "network", "service", "port",
    "permission", "host-file", "toolchain", "variable", "browser", "display", "node-modules", "submodule", "runner",
    "timeout", "space", "memory", "shared", "locale", "time-zone", "machine", "credential", "device", "download", "lfs",
]  # fmt: skip
LeftOut = tuple[tuple[str, ...], str, str]
"""(tests, the reason why they are red, the remedy)."""
_MAX_REASONS = 5
"""Maximum number of reasons in one text."""


@dataclass(frozen=True)
class Cause:
    """The reason why a test is red, and a remedy if the environment is at fault."""

    verdict: Verdict
    kind: CauseKind = ""
    sentence: str = ""
    """The missing thing, in words for people."""
    remedy: str = ""
    """The action with which a person can repair it."""


CODE = Cause("code")


def environment(kind: CauseKind, sentence: str, remedy: str) -> Cause:
    """Return a cause that no change of the code can repair."""
    return Cause("environment", kind, sentence, remedy)


def doubtful(kind: CauseKind, sentence: str, remedy: str = "") -> Cause:
    """Return a cause that may be the code or the environment."""
    return Cause("doubtful", kind, sentence, remedy)


def list_left_out(causes: Mapping[str, Cause], verdict: Verdict = "environment") -> tuple[LeftOut, ...]:
    """Group the tests with this verdict by reason. `causes`: test id -> cause."""
    tests: dict[tuple[str, str], list[str]] = {}
    for test, cause in causes.items():
        if cause.verdict == verdict:
            tests.setdefault((cause.sentence, cause.remedy), []).append(test)
    return tuple((tuple(names), sentence, remedy) for (sentence, remedy), names in tests.items())


def leave_out_suite(cause: Cause) -> tuple[LeftOut, ...]:
    """Return the entry for a suite without a result; empty unless the environment is the known reason."""
    return (((), cause.sentence, cause.remedy),) if cause.verdict == "environment" else ()


def render_left_out(left_out: Sequence[LeftOut]) -> str:
    """Render the tests that the environment broke, with the remedies."""
    parts = ((f"{_render_tests(tests)}{to_one_line(why)}", to_one_line(remedy)) for tests, why, remedy in left_out)
    return join_and_count(["; ".join(filter(None, part)) for part in parts], _MAX_REASONS, between="; ")


def render_doubts(doubts: Sequence[LeftOut], tests: Collection[str]) -> str:
    """Render why each of these tests may be the environment's fault; empty if none is in doubt."""
    open_doubts = [(why, remedy) for names, why, remedy in doubts if not {*names}.isdisjoint(tests)]
    reasons = [to_one_line("; ".join(filter(None, doubt))) for doubt in open_doubts]
    head = "; in doubt, so with one attempt each, because the environment may be at fault: "
    return head + join_and_count(reasons, _MAX_REASONS, between="; ") if reasons else ""


def _render_tests(tests: Sequence[str]) -> str:
    if not tests:
        return ""
    return f"{pluralize(len(tests), 'test')}, not the code's fault ({join_few([*map(to_one_line, tests)])}): "
