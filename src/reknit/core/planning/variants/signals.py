"""Signals: what code sees in a repository for or against a variant. The weights are in the variants' files."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from reknit.core.forge.open_work import OpenIssue, OpenPull
from reknit.core.planning.context import AI_WELCOME, RepoContext
from reknit.core.planning.variants.floors import changed_files
from reknit.core.planning.variants.labels import is_critical_label, is_critical_title, is_priority, points
from reknit.core.text.format import counted, first_and_more, words

RED_PULLS = 2
STATE_DAYS = 14
SMALL_POINTS = 3
SMALL_ISSUES = 10
HEAVY_FILES = 50
HEAVY_LINES = 1_500
CONFLICTS = 2
LONG_BACKLOG = 30
_TITLE = 60


@dataclass(frozen=True)
class Signal:
    name: str
    looks_for: str
    number: str
    """From which on it counts."""
    why: str
    """Why that number."""
    find: Callable[[RepoContext], str]
    """What was found, for people; empty: nothing."""


def _missing_governance(context: RepoContext) -> str:
    return _listed("missing", context.governance_missing)


def _red_ci(context: RepoContext) -> str:
    red = [f"#{pull.number}" for pull in context.pulls if pull.red_checks]
    return _listed(f"CI is red on {len(red)} pull requests", red) if len(red) >= RED_PULLS else ""


def _stale_state(context: RepoContext) -> str:
    days = context.state_age_days
    return f"STATE.md was updated {days} days ago" if days is not None and days > STATE_DAYS else ""


def _stale_docs(context: RepoContext) -> str:
    return _listed("stale", context.docs_stale)


def _missing_docs(context: RepoContext) -> str:
    return _listed("missing", context.docs_missing)


def _small_issues(context: RepoContext) -> str:
    on_forge = sum(1 for issue in context.issues if _is_small(issue.labels))
    in_ledger = sum(count for size, count in context.inventory.issues if size <= SMALL_POINTS)
    found = on_forge + in_ledger
    text = f"{found} issues of at most {SMALL_POINTS} points and without a priority"
    return f"{text} ({on_forge} on the forge, {in_ledger} in the ledger)" if found >= SMALL_ISSUES else ""


def _is_small(labels: tuple[str, ...]) -> bool:
    size = points(labels)
    return size is not None and size <= SMALL_POINTS and not any(map(is_priority, labels))


def _heavy_refactor(context: RepoContext) -> str:
    changes = [(f"#{pull.number}", pull.files, pull.lines) for pull in context.pulls]
    if not context.on_default_branch:
        name = words(context.branch, _TITLE) or "that is checked out"
        changes.insert(0, (f"the branch {name}", context.branch_files, context.branch_lines))
    heavy = [
        f"{name} changes {counted(files, 'file')} and {counted(lines, 'line')}"
        for name, files, lines in changes
        if files > HEAVY_FILES or lines > HEAVY_LINES
    ]
    return first_and_more(heavy, between="; ")


def _critical_incident(context: RepoContext) -> str:
    opened: tuple[OpenIssue | OpenPull, ...] = (*context.issues, *context.pulls)
    found = [
        f"#{each.number} “{words(each.title, _TITLE)}”"
        for each in opened
        if is_critical_title(each.title) or any(map(is_critical_label, each.labels))
    ]
    return first_and_more(found)


def _ai_welcome(context: RepoContext) -> str:
    found = [f"#{issue.number}" for issue in context.welcoming_issues]
    return _listed(f"{counted(len(found), 'issue')} labelled {AI_WELCOME}", found)


def _conflicted_pulls(context: RepoContext) -> str:
    found = [f"#{pull.number}" for pull in context.pulls if pull.merge_state == "dirty"]
    return _listed(f"{len(found)} pull requests in conflict", found) if len(found) >= CONFLICTS else ""


def _long_backlog(context: RepoContext) -> str:
    found = len(context.issues) + sum(count for _, count in context.inventory.issues)
    return f"{found} open issues" if found >= LONG_BACKLOG else ""


def _uncommitted_changes(context: RepoContext) -> str:
    changed = changed_files(context)
    return f"{counted(len(changed), 'file')} changed since the last commit" if changed else ""


def _no_tests(context: RepoContext) -> str:
    return "" if context.inventory.tests else "no test command was found"


def _nothing_stands_out(context: RepoContext) -> str:
    others = (signal for signal in SIGNALS if signal.find is not _nothing_stands_out)
    return "" if any(signal.find(context) for signal in others) else "no other signal was found"


def _listed(head: str, names: tuple[str, ...] | list[str]) -> str:
    return f"{head}: {first_and_more([words(name, _TITLE) for name in names])}" if names else ""


SIGNALS: tuple[Signal, ...] = (
    Signal(
        "missing-governance", "CHANGELOG, dependabot, CODEOWNERS, LICENSE and the like", "1 file",
        "each missing file is one small task of its own", _missing_governance,
    ),
    Signal(
        "red-ci", "open pull requests whose CI is red", f"{RED_PULLS} pull requests",
        "one red pull request is its author's; more than one has a common cause or nobody looks", _red_ci,
    ),
    Signal(
        "stale-state", "STATE.md, by `updated` in its frontmatter", f"more than {STATE_DAYS} days",
        "two weeks are one usual iteration: older, it describes the one before", _stale_state,
    ),
    Signal(
        "stale-docs", "docs with `status: stale`, or updated more than 30 days ago", "1 file",
        "the date or the author says that its text can no longer be relied on", _stale_docs,
    ),
    Signal(
        "missing-docs", "docs that a repository usually has", "1 file",
        "each missing file is one task of its own", _missing_docs,
    ),
    Signal(
        "small-issues", f"issues of at most {SMALL_POINTS} points without a priority, on the forge or in the ledger",
        f"{SMALL_ISSUES} issues",
        "fewer are one run in any order; with ten the order decides what gets done", _small_issues,
    ),
    Signal(
        "heavy-refactor", "what the branch or an open pull request changes",
        f"more than {HEAVY_FILES} files or {HEAVY_LINES:,} lines",
        "nobody reviews more than that in one sitting, so other work has to keep clear of it", _heavy_refactor,
    ),
    Signal(
        "critical-incident", "open issues and pull requests that are critical, an incident, an outage, p0 …", "1",
        "one incident outranks everything else", _critical_incident,
    ),
    Signal(
        "ai-welcome", f"open issues labelled {AI_WELCOME}", "1 issue",
        "a person chose it for this kind of work", _ai_welcome,
    ),
    Signal(
        "conflicted-pulls", "open pull requests that cannot be merged", f"{CONFLICTS} pull requests",
        "one conflict is its author's; several disagree about a state that someone must decide", _conflicted_pulls,
    ),
    Signal(
        "long-backlog", "open issues, on the forge or in the ledger", f"{LONG_BACKLOG} issues",
        "three times what counts as many: more than a usual run takes", _long_backlog,
    ),
    Signal(
        "uncommitted-changes", "files that differ from the last commit", "1 file",
        "somebody is at work here, and a run does not see what is not committed", _uncommitted_changes,
    ),
    Signal(
        "no-tests", "a test command", "none",
        "without tests nothing proves that a change is right", _no_tests,
    ),
    Signal(
        "nothing-stands-out", "any other signal", "none",
        "where nothing speaks for a kind of work, looking comes first", _nothing_stands_out,
    ),
)  # fmt: skip
NAMES = tuple(signal.name for signal in SIGNALS)


def measure(context: RepoContext) -> Mapping[str, str]:
    """Signal -> what was found, in the order of the table."""
    return dict(_found(context))


def _found(context: RepoContext) -> Iterator[tuple[str, str]]:
    for signal in SIGNALS:
        if evidence := signal.find(context):
            yield signal.name, evidence
