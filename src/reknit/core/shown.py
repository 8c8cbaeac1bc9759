"""What the three checks of a pull request saw, in a few words each."""

from collections.abc import Sequence

from reknit.core import ci
from reknit.core.decision import Part
from reknit.core.picture import CiSeen, Picture, ReviewSeen, TestsSeen
from reknit.core.redact import clean, redact
from reknit.core.wording import one_line

SIGNS = {"pass": "✓", "fail": "✗", "pending": "…", "error": "!"}
_PARTS = {"tests": "tests", "ci": "CI", "review": "review"}


def shown(picture: Picture) -> tuple[str, str, str]:
    """Review, tests and CI in a few words each."""
    return review_shown(picture.review), tests_shown(picture.tests), ci_shown(picture.ci)


def review_shown(seen: ReviewSeen) -> str:
    if seen.status == "error":
        return "not seen"
    counts = weighed(
        sum(finding.weight == "critical" for finding in seen.findings),
        sum(finding.weight == "important" for finding in seen.findings),
    )
    return counts or "passed"


def tests_shown(seen: TestsSeen) -> str:
    if seen.status == "error":
        return "not seen"
    counted = f"{len(seen.findings)} failed" if seen.status == "fail" else f"{seen.passed} passed"
    return f"{counted}, {len(seen.flaky)} flaky" if seen.flaky else counted


def ci_shown(seen: CiSeen) -> str:
    if seen.status == "pending" and not seen.checks:
        return "no check yet"
    return one_line(redact(clean(ci.counts(seen))))[:60]


def signed(status: str, said: str) -> str:
    return f"{SIGNS[status]} {said.removeprefix('… ')}"


def fix_for(parts: Sequence[Part]) -> str:
    """The same words before it is done and after."""
    return f"fix {', then '.join(_PARTS[part] for part in parts)}"


def weighed(critical: int, important: int) -> str:
    """Empty: nothing."""
    counts = ((critical, "critical"), (important, "important"))
    return ", ".join(f"{count} {word}" for count, word in counts if count)
