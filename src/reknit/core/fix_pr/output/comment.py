"""The comment that a run writes on its pull request: what was wrong, what fixed it, what is left, and why."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reknit.core.fix_pr.checks import add_sign
from reknit.core.fix_pr.output.fixes import FixRecord, TracedFinding, describe_tries, read_fixes, trace_findings
from reknit.core.fix_pr.output.record import IterationRecord, Record, RemainingFinding, fold_repeats, read_record
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.gate.waiver import MAX_NAMED_WAIVERS
from reknit.core.runs.ending import Ending
from reknit.core.runs.spending import Spending, render_spending_sentence
from reknit.core.text.forge_text import escape_markdown, escape_prose, to_code_span
from reknit.core.text.format import (
    MAX_COMMENT_CHARS,
    join_and_count,
    pluralize,
    sanitize_line,
    take_fitting,
)

ROWS, MAX_TABLE_CHARS = 30, 15_000
"""Maximum size of the table of iterations; the findings come first."""
MAX_FACT_CHARS = 5_000
_RESERVED_CHARS = 2_000
"""Characters that the lists of findings leave free, as a safety margin."""
_REASON_CHARS = 1_500
_LABELS = {"CLEAN": "Not blocking", "FIXED": "Not blocking", "BLOCKED": "Left", "CANCELLED": "Left", "FAILED": "Left"}
_HEAD = "| iter | review | tests | CI | did | cost |\n|--|--|--|--|--|--|"
_FINDINGS_HEAD = "| what was wrong | where | fixed by | proven by |\n|--|--|--|--|"
_NOUNS = {"tests": "failing test", "ci": "failing check", "review": "review finding", "tool": "finding"}


def render_comment(
    run_id: str,
    target: FixPullRequest,
    state: Mapping[str, Any],
    ending: Ending | None,
    *,
    money: Spending,
    hop: int,
    activity: str = "",
) -> str:
    """Render the comment as Markdown. `state`: the course document as it was stored; `activity`: what the run does."""
    heading = f"### reknit: {_format_state(read_record(state), ending)}"
    body = render_body(run_id, target, state, ending, money, activity)
    return f"{heading}\n\n{body}\n\n<!-- reknit-hop: {hop} -->\n"


def render_body(
    run_id: str,
    target: FixPullRequest,
    state: Mapping[str, Any],
    ending: Ending | None,
    money: Spending,
    activity: str = "",
) -> str:
    """Render everything below the heading."""
    record, fixes = read_record(state), read_fixes(state)
    traced = trace_findings(record, fixes)
    left = record.left if record.is_settled else ()
    above = [_render_summary(record, traced, fixes, ending), *_render_reason(record, ending, activity)]
    below = [
        *_render_suggestions(record),
        *_render_facts(record),
        *_render_details(target, record, fixes, money, has_ended=ending is not None),
        _render_footer(run_id, target, ending),
    ]
    space = MAX_COMMENT_CHARS - _RESERVED_CHARS - sum(len(part) + 2 for part in (*above, *below))
    table = [*_render_findings(traced, {finding.key for finding in left}, fixes, space // 2)]
    space -= sum(len(part) + 2 for part in table)
    return "\n\n".join([*above, *table, *_render_remaining(record, traced, ending, space), *below])


def _format_state(record: Record, ending: Ending | None) -> str:
    if ending is None:
        return f"in progress, iteration {record.under_way}"
    if ending.word == "CLEAN":
        return "this pull request is clean"
    count = (record.critical + record.important if record.is_settled else 0) or len(ending.left)
    if ending.word == "FIXED" or not count:
        return ending.word
    return f"{ending.word}, {pluralize(count, 'finding')} left"


def _render_summary(
    record: Record, traced: Sequence[TracedFinding], fixes: Sequence[FixRecord], ending: Ending | None
) -> str:
    """Say in one or two sentences what was wrong and what was changed."""
    known = {entry.finding.key: entry.finding for entry in traced} | {entry.key: entry for entry in record.left}
    kinds = Counter(finding.source for finding in known.values())
    counts = [pluralize(kinds[source], noun) for source, noun in _NOUNS.items() if kinds[source]]
    if not counts:
        return "reknit has changed nothing." if ending else "reknit is checking this pull request."
    commits = [fix for fix in fixes if fix.commit]
    fixed = sum(bool(entry.proof) for entry in traced)
    wrong = f"It had {' and '.join(filter(None, [', '.join(counts[:-1]), counts[-1]]))}."
    if not commits:
        return f"{wrong} reknit has changed nothing."
    share = "None is" if not fixed else f"{fixed} of {len(known)} {'is' if fixed == 1 else 'are'}"
    share = "All are" if fixed == len(known) > 1 else share
    briefs = list(dict.fromkeys(fix.brief for fix in commits if fix.brief))
    change = f" What changed: {escape_markdown(join_and_count(briefs, between='; '))}." if briefs else ""
    return f"{wrong} {share} known to be fixed, after {pluralize(len(commits), 'commit')}.{change}"


def _render_reason(record: Record, ending: Ending | None, activity: str) -> Iterator[str]:
    if ending is None:
        last = record.commits[-1][:7] if record.commits and not record.is_settled else ""
        looks = f"looks at {last or 'the pull request'} again: tests, CI and review"
        yield f"**Now** it {escape_markdown(sanitize_line(activity or looks))}. No action needed."
        return
    label = "Needs you" if ending.word == "BLOCKED" else "Why"
    yield f"**{label}** {escape_prose(sanitize_line(ending.reason, _REASON_CHARS))}"


def _render_findings(
    traced: Sequence[TracedFinding], open_keys: set[str], fixes: Sequence[FixRecord], space: int
) -> Iterator[str]:
    """Render one row for each finding that a fix was for and that does not remain."""
    settled = [entry for entry in traced if entry.finding.key not in open_keys]
    if not settled:
        return
    rows = take_fitting([_render_finding_row(entry) for entry in settled], space - len(_FINDINGS_HEAD))
    more = len(settled) - len(rows) + sum(fix.count - len(fix.findings) for fix in fixes)
    yield "\n".join([_FINDINGS_HEAD, *rows, *([f"| … and {more} more | | | |"] if more > 0 else [])])


def _render_finding_row(entry: TracedFinding) -> str:
    commits = [
        f"{fix.commit[:7]} in {escape_markdown(', '.join(fix.files))}" if fix.files else fix.commit[:7]
        for fix in entry.commits[-1:]
    ]
    by = commits[0] if commits else f"no commit; {escape_markdown(describe_tries(entry.fixes))}"
    proof = entry.proof if commits else "no longer reported" if entry.proof else ""
    cells = escape_markdown(entry.finding.text), escape_markdown(entry.finding.place), by, proof or entry.doubt
    return f"| {' | '.join(cells)} |"


def _render_remaining(
    record: Record, traced: Sequence[TracedFinding], ending: Ending | None, space: int
) -> Iterator[str]:
    if ending is None or not record.is_settled:  # results from before the last push are outdated
        return
    fixes_by_key = {entry.finding.key: entry.fixes for entry in traced}
    lines = [_render_remaining_finding(finding, fixes_by_key.get(finding.key, ())) for finding in record.left] or [
        f"- {escape_prose(sanitize_line(text))}" for text in ending.left
    ]
    if not lines:
        return
    fitting_lines = take_fitting(lines, space)
    more = max(record.critical + record.important, len(lines)) - len(fitting_lines)
    rest = [f"- … and {more} more"] if more else []
    yield "\n".join([f"**{_LABELS.get(ending.word, 'Needs you')}**", *fitting_lines, *rest])


def _render_remaining_finding(finding: RemainingFinding, fixes: Sequence[FixRecord]) -> str:
    origin = f"{finding.weight}, {finding.author}" if finding.author else finding.weight
    tries = describe_tries(fixes)
    parts = [
        to_code_span(finding.place),
        escape_markdown(finding.text),
        f"({escape_markdown(origin)}{f'; {escape_markdown(tries)}' if tries else ''})",
    ]
    return f"- {' '.join(part for part in parts if part)}"


def _render_suggestions(record: Record) -> Iterator[str]:
    if record.suggestions:
        count = pluralize(len(record.suggestions), "suggestion")
        texts = [" ".join(filter(None, [entry.place, entry.text])) for entry in record.suggestions]
        yield f"**Left alone** {count}: {escape_markdown(join_and_count(texts, between='; '))}."


def _render_facts(record: Record) -> Iterator[str]:
    if record.allowed:
        yield f"**Allowed by a person, although a rule of the gate refuses it**\n{_render_list(record.allowed)}"
    if record.advice:
        heading = "Suspected by the gate, and not confirmed when the tests ran in disguise"
        yield f"**{heading}**\n{_render_list(record.advice)}"
    if record.flaky:
        yield f"Flaky, not fixed: {join_and_count([to_code_span(test) for test in record.flaky])}."


def _render_list(texts: Sequence[str]) -> str:
    lines = take_fitting(
        [f"- {escape_prose(sanitize_line(text))}" for text in texts[:MAX_NAMED_WAIVERS]], MAX_FACT_CHARS
    )
    lines += [f"- and {more} more"] if (more := len(texts) - len(lines)) > 0 else []
    return "\n".join(lines)


def _render_details(
    target: FixPullRequest, record: Record, fixes: Sequence[FixRecord], money: Spending, *, has_ended: bool
) -> Iterator[str]:
    """Render the folded table of iterations, with the agents and the cost in its title."""
    agents = list(dict.fromkeys(fix.agent for fix in fixes))
    reviewer = f"reviewed by {target.reviewer.name}" if target.reviewer else ""
    workers = ", ".join(filter(None, [" and ".join(agents), reviewer]))
    rows = [_render_row(numbers, look) for numbers, look in fold_repeats(record.looks)]
    parts = [pluralize(len(record.looks), "iteration"), escape_markdown(sanitize_line(workers))]
    spending = render_spending_sentence(money, has_ended=has_ended).removesuffix(".")
    title = " · ".join([*filter(None, parts), spending[:1].lower() + spending[1:]])
    if not rows:
        yield f"{title}."
        return
    last = take_fitting(rows[: -ROWS - 1 : -1], MAX_TABLE_CHARS)[::-1]
    hidden = len(rows) - len(last)
    earlier = [f"| … | | | | {hidden} earlier | |"] if hidden else []
    table = "\n".join([_HEAD, *earlier, *last])
    yield f"<details><summary>{title}</summary>\n\n{table}\n\n</details>"


def _render_row(numbers: str, look: IterationRecord) -> str:
    statuses = look.review, look.tests, look.ci
    cells = [escape_markdown(add_sign(status, summary)) for status, summary in zip(statuses, look.shown, strict=True)]
    pushed = f" ({look.commit[:7]})" if look.commit else ""
    return f"| {numbers} | {' | '.join(cells)} | {escape_markdown(look.did) or '…'}{pushed} | ${look.cost_usd:.2f} |"


def _render_footer(run_id: str, target: FixPullRequest, ending: Ending | None) -> str:
    """Name what really works: a comment on the pull request is no command."""
    if ending is None:
        follow = f"`reknit watch {run_id}` follows it, `reknit stop {run_id} --for-good` ends it"
        return f"{follow}. Closing this pull request ends it too, when it looks again."
    details = f"`reknit show {run_id} --why` shows what ran and what it found"
    if ending.word in ("CLEAN", "FIXED", "BLOCKED"):  # the reason of a BLOCKED run says what to do
        return f"{details}."
    return f"{details}, `reknit fix pr {target.number}` starts a new run."
