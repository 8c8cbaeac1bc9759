"""Read code-scanning alerts of the default branch as results of the tools that raised them."""

import re
from collections.abc import Iterator, Mapping

from reknit.adapters.github.api.failures import ApiRefusalError
from reknit.adapters.github.api.requests import GitHubApi
from reknit.adapters.github.api.rest_models import Alert, AlertPlace, AlertSeen, AlertText
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

_MOST_PAGES = 1_000
"""Maximum number of pages: 100,000 alerts, a fifth of the requests a token may make per hour."""
_NEEDS = "alerts need code scanning enabled, an analysis of the default branch, and a token that may read them"
_LINK = re.compile(r"\[([^\[\]]{0,2000})\]\(\d{1,9}\)")
"""Matches a link to a related location, as SARIF embeds it in text; like our SARIF reader, keep only the words."""
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
    """Yield the alerts, oldest first, so that a new one shifts none to another page; each is yielded once."""
    path = f"/repos/{slug}/code-scanning/alerts?state=open&sort=created&direction=asc&per_page=100"
    met: set[int] = set()
    try:
        for page in api.pages(tuple[Alert, ...], path, most=_MOST_PAGES):
            fresh = [alert for alert in page if alert.number not in met]
            met.update(alert.number for alert in fresh)
            yield from map(_to_result, fresh)
    except ApiRefusalError as problem:
        if problem.failure.kind not in ("missing", "forbidden"):
            raise
        raise ForgeError(
            ForgeFailure(problem.failure.kind, f"{problem.failure.detail.rstrip('.')} ({_NEEDS})")
        ) from None


def _to_result(alert: Alert) -> ReportResult:
    """Convert an alert, without a fingerprint: a report of the same tool could not contain the alert's number."""
    rule, instance = alert.rule, alert.most_recent_instance or AlertSeen()
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
