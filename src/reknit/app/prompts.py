"""Renders the prompt files. A variable that is not supplied is an error, not an empty string."""

import re
from collections.abc import Mapping
from dataclasses import replace

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from reknit.core.evidence.digest import digest, excerpt, fitted, news
from reknit.core.evidence.quoting import listed, one_a_line, quoted
from reknit.core.finding import Finding, heaviest_first, worth_fixing
from reknit.core.fix_issues.prompt import listed_issues, listed_reports
from reknit.core.plan.prompt import quoted_union
from reknit.core.repository.diff_excerpt import cut_diff
from reknit.core.review.prompt import listed_findings
from reknit.core.text.format import one_line
from reknit.core.text.truncate import truncate_bytes

MESSAGE_BYTES = 12_000
FEEDBACK_BYTES = 4_000
LONGEST_RUN = 9
"""The longest run of backticks kept in fenced text, so that a fence stays short."""
_FILE_WORD = re.compile(r"@(?=[^\s@]*[./])")
"""Some CLIs replace `@file` with the content of that file, anywhere in a prompt."""


def _fenced(text: str) -> str:
    """Put the text between fences that it cannot close itself."""
    text = re.sub(f"`{{{LONGEST_RUN},}}", "`" * LONGEST_RUN, text.strip())
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
    "digest": digest,
    "excerpt": excerpt,
    "fenced": _fenced,
    "heaviest_first": heaviest_first,
    "listed": listed,
    "listed_findings": listed_findings,
    "listed_issues": listed_issues,
    "listed_reports": listed_reports,
    "one_a_line": one_a_line,
    "one_line": one_line,
    "quoted": quoted,
    "quoted_union": quoted_union,
    "truncate_bytes": truncate_bytes,
    "worth_fixing": worth_fixing,
}


def render(name: str, facts: Mapping[str, object]) -> str:
    """The blocks of a prompt are ordered by how often they change: per run, per finding, per attempt."""
    template = _environment.get_template(f"{name}.md")
    finding, feedback = facts.get("finding"), facts.get("feedback")
    if isinstance(finding, Finding) and isinstance(feedback, str):
        return template.render(_in_proportion(template, facts, finding, feedback))
    if isinstance(feedback, str) and "attempt" in template.blocks:
        return _last_in_proportion(template, facts, feedback)
    return template.render(facts)


def _in_proportion(
    template: Template, facts: Mapping[str, object], finding: Finding, feedback: str
) -> Mapping[str, object]:
    """Cut what changes to a quarter of what stays, so that the provider's cache holds most of the next prompt.

    A run with several findings moves from one to the next, so there the text of the finding counts as changing too.
    """
    evidence, shared = facts.get("evidence"), _size(template, "run", facts)
    probe = "`" * LONGEST_RUN  # needs the longest possible fences
    around = _size(template, "finding", {**facts, "finding": replace(finding, message=probe)})
    message = finding.message
    message = fitted(message, shared // 2, taken_bytes=around) if evidence else excerpt(message, MESSAGE_BYTES)
    facts = {**facts, "finding": replace(finding, message=message)}
    about = _size(template, "finding", facts)
    stays, changes = (shared, about) if evidence else (shared + about, 0)
    changes += _size(template, "attempt", {**facts, "feedback": probe})
    return {**facts, "feedback": fitted(news(feedback, message), stays, taken_bytes=changes)}


def _last_in_proportion(template: Template, facts: Mapping[str, object], feedback: str) -> str:
    """As long as the work to do stays the same, only the last block, `attempt`, changes."""
    stays = [_text(template, block, facts) for block in template.blocks if block != "attempt"]
    around = _size(template, "attempt", {**facts, "feedback": "`" * LONGEST_RUN})
    new_feedback = fitted(news(feedback, stays[-1]), len("".join(stays).encode()), taken_bytes=around)
    last = _text(template, "attempt", {**facts, "feedback": excerpt(new_feedback, FEEDBACK_BYTES)})
    return "".join([*stays, last])


def _size(template: Template, block: str, facts: Mapping[str, object]) -> int:
    return len(_text(template, block, facts).encode())


def _text(template: Template, block: str, facts: Mapping[str, object]) -> str:
    return "".join(template.blocks[block](template.new_context(dict(facts))))
