"""Renders what a run does now for a live view: the finding, the attempt, the agent's work, tests, money and time."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from reknit.core.live.activity import Activity
from reknit.core.run_text import describe_step
from reknit.core.runs.event import Event
from reknit.core.runs.spending import format_maximum
from reknit.core.runs.view import RunView
from reknit.core.text.format import format_seconds, pluralize, to_one_line
from reknit.core.text.truncate import truncate_columns

_READ = ("reviewed", "second_look", "review_rests")
"""Kinds of the events that end the reading of a reviewer."""
_STRATEGIES = {"local": "", "search": "may search the web", "deep": "looks deeper"}
_BAR = 24
"""Columns of a bar."""
_NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True)
class LiveFacts:
    """Facts about the work in progress, taken from the events so far."""

    findings: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """Id -> name, in their order."""
    finding: str = ""
    attempt: int = 0
    strategy: str = ""
    agent: str = ""
    readers: tuple[str, ...] = ()
    """Reviewers that read at the moment."""


def follow_event(facts: LiveFacts, event: Event) -> LiveFacts:
    """Return the facts after an event."""
    data = event.data
    if event.kind == "baseline":
        findings = data.get("findings")
        known = findings if isinstance(findings, list) else []
        return replace(facts, findings={str(one["id"]): _shorten(str(one["test"])) for one in known})
    if event.kind == "attempt":
        finding, number = str(data.get("finding", "")), data.get("attempt")
        attempt = number if isinstance(number, int) else 0
        strategy, agent = str(data.get("strategy", "")), str(data.get("agent", ""))
        return replace(facts, finding=finding, attempt=attempt, strategy=strategy, agent=agent)
    name = str(data.get("reviewer", ""))
    others = tuple(reader for reader in facts.readers if reader != name)
    if event.kind == "review_begins":
        return replace(facts, readers=(*others, name))
    return replace(facts, readers=others) if event.kind in _READ else facts


def _shorten(test: str) -> str:
    return to_one_line(test.rsplit("::", 1)[-1])


def render_panel(
    run: RunView, facts: LiveFacts, activity: Activity, *, since_s: float, now: float, width: int
) -> list[str]:
    """Return the lines of the panel; none is longer than the width."""
    lines = [
        *_render_finding(facts),
        *_render_step(run, facts, since_s, width),
        *(f"  {line}" for line in activity.lines),
        *render_tests(activity),
        _spread(_render_money(run), f"{format_seconds(now - run.created_at)} in all", width),
    ]
    return [truncate_columns(line, width) for line in lines]


def _render_finding(facts: LiveFacts) -> list[str]:
    if facts.readers:
        return [f"review by {', '.join(facts.readers)}"]
    if not facts.finding:
        return []
    names = [*facts.findings]
    place = f"{names.index(facts.finding) + 1} of {len(names)}  " if facts.finding in names else ""
    return [f"{place}{facts.findings.get(facts.finding, facts.finding)}"]


def _render_step(run: RunView, facts: LiveFacts, since_s: float, width: int) -> list[str]:
    parts = [f"attempt {facts.attempt}" if facts.attempt else "", _STRATEGIES.get(facts.strategy, ""), facts.agent]
    step = run.reason if run.state == "waiting" else describe_step(run) or "starting"
    return [_spread(" · ".join(filter(None, [*parts, step])), format_seconds(since_s), width)]


def render_tests(activity: Activity) -> list[str]:
    """Return how many tests have run, with a bar if it is known how many there are."""
    if not activity.tests_done and not activity.tests_to_do:
        return []
    if not activity.tests_to_do:
        return [f"  {pluralize(activity.tests_done, 'test')} so far"]
    filled = _BAR * activity.tests_done // activity.tests_to_do
    return [
        f"  {'━' * filled}{'·' * (_BAR - filled)}  {activity.tests_done} of {pluralize(activity.tests_to_do, 'test')}"
    ]


def _render_money(run: RunView) -> str:
    reserved = f" · up to {format_maximum(run.held_usd)} reserved" if run.held_usd else ""
    return f"${run.spent_usd:.2f} spent{reserved} · limit ${run.budget_usd:.2f}"


def _spread(left: str, right: str, width: int) -> str:
    """Return a line with one text at each end. The left one is cut if both do not fit."""
    space = width - len(right) - 2
    return f"{truncate_columns(left, space):<{space}}  {right}" if space > 0 else truncate_columns(left, width)
