"""Writes issues as SARIF 2.1.0 in the form that GitHub code scanning accepts, in chunks to save memory."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

import msgspec

from reknit import __version__
from reknit.core.finding import Weight
from reknit.core.issues.model import Issue, IssueSource

RESULTS_PER_RUN = 25_000
RUNS_PER_FILE = 20
"""GitHub's limits; a file that exceeds either is rejected as a whole."""
SHOWN_PER_RUN = 5_000
"""Number of results per run that GitHub shows; it accepts the rest."""

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_LEVELS: Mapping[Weight, str] = {"critical": "error", "important": "warning", "minor": "note"}
_MAX_DESCRIPTION_CHARS = 1_024
"""Maximum length of a rule's description in characters."""
_CHUNK_RESULTS = 200
"""Minimum number of results in a chunk of text; the last one may have fewer."""

Rules = Mapping[str, Mapping[str, None]]
"""Tool -> the rules that its results name, in order of first appearance."""
IssuesOf = Callable[[str], Iterable[Issue]]


@dataclass(frozen=True)
class ExportSummary:
    """Size of an export, for comparison with GitHub's limits."""

    runs: int
    results: int
    largest: int
    """Number of results in the largest run."""


SarifText = Generator[str, None, ExportSummary]
"""Yields chunks of text; returns the summary."""


def collect_rules(issues: Iterable[Issue]) -> Rules:
    """Collect the rules of all issues by tool. A tool without results gets an empty run, which closes its alerts."""
    rules: dict[str, dict[str, None]] = {}
    for issue in issues:
        for source in issue.sources:
            rules.setdefault(source.tool, {})[_get_rule_id(source)] = None
    return rules


def write_sarif(rules: Rules, issues_of: IssuesOf, why_ignored: Callable[[Issue], str]) -> SarifText:
    """Write one run per tool with its results. `issues_of` is called once per tool.

    A tool with more results than a run may have gets further runs, each in a separate category.
    """
    runs = results = largest = 0
    yield f'{{"$schema":"{_SCHEMA}","version":"2.1.0","runs":['
    for tool, tool_rules in (rules or {"reknit": {}}).items():
        chunks = _split_chunks(tool, tool_rules, issues_of(tool), why_ignored)
        yield ("," if runs else "") + _write_run_start(tool, tool_rules, 1)
        runs, part, run_results = runs + 1, 1, 0
        for chunk in chunks:
            if run_results + len(chunk) > RESULTS_PER_RUN:
                runs, part, run_results = runs + 1, part + 1, 0
                yield "]}," + _write_run_start(tool, tool_rules, part)
            yield ("," if run_results else "") + ",".join(chunk)
            run_results, results = run_results + len(chunk), results + len(chunk)
            largest = max(largest, run_results)
        yield "]}"
    yield "]}\n"
    return ExportSummary(runs, results, largest)


def _split_chunks(
    tool: str, rules: Mapping[str, None], issues: Iterable[Issue], why_ignored: Callable[[Issue], str]
) -> Iterator[list[str]]:
    index = {rule: number for number, rule in enumerate(rules)}
    chunk: list[str] = []
    for issue in issues:
        sources = [source for source in issue.sources if source.tool == tool]
        chunk += [_write_result(issue, source, index, why_ignored) for source in sources]
        if len(chunk) >= _CHUNK_RESULTS:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _write_run_start(tool: str, rules: Mapping[str, None], part: int) -> str:
    """Write the run up to its list of results. GitHub rejects two runs of one tool in one category."""
    category = f"reknit/{tool}/" if part == 1 else f"reknit/{tool}/{part}/"
    head = {
        "tool": {"driver": {"name": tool, "rules": [_describe_rule(tool, rule) for rule in rules]}},
        "automationDetails": {"id": category},
        "conversion": {"tool": {"driver": {"name": "reknit", "version": __version__}}},
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
    }
    return _encode_json(head).removesuffix("}") + ',"results":['


def _describe_rule(tool: str, rule: str) -> dict[str, object]:
    text = {"text": f"{rule}, a rule of {tool}."[:_MAX_DESCRIPTION_CHARS]}
    return {"id": rule, "shortDescription": text, "fullDescription": text, "help": text}


def _write_result(issue: Issue, source: IssueSource, index: Mapping[str, int], why: Callable[[Issue], str]) -> str:
    rule = _get_rule_id(source)
    result: dict[str, object] = {
        "ruleId": rule,
        "level": _LEVELS[issue.weight],
        "message": {"text": source.message or issue.message or rule},
        "locations": [{"physicalLocation": _make_location(issue)}],
        "partialFingerprints": {
            "reknit/v1": issue.fingerprint,
            "primaryLocationLineHash": f"{issue.fingerprint}:1",  # the only one that GitHub uses
        },
        "baselineState": issue.baseline,
        "properties": _make_properties(issue),
    }
    if rule in index:  # a rule that was imported after they were listed has no index
        result["ruleIndex"] = index[rule]
    if source.url.startswith(("https://", "http://")):
        result["hostedViewerUri"] = source.url
    if issue.status == "IGNORED":
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": why(issue)}]
    return _encode_json(result)


def _get_rule_id(source: IssueSource) -> str:
    """Return an id that is not empty: GitHub accepts no empty one."""
    return source.rule or source.tool


def _make_location(issue: Issue) -> dict[str, object]:
    region = {"startLine": max(issue.line, 1)}
    if issue.line and issue.column:
        region["startColumn"] = issue.column
    return {"artifactLocation": {"uri": quote(issue.path), "uriBaseId": _ROOT}, "region": region}


def _make_properties(issue: Issue) -> dict[str, object]:
    properties: dict[str, object] = {"issue": issue.name, "status": issue.status}
    for key, value in (
        ("suggestion", issue.suggestion), ("estimated_effort", issue.effort_1_5),
        ("estimated_files_count", issue.files), ("run", issue.run_id),
        ("commit", issue.commit), ("pull", issue.pull),
    ):  # fmt: skip
        if value:
            properties[key] = value
    return properties


def _encode_json(value: object) -> str:
    return msgspec.json.encode(value).decode()
