"""Reads SARIF 2.1.0: what the runs of a log found, one result at a time."""

from collections.abc import Iterator, Sequence

import msgspec

from reknit.core.issues.formats.bounds import (
    GIVEN_CHARS,
    LAST_LINE,
    MESSAGE_CHARS,
    MOST_FILES,
    SHORT_CHARS,
    SNIPPET_CHARS,
    SUGGESTION_CHARS,
    TOOL_CHARS,
    bounded,
    estimate,
    path_text,
)
from reknit.core.issues.formats.json_reports import FAULTS, document, problem
from reknit.core.issues.formats.report import Report, ReportProblem
from reknit.core.issues.formats.sarif.locations import Places
from reknit.core.issues.formats.sarif.model import Estimates, Log, Physical, Region, Result, Run, SarifFix
from reknit.core.issues.formats.sarif.rules import Rules, default_weight, weights_of
from reknit.core.issues.model import ReportResult
from reknit.core.text.xml_stream import Data

_as_json = msgspec.json.Encoder().encode
_LOG = msgspec.json.Decoder(Log)
_RESULT = msgspec.json.Decoder(Result)
_FAILURES = frozenset({None, "fail", "review", "open"})
_FOR_GITHUB = "primaryLocationLineHash"
_SHORT_NAMES = {"semgrep oss": "semgrep", "semgrep pro": "semgrep"}
"""Tools that have another name in their own JSON."""
_NOWHERE, _NO_REGION, _UNSIZED = Physical(), Region(), Estimates()


def report(data: Data) -> Report:
    log = document(_LOG, data)
    if not log.version.startswith("2.1."):
        raise ReportProblem(f"it is SARIF {log.version[:20]!r}", help="Only SARIF 2.1.0 is supported.")
    if not log.runs:
        raise ReportProblem("it contains no run, so no tool checked anything")
    tools = tuple(dict.fromkeys(map(_tool, log.runs)))
    failed = [_tool(run) for run in log.runs if _has_failed(run)]
    return Report(tools, _found(log.runs), partial=f"{', '.join(failed)} did not finish successfully" if failed else "")


def _tool(run: Run) -> str:
    """The name of the tool, if its run has results or succeeded without any."""
    name = bounded(run.tool.driver.name, TOOL_CHARS).strip()
    if not name:
        raise ReportProblem("one of its runs does not name its tool")
    if run.results is None:
        raise ReportProblem(f"the run of {name} has no results, not even an empty list, so the result is unknown")
    if not run.results and _has_failed(run):
        raise ReportProblem(f"{name} failed and found nothing, so the result is unknown", help=f"Run {name} again.")
    return _SHORT_NAMES.get(name.lower(), name)


def _has_failed(run: Run) -> bool:
    return any(invocation.execution_successful is False for invocation in run.invocations or ())


def _found(runs: Sequence[Run]) -> Iterator[ReportResult]:
    for run in runs:
        tool = _tool(run)
        try:
            yield from _results(tool, run, Rules(run.tool), Places(run))
        except FAULTS as error:
            raise problem(f"a result of {tool}", error) from error


def _results(tool: str, run: Run, rules: Rules, places: Places) -> Iterator[ReportResult]:
    """Calls helpers only if a result is unusual: each call that is saved here is saved a million times."""
    known, bases, decode, weights = rules.known, places.bases, _RESULT.decode, weights_of(tool)
    for raw in run.results or ():
        result = decode(raw)
        if (result.kind or result.baseline_state or result.suppressions) and _is_left_out(result):
            continue
        name, rule = known.get(result.rule_id) or rules.of(result)
        place = (result.locations[0].physical_location if result.locations else None) or _NOWHERE
        artifact, region = place.artifact_location, place.region or _NO_REGION
        path = artifact.uri if artifact else ""
        if artifact and (not path or "%" in path or (bases and artifact.uri_base_id)):
            path = places.path(artifact)
        message, quoted, partial = result.message, region.snippet, result.partial_fingerprints
        text = message.text if message else ""
        if message and (not text or message.arguments or "](" in text):
            text = rules.text(message, rule)
        snippet = quoted.text.rstrip() if quoted and quoted.text else ""
        given = (partial.get(_FOR_GITHUB) if partial else None) or _given(result)
        said = f"{path}{text}{snippet}{given}"
        # JSON escapes every control character except this one.
        if (length := len(said)) > SHORT_CHARS or len(_as_json(said)) != length + 2 or "\x7f" in said:
            path, text = path_text(path), bounded(text, MESSAGE_CHARS)
            snippet, given = bounded(snippet, SNIPPET_CHARS), bounded(given, GIVEN_CHARS)
        line, column, sizes = region.start_line or 0, region.start_column or 0, result.properties or _UNSIZED
        yield ReportResult(
            tool,
            name,
            path or "",
            line if 0 < line <= LAST_LINE else 0,
            column if 0 < column <= LAST_LINE else 0,
            text or "",
            weights.get(result.level) or default_weight(result, rule, weights),
            _suggestion(result.fixes) if result.fixes else "",
            estimate(sizes.estimated_effort, 5) if sizes.estimated_effort else 0,
            estimate(sizes.estimated_files_count, MOST_FILES) if sizes.estimated_files_count else 0,
            snippet,
            given,
        )


def _is_left_out(result: Result) -> bool:
    """Not a failure, absent, or suppressed; a suppression that is under review or was rejected hides nothing."""
    if result.kind not in _FAILURES or result.baseline_state == "absent":
        return True
    return any(suppression.status in (None, "accepted") for suppression in result.suppressions or ())


def _suggestion(fixes: Sequence[SarifFix]) -> str:
    texts = (fix.description.text for fix in fixes if fix.description)
    return bounded(next(filter(None, texts), ""), SUGGESTION_CHARS)


def _given(result: Result) -> str:
    """The tool's own fingerprint, if it has none for GitHub."""
    kept = result.partial_fingerprints or result.fingerprints
    return next(iter(kept.values())) if kept else ""
