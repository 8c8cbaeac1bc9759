"""The title of a finding: one line that fits in the subject of a commit."""

import re

from reknit.core.agent_reports.values import ReportedFinding
from reknit.core.text.format import one_line
from reknit.core.text.truncate import MARK

MOST_TITLE = 72
"""In characters."""
_SENTENCE_END = re.compile(r"[.!?](?= [^a-z]|$)")
"""Not before a small letter: `e.g. this` is not two sentences."""
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")


def title_of(finding: ReportedFinding) -> str:
    """The title that its reviewer gave it, or the first sentence of its issue, cut at a word."""
    if finding.title:
        return finding.title
    text = one_line(_PARAGRAPH_END.split(finding.issue.strip(), maxsplit=1)[0])
    end = _SENTENCE_END.search(text)
    return _cut(text[: end.end()].removesuffix(".") if end else text)


def _cut(sentence: str) -> str:
    if len(sentence) <= MOST_TITLE:
        return sentence
    whole_words = sentence[:MOST_TITLE].rpartition(" ")[0] or sentence[: MOST_TITLE - 1]
    return f"{whole_words.rstrip(',;:')}{MARK}"
