"""Reads code-scanning alerts of the default branch as results of the tools that raised them."""

import re
from collections.abc import Iterator, Mapping

from reknit.adapters.github.api.failures import ApiRefusalError
from reknit.adapters.github.api.requests import GitHubApi
from reknit.adapters.github.api.rest_models import Alert, AlertInstance, AlertPlace, AlertText
from reknit.core.finding import Weight
from reknit.core.forge.values import ForgeError, ForgeFailure
from reknit.core.issues.formats.report import (
    MESSAGE_CHARS,
    TOOL_CHARS,
    URL_CHARS,
    bound_text,
    check_path,
    check_position,
    choose_rule_name,
)
from reknit.core.issues.model import ReportResult

_MAX_PAGES = 1_000
"""Maximum pages to read, for 100,000 alerts. A token may make 5,000 requests per hour."""
_NEEDS = "alerts need code scanning enabled, an analysis of the default branch, and a token that may read them"
_LINK = re.compile(r"\[([^\[\]]{0,2000})\]\(\d{1,9}\)")
"""Matches a SARIF link to a related location. Only its text is kept, as in our SARIF reader."""
_WEIGHTS: Mapping[str, Weight] = {
    "critical": "critical",
    "high": "critical",
    "error": "critical",
    "medium": "important",
    "warning": "important",
    "low": "minor",
    "note": "minor",
    "none": "minor",
}


def read_alerts(api: GitHubApi, slug: str) -> Iterator[ReportResult]:
    """Yield each open alert once, oldest first, so that new alerts do not move others to another page."""
    path = f"/repos/{slug}/code-scanning/alerts?state=open&sort=created&direction=asc&per_page=100"
    known_numbers: set[int] = set()
    try:
        for page in api.pages(tuple[Alert, ...], path, most=_MAX_PAGES):
            fresh = [alert for alert in page if alert.number not in known_numbers]
            known_numbers.update(alert.number for alert in fresh)
            yield from map(_to_result, fresh)
    except ApiRefusalError as problem:
        if problem.failure.kind not in ("missing", "forbidden"):
            raise
        raise ForgeError(
            ForgeFailure(problem.failure.kind, f"{problem.failure.detail.rstrip('.')} ({_NEEDS})")
        ) from None


def _to_result(alert: Alert) -> ReportResult:
    """Convert an alert. It has no fingerprint, because reports of the same tool do not contain its number."""
    rule, instance = alert.rule, alert.most_recent_instance or AlertInstance()
    place, message = instance.location or AlertPlace(), instance.message or AlertText()
    text = _LINK.sub(r"\1", (message.text or rule.description or "")[: 2 * MESSAGE_CHARS])
    return ReportResult(
        tool=bound_text(alert.tool.name, TOOL_CHARS).strip() or "code scanning",
        rule=choose_rule_name(rule.id, rule.name),
        path=check_path(place.path),
        line=check_position(place.start_line),
        column=check_position(place.start_column),
        message=bound_text(text, MESSAGE_CHARS),
        weight=_choose_weight(rule.security_severity_level, rule.severity),
        url=bound_text(alert.html_url, URL_CHARS),
    )


def _choose_weight(*levels: str | None) -> Weight:
    """Return the most severe of several levels."""
    weights = {_WEIGHTS.get(level, "important") for level in levels if level}
    if "critical" in weights:
        return "critical"
    return "minor" if weights == {"minor"} else "important"
