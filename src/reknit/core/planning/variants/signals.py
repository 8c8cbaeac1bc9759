"""Measures signals for or against a variant in a repository. The weights are in the variants' files."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from reknit.core.forge.values import OpenIssue, OpenPull
from reknit.core.planning.context import AI_WELCOME, RepoContext
from reknit.core.planning.plan_file.plan import PLANS
from reknit.core.text.format import join_and_count, pluralize, sanitize_line

_POINTS = re.compile(r"(?:story[ -]?points?|points?|effort|estimate|size|sp)(?: ?[:/=-] ?| )(\w+)")
_POINTS_LAST = re.compile(r"(\d{1,2}) ?(?:points?|pts?|sp)")
_SIZES = {
    "xs": 1, "s": 1, "tiny": 1, "small": 1, "low": 1, "trivial": 1, "m": 3, "medium": 3,
    "l": 5, "large": 5, "high": 5, "xl": 8, "xxl": 13, "huge": 13,
}  # fmt: skip
"""Points per size, with the weights of tasks: S 1, M 3, L 5."""
_PRIORITY = re.compile(r"(?<![\w-])(?:priority|prio|urgent|critical|blocker|p[0-4])(?![\w-])")
_CRITICAL_LABEL = re.compile(r"(?<![\w-])(?:critical|incident|outage|sev-?[01]|p0)(?![\w-])")
GOVERNANCE_FILES = 2
RED_PULLS = 2
STATE_DAYS = 14
SMALL_POINTS = 3
SMALL_ISSUES = 10
HEAVY_FILES = 50
HEAVY_LINES = 1_500
CONFLICTS = 2
LONG_BACKLOG = 30
_TITLE = 60


def find_points(labels: Iterable[str]) -> int | None:
    """Return the largest estimate that a label names; None: none does."""
    sizes = [size for label in labels if (size := _parse_points(label.casefold().strip())) is not None]
    return max(sizes, default=None)


def _parse_points(label: str) -> int | None:
    match = _POINTS.fullmatch(label) or _POINTS_LAST.fullmatch(label)
    if not match:
        return None
    word = match[1]
    return int(word) if word.isascii() and word.isdigit() and len(word) < 3 else _SIZES.get(word)


def is_priority(label: str) -> bool:
    """Return True if a label sets a priority."""
    return bool(_PRIORITY.search(label.casefold()))


def is_critical_label(label: str) -> bool:
    """Return True if a label marks an incident."""
    return bool(_CRITICAL_LABEL.search(label.casefold()))


@dataclass(frozen=True)
class Signal:
    """One property of a repository that code can detect."""

    name: str
    looks_for: str
    number: str
    """The threshold, for people."""
    why: str
    """Why that number."""
    find: Callable[[RepoContext], str]
    """Returns the evidence, for people; empty: none."""


def _detect_missing_governance(context: RepoContext) -> str:
    missing = context.governance_missing
    return _format_list("missing", missing) if len(missing) >= GOVERNANCE_FILES else ""


def _detect_red_ci(context: RepoContext) -> str:
    red = [f"#{pull.number}" for pull in context.pulls if pull.red_checks]
    return _format_list(f"CI is red on {len(red)} pull requests", red) if len(red) >= RED_PULLS else ""


def _detect_stale_state(context: RepoContext) -> str:
    days = context.state_age_days
    return f"STATE.md was updated {days} days ago" if days is not None and days > STATE_DAYS else ""


def _detect_stale_docs(context: RepoContext) -> str:
    return _format_list("stale", context.docs_stale)


def _detect_missing_docs(context: RepoContext) -> str:
    return _format_list("missing", context.docs_missing)


def _detect_small_issues(context: RepoContext) -> str:
    on_forge = sum(1 for issue in context.issues if _is_small(issue.labels))
    in_ledger = sum(count for size, count in context.inventory.issues if size <= SMALL_POINTS)
    total = on_forge + in_ledger
    text = f"{total} issues of at most {SMALL_POINTS} points and without a priority"
    return f"{text} ({on_forge} on the forge, {in_ledger} in the ledger)" if total >= SMALL_ISSUES else ""


def _is_small(labels: tuple[str, ...]) -> bool:
    size = find_points(labels)
    return size is not None and size <= SMALL_POINTS and not any(map(is_priority, labels))


def _detect_heavy_refactor(context: RepoContext) -> str:
    changes = [(f"#{pull.number}", pull.files, pull.lines) for pull in context.pulls]
    if not context.on_default_branch:
        name = sanitize_line(context.branch, _TITLE) or "that is checked out"
        changes.insert(0, (f"the branch {name}", context.branch_files, context.branch_lines))
    heavy = [
        f"{name} changes {pluralize(files, 'file')} and {pluralize(lines, 'line')}"
        for name, files, lines in changes
        if files > HEAVY_FILES or lines > HEAVY_LINES
    ]
    return join_and_count(heavy, between="; ")


def _detect_critical_incident(context: RepoContext) -> str:
    opened: tuple[OpenIssue | OpenPull, ...] = (*context.issues, *context.pulls)
    incidents = [
        f"#{item.number} “{sanitize_line(item.title, _TITLE)}”"
        for item in opened
        if any(map(is_critical_label, item.labels))
    ]
    return join_and_count(incidents)


def _detect_ai_welcome(context: RepoContext) -> str:
    numbers = [f"#{issue.number}" for issue in context.welcoming_issues]
    return _format_list(f"{pluralize(len(numbers), 'issue')} labelled {AI_WELCOME}", numbers)


def _detect_conflicted_pulls(context: RepoContext) -> str:
    numbers = [f"#{pull.number}" for pull in context.pulls if pull.merge_state == "dirty"]
    return _format_list(f"{len(numbers)} pull requests in conflict", numbers) if len(numbers) >= CONFLICTS else ""


def _detect_long_backlog(context: RepoContext) -> str:
    total = len(context.issues) + sum(count for _, count in context.inventory.issues)
    return f"{total} open issues" if total >= LONG_BACKLOG else ""


def list_changed_files(context: RepoContext) -> tuple[str, ...]:
    """Return the uncommitted files except plans: an uncommitted plan must not block its own variant."""
    return tuple(path for path in context.changed if not path.startswith(f"{PLANS}/"))


def _detect_uncommitted_changes(context: RepoContext) -> str:
    changed = list_changed_files(context)
    return f"{pluralize(len(changed), 'file')} changed since the last commit" if changed else ""


def _detect_no_tests(context: RepoContext) -> str:
    return "" if context.inventory.tests else "no test command was found"


def _detect_nothing(context: RepoContext) -> str:
    others = (signal for signal in SIGNALS if signal.find is not _detect_nothing)
    return "" if any(signal.find(context) for signal in others) else "no other signal was found"


def _format_list(head: str, names: tuple[str, ...] | list[str]) -> str:
    return f"{head}: {join_and_count([sanitize_line(name, _TITLE) for name in names])}" if names else ""


SIGNALS: tuple[Signal, ...] = (
    Signal(
        "missing-governance", "CHANGELOG, dependabot, CODEOWNERS, LICENSE and the like", f"{GOVERNANCE_FILES} files",
        "nearly every repository lacks one of them", _detect_missing_governance,
    ),
    Signal(
        "red-ci", "open pull requests whose CI is red", f"{RED_PULLS} pull requests",
        "one red pull request is its author's; more than one has a common cause or nobody looks", _detect_red_ci,
    ),
    Signal(
        "stale-state", "STATE.md, by `updated` in its frontmatter", f"more than {STATE_DAYS} days",
        "two weeks are one usual iteration: older, it describes the one before", _detect_stale_state,
    ),
    Signal(
        "stale-docs", "docs with `status: stale`, or updated more than 30 days ago", "1 file",
        "the date or the author says that its text can no longer be relied on", _detect_stale_docs,
    ),
    Signal(
        "missing-docs", "docs that a repository usually has", "1 file",
        "each missing file is one task of its own", _detect_missing_docs,
    ),
    Signal(
        "small-issues", f"issues of at most {SMALL_POINTS} points without a priority, on the forge or in the ledger",
        f"{SMALL_ISSUES} issues",
        "fewer are one run in any order; with ten the order decides what gets done", _detect_small_issues,
    ),
    Signal(
        "heavy-refactor", "what the branch or an open pull request changes",
        f"more than {HEAVY_FILES} files or {HEAVY_LINES:,} lines",
        "nobody reviews more than that in one sitting, so other work has to keep clear of it", _detect_heavy_refactor,
    ),
    Signal(
        "critical-incident", "open issues and pull requests labelled critical, incident, outage, sev0, p0 …", "1",
        "one incident outranks everything else", _detect_critical_incident,
    ),
    Signal(
        "ai-welcome", f"open issues labelled {AI_WELCOME}", "1 issue",
        "a person chose it for this kind of work", _detect_ai_welcome,
    ),
    Signal(
        "conflicted-pulls", "open pull requests that cannot be merged", f"{CONFLICTS} pull requests",
        "one conflict is its author's; several disagree about a state that someone must decide",
        _detect_conflicted_pulls,
    ),
    Signal(
        "long-backlog", "open issues, on the forge or in the ledger", f"{LONG_BACKLOG} issues",
        "three times as many as `small-issues` asks for: more than one run usually takes", _detect_long_backlog,
    ),
    Signal(
        "uncommitted-changes", "files that differ from the last commit", "1 file",
        "somebody is at work here, and a run does not see what is not committed", _detect_uncommitted_changes,
    ),
    Signal(
        "no-tests", "a test command", "none",
        "without tests nothing proves that a change is right", _detect_no_tests,
    ),
    Signal(
        "nothing-stands-out", "any other signal", "none",
        "no signal favours a kind of work, so a review comes first", _detect_nothing,
    ),
)  # fmt: skip
NAMES = tuple(signal.name for signal in SIGNALS)


def measure_signals(context: RepoContext) -> Mapping[str, str]:
    """Return signal -> evidence, in the order of the table."""
    return {signal.name: evidence for signal in SIGNALS if (evidence := signal.find(context))}
