"""Describes a change in reknit's own words, from the findings and the files: `repair test_total in shop/pricing.py`."""

from collections.abc import Sequence

from reknit.core.agent_reports.values import take_first_sentence
from reknit.core.finding import Finding, Source
from reknit.core.repository.paths import is_in_test_folder, is_test_file
from reknit.core.testing.report import WHOLE_SUITE
from reknit.core.text.forge_text import neutralize_commit_text
from reknit.core.text.format import join_few, pluralize, sanitize_line, to_one_line
from reknit.core.text.truncate import cut_at_word

_NOUNS: dict[Source, str] = {"tests": "test", "ci": "check", "review": "review finding", "tool": "issue"}
_NAME_LIMITS = (72, 40, 28)
"""Maximum characters of a name, the best first; a name that is cut is still better than a count."""


def describe_change(findings: Sequence[Finding], paths: Sequence[str], room: int, *, is_proven: bool) -> str:
    """Return a sentence of at most `room` characters. `is_proven`: the change is known to be the repair."""
    places = [neutralize_commit_text(place) for place in _name_places(paths)]
    sentences: list[str] = []
    for name in _name_targets(findings):
        target = neutralize_commit_text(name)
        if is_proven:
            sentences += [*(f"repair {target} in {place}" for place in places), f"repair {target}"]
        else:
            sentences += [*(f"change {place} for {target}" for place in places), f"change the code for {target}"]
    return next((sentence for sentence in sentences if len(sentence) <= room), cut_at_word(sentences[-1], room))


def name_finding(finding: Finding) -> str:
    """Return a short name: of a test or a check, or the title of what a reviewer says."""
    if finding.subject.endswith(WHOLE_SUITE):  # the only name that a suite has which is judged by its exit code
        return "the tests"
    if finding.source in ("tests", "ci"):
        return to_one_line(finding.subject).rsplit("::", 1)[-1]
    if finding.source == "tool":
        return to_one_line(finding.rule)
    has_title = finding.file and finding.subject not in ("", finding.file)
    return take_first_sentence(finding.subject if has_title else finding.message or finding.subject)


def name_findings(findings: Sequence[Finding]) -> str:
    """Return what was wrong, in a few words: `test_refresh and the check lint`."""
    return _name_targets(findings)[0]


def _name_targets(findings: Sequence[Finding]) -> list[str]:
    """Return names for what was wrong, the most exact first. One of several is never named as if it were all."""
    kinds = [
        [finding for finding in findings if finding.source == source and finding.rule != "test-command"]
        for source in _NOUNS
    ]
    if not any(kinds):
        return ["the tests, which could not run"]
    names = [_join([_name_kind(kind, limit) for kind in kinds]) for limit in _NAME_LIMITS]
    return [*names, _join([_count_kind(kind) for kind in kinds])]


def _name_kind(findings: Sequence[Finding], limit: int) -> str:
    if len([test for finding in findings for test in finding.tests]) != 1:
        rules = list(dict.fromkeys(name_finding(finding) for finding in findings if finding.source == "tool"))
        titles = {name_finding(finding) for finding in findings if finding.source == "review"}
        if len(titles) == 1:
            return f"“{cut_at_word(titles.pop(), limit)}” ({pluralize(len(findings), 'time')})"
        return _count_kind(findings) + (f" ({join_few(rules)})" if rules else "")
    name, source = cut_at_word(name_finding(findings[0]), limit), findings[0].source
    return f"the check {name}" if source == "ci" else f"“{name}”" if source == "review" else name


def _count_kind(findings: Sequence[Finding]) -> str:
    count = sum(len(finding.tests) for finding in findings)
    return pluralize(count, _NOUNS[findings[0].source]) if findings else ""


def _join(texts: Sequence[str]) -> str:
    present = [text for text in texts if text]
    return " and ".join(filter(None, [", ".join(present[:-1]), *present[-1:]]))


def _name_places(paths: Sequence[str]) -> list[str]:
    """Return names for the files, the most exact first; what was repaired comes before tests."""
    if not paths:
        return []
    in_order = sorted(paths, key=lambda path: is_test_file(path) or is_in_test_folder(path))
    first, rest = sanitize_line(in_order[0]), f" and {pluralize(len(paths) - 1, 'more file')}" if paths[1:] else ""
    return [f"{first}{rest}", f"{first.rpartition('/')[2]}{rest}"]
