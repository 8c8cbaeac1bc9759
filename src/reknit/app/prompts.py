"""Renders the prompt files. A variable that is not supplied is an error, not an empty string."""

import re
from collections.abc import Mapping
from dataclasses import replace

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from reknit.core.evidence.digest import drop_known_lines, excerpt, fit_feedback, summarize_failures
from reknit.core.evidence.quoting import list_findings, list_lines, quote_untrusted
from reknit.core.finding import Finding, select_worth_fixing, sort_by_weight
from reknit.core.fix_issues.prompt import list_issues, list_reports
from reknit.core.plan.prompt import render_union
from reknit.core.repository.prompt_excerpts import cut_diff
from reknit.core.review.findings import render_findings
from reknit.core.text.format import to_one_line
from reknit.core.text.truncate import truncate_bytes

MESSAGE_BYTES = 12_000
FEEDBACK_BYTES = 4_000
MAX_BACKTICKS = 9
"""The longest run of backticks kept in fenced text, so that a fence stays short."""
_FILE_WORD = re.compile(r"@(?=[^\s@]*[./])")
"""Some CLIs replace `@file` with the content of that file, anywhere in a prompt."""


def _fence(text: str) -> str:
    """Put the text between fences that it cannot close itself."""
    text = re.sub(f"`{{{MAX_BACKTICKS},}}", "`" * MAX_BACKTICKS, text.strip())
    text = _FILE_WORD.sub("@\u200b", text)
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return f"{fence}\n{text}\n{fence}"


_environment = Environment(
    loader=PackageLoader("reknit", "prompts"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    autoescape=False,  # noqa: S701 - the reader is a model, not a browser
)
_environment.filters |= {
    "cut_diff": cut_diff,
    "digest": summarize_failures,
    "excerpt": excerpt,
    "fenced": _fence,
    "heaviest_first": sort_by_weight,
    "listed": list_findings,
    "listed_findings": render_findings,
    "listed_issues": list_issues,
    "listed_reports": list_reports,
    "one_a_line": list_lines,
    "one_line": to_one_line,
    "quoted": quote_untrusted,
    "quoted_union": render_union,
    "truncate_bytes": truncate_bytes,
    "worth_fixing": select_worth_fixing,
}


def render_prompt(name: str, facts: Mapping[str, object]) -> str:
    """Render a prompt. Its blocks are ordered by how often they change: per run, per finding, per attempt."""
    template = _environment.get_template(f"{name}.md")
    finding, feedback = facts.get("finding"), facts.get("feedback")
    if isinstance(finding, Finding) and isinstance(feedback, str):
        return template.render(_fit_finding(template, facts, finding, feedback))
    if isinstance(feedback, str) and "attempt" in template.blocks:
        return _render_fitted(template, facts, feedback)
    return template.render(facts)


def _fit_finding(
    template: Template, facts: Mapping[str, object], finding: Finding, feedback: str
) -> Mapping[str, object]:
    """Cut the changing text to a quarter of the stable one, so that the provider's cache holds most of the next prompt.

    A run with several findings moves from one to the next, so there the text of the finding counts as changing too.
    """
    evidence, shared = facts.get("evidence"), _size(template, "run", facts)
    probe = "`" * MAX_BACKTICKS  # needs the longest possible fences
    around = _size(template, "finding", {**facts, "finding": replace(finding, message=probe)})
    message = finding.message
    message = fit_feedback(message, shared // 2, taken_bytes=around) if evidence else excerpt(message, MESSAGE_BYTES)
    facts = {**facts, "finding": replace(finding, message=message)}
    about = _size(template, "finding", facts)
    stays, changes = (shared, about) if evidence else (shared + about, 0)
    changes += _size(template, "attempt", {**facts, "feedback": probe})
    return {**facts, "feedback": fit_feedback(drop_known_lines(feedback, message), stays, taken_bytes=changes)}


def _render_fitted(template: Template, facts: Mapping[str, object], feedback: str) -> str:
    """Render the blocks. While the work to do stays the same, only the last block, `attempt`, changes."""
    stays = [_render_block(template, block, facts) for block in template.blocks if block != "attempt"]
    around = _size(template, "attempt", {**facts, "feedback": "`" * MAX_BACKTICKS})
    new_feedback = fit_feedback(drop_known_lines(feedback, stays[-1]), len("".join(stays).encode()), taken_bytes=around)
    last = _render_block(template, "attempt", {**facts, "feedback": excerpt(new_feedback, FEEDBACK_BYTES)})
    return "".join([*stays, last])


def _size(template: Template, block: str, facts: Mapping[str, object]) -> int:
    return len(_render_block(template, block, facts).encode())


def _render_block(template: Template, block: str, facts: Mapping[str, object]) -> str:
    return "".join(template.blocks[block](template.new_context(dict(facts))))
