"""The typed endings of a run, the exit code of each, and the checks behind the good ones.

docs/concepts/endings.md is generated from the table of checks.
"""

from dataclasses import dataclass
from typing import Literal

EndingWord = Literal[
    "CLEAN", "FIXED", "PARTIAL", "DEFERRED", "STALLED", "CHURN", "EXHAUSTED", "OVER_BUDGET", "UNVERIFIED", "BLOCKED",
    "CANCELLED", "FAILED",
]  # fmt: skip

EXIT_CODES: dict[str, int] = {
    "CLEAN": 0, "FIXED": 0,
    "PARTIAL": 1, "DEFERRED": 1, "STALLED": 1, "CHURN": 1, "EXHAUSTED": 1, "OVER_BUDGET": 1, "BLOCKED": 1,
    "CANCELLED": 1, "UNVERIFIED": 5, "FAILED": 70,
}  # fmt: skip

LOGIN = "login"
"""Cause of a BLOCKED run: a login or a key is missing, or was rejected."""
TRIED, REMEMBERED = "tried", "remembered"
"""Causes of a DEFERRED run: every last attempt was finished and judged; or nothing has changed since such a run."""
ENVIRONMENT = "environment"
"""Cause of a BLOCKED run: every red test is the environment's fault."""
NO_SUCH_TEST = "no test"
"""The first words of the reason if a named test did not run."""
UNPROVEN_BY_HOLDOUT = "UNPROVEN by hold-out"
"""The first words of the reason if further cases of another agent failed."""
WAIVER = "waiver"
"""Cause of a BLOCKED run: only a person may allow what would mend it."""
LOGIN_EXIT_CODE = 4
INTERRUPTED_EXIT_CODE = 130


@dataclass(frozen=True)
class Ending:
    """The typed ending of a run."""

    word: EndingWord
    reason: str
    """One sentence for a person."""
    cause: str = ""
    """Fixed word for the reason: `login`, `conflict`, `environment`, `waiver` if BLOCKED; `remembered` if DEFERRED."""
    fixed: tuple[str, ...] = ()
    """Ids of the findings that were fixed and proven."""
    left: tuple[str, ...] = ()
    """Ids of the findings that remain."""
    allow: str = ""
    """Options by which a person allows what the run needs; empty if they would help a cheat, or if none helps."""

    @property
    def exit_code(self) -> int:
        return find_exit_code(self.word, self.cause)


def find_exit_code(word: str, cause: str) -> int:
    """Return the exit code of an ending; a missing login has one of its own."""
    return LOGIN_EXIT_CODE if cause == LOGIN else EXIT_CODES[word]
