"""Reads SARIF 2.1.0, one result at a time, with names, weights and texts from the rules of its run."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import msgspec

from reknit.core.finding import Weight
from reknit.core.issues.formats.json_reports import FAULTS, decode_document, make_report_error
from reknit.core.issues.formats.report import (
    FINGERPRINT_CHARS,
    LAST_LINE,
    MAX_ESTIMATED_FILES,
    MESSAGE_CHARS,
    SHORT_CHARS,
    SNIPPET_CHARS,
    SUGGESTION_CHARS,
    TOOL_CHARS,
    Report,
    ReportError,
    bound_text,
    check_estimate,
    check_path,
    choose_rule_name,
)
from reknit.core.issues.formats.sarif.model import (
    Estimates,
    Log,
    Message,
    Physical,
    Places,
    Region,
    Result,
    Run,
    SarifFix,
    SarifRule,
    SarifTool,
    get_at,
)
from reknit.core.issues.model import ReportResult
from reknit.core.text.untrusted_input import Data

WEIGHTS: Mapping[str | None, Weight] = {"error": "critical", "warning": "important", "note": "minor", "none": "minor"}
_RUFF_WEIGHTS = {level: weight for level, weight in WEIGHTS.items() if level != "error"}
"""Weights for ruff: its SARIF calls everything an error; its JSON does not."""
_SYNTAX = "invalid-syntax"
_NO_RULE = SarifRule()
_MAX_CACHED_RULES = 10_000
_MAX_ARGUMENTS, _ARGUMENT_CHARS = 50, 500
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\d{1,4})\}")
_LINK = re.compile(r"\[([^\[\]]{0,2000})\]\(\d{1,9}\)")


class Rules:
    """The rules of a run, and the texts that they define."""

    def __init__(self, tool: SarifTool) -> None:
        self._components = [tool.driver, *(tool.extensions or ())]
        self._strings = tool.driver.global_message_strings or {}
        rules = chain.from_iterable(component.rules or () for component in reversed(self._components))
        self._by_id = {rule.id: rule for rule in rules if rule.id}
        self.cached: dict[str | None, tuple[str, SarifRule]] = {}

    def find_rule(self, result: Result) -> tuple[str, SarifRule]:
        """Return the name and the entry of a rule that is not yet in `cached`."""
        name = result.rule_id
        if name is None:
            return self._follow_reference(result)
        if len(self.cached) >= _MAX_CACHED_RULES:
            self.cached.clear()
        entry = self._by_id.get(name) or self._by_id.get(name.rpartition("/")[0], _NO_RULE)
        self.cached[name] = choose_rule_name(name), entry
        return self.cached[name]

    def find_text(self, message: Message, rule: SarifRule) -> str:
        text = message.text
        if text is None or message.arguments:
            text = self._compose(message, rule)
        # A link to a location of the result itself has only a number as its address.
        return _LINK.sub(r"\1", text[: 2 * MESSAGE_CHARS]) if "](" in text else text

    def _compose(self, message: Message, rule: SarifRule) -> str:
        text = message.text
        if text is None:
            name = message.id or ""
            entry = (rule.message_strings or {}).get(name) or self._strings.get(name)
            text = (entry and entry.text) or ""
        return _fill_placeholders(text[: 2 * MESSAGE_CHARS], message.arguments or ())

    def _follow_reference(self, result: Result) -> tuple[str, SarifRule]:
        reference = result.rule
        if reference is None:
            rule = get_at(self._components[0].rules, result.rule_index) or _NO_RULE
            return choose_rule_name(rule.id), rule
        component = reference.tool_component
        index = 0 if component is None or component.index is None else component.index + 1
        component_of_rule = get_at(self._components, index) or self._components[0]
        rule = self._by_id.get(reference.id or "") or get_at(
            component_of_rule.rules, _get_first(reference.index, result.rule_index)
        )
        return choose_rule_name(reference.id, rule and rule.id), rule or _NO_RULE


def get_weights(tool: str) -> Mapping[str | None, Weight]:
    """Return the weight of each level for this tool."""
    return _RUFF_WEIGHTS if tool == "ruff" else WEIGHTS


def choose_weight(result: Result, rule: SarifRule, weights: Mapping[str | None, Weight]) -> Weight:
    """Choose the weight of a result without a meaningful level."""
    if result.rule_id == _SYNTAX:
        return "critical"
    if result.kind not in (None, "fail"):
        return "minor"
    default = rule.default_configuration
    return weights.get(default.level if default else None, "important")


def _fill_placeholders(text: str, arguments: Sequence[str]) -> str:
    def fill(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0]
        return (get_at(arguments, int(match[1])) or match[0])[:_ARGUMENT_CHARS]

    return _PLACEHOLDER.sub(fill, text, count=_MAX_ARGUMENTS)


def _get_first(*numbers: int | None) -> int | None:
    return next((number for number in numbers if number is not None), None)


_encode_json = msgspec.json.Encoder().encode
_LOG = msgspec.json.Decoder(Log)
_RESULT = msgspec.json.Decoder(Result)
_FAILURE_KINDS = frozenset({None, "fail", "review", "open"})
_GITHUB_FINGERPRINT = "primaryLocationLineHash"
_SHORT_NAMES = {"semgrep oss": "semgrep", "semgrep pro": "semgrep"}
"""Tools that have another name in their own JSON."""
_NOWHERE, _NO_REGION, _NO_ESTIMATES = Physical(), Region(), Estimates()


def read_report(data: Data) -> Report:
    """Read the runs of a log."""
    log = decode_document(_LOG, data)
    if not log.version.startswith("2.1."):
        raise ReportError(f"it is SARIF {log.version[:20]!r}", help="Only SARIF 2.1.0 is supported.")
    if not log.runs:
        raise ReportError("it contains no run, so no tool checked anything")
    tools = tuple(dict.fromkeys(map(_get_tool, log.runs)))
    failed = [_get_tool(run) for run in log.runs if _has_failed(run)]
    return Report(
        tools, _read_runs(log.runs), partial=f"{', '.join(failed)} did not finish successfully" if failed else ""
    )


def _get_tool(run: Run) -> str:
    """Return the tool's name; raise if the run failed without results, because then the result is unknown."""
    name = bound_text(run.tool.driver.name, TOOL_CHARS).strip()
    if not name:
        raise ReportError("one of its runs does not name its tool")
    if run.results is None:
        raise ReportError(f"the run of {name} has no results, not even an empty list, so the result is unknown")
    if not run.results and _has_failed(run):
        raise ReportError(f"{name} failed and found nothing, so the result is unknown", help=f"Run {name} again.")
    return _SHORT_NAMES.get(name.lower(), name)


def _has_failed(run: Run) -> bool:
    return any(invocation.execution_successful is False for invocation in run.invocations or ())


def _read_runs(runs: Sequence[Run]) -> Iterator[ReportResult]:
    for run in runs:
        tool = _get_tool(run)
        try:
            yield from _read_results(tool, run, Rules(run.tool), Places(run))
        except FAULTS as error:
            raise make_report_error(f"a result of {tool}", error) from error


def _read_results(tool: str, run: Run, rules: Rules, places: Places) -> Iterator[ReportResult]:
    """Yield results. Only unusual ones take a function call, because there may be a million."""
    cached_rules, bases, decode, weights = rules.cached, places.bases, _RESULT.decode, get_weights(tool)
    for raw in run.results or ():
        result = decode(raw)
        if (result.kind or result.baseline_state or result.suppressions) and _is_left_out(result):
            continue
        name, rule = cached_rules.get(result.rule_id) or rules.find_rule(result)
        place = (result.locations[0].physical_location if result.locations else None) or _NOWHERE
        artifact, region = place.artifact_location, place.region or _NO_REGION
        path = artifact.uri if artifact else ""
        if artifact and (not path or "%" in path or (bases and artifact.uri_base_id)):
            path = places.find_path(artifact)
        message, quoted, partial = result.message, region.snippet, result.partial_fingerprints
        text = message.text if message else ""
        if message and (not text or message.arguments or "](" in text):
            text = rules.find_text(message, rule)
        snippet = quoted.text.rstrip() if quoted and quoted.text else ""
        fingerprint = (partial.get(_GITHUB_FINGERPRINT) if partial else None) or _find_fingerprint(result)
        texts = f"{path}{text}{snippet}{fingerprint}"
        # JSON escapes every control character except this one.
        if (length := len(texts)) > SHORT_CHARS or len(_encode_json(texts)) != length + 2 or "\x7f" in texts:
            path, text = check_path(path), bound_text(text, MESSAGE_CHARS)
            snippet, fingerprint = bound_text(snippet, SNIPPET_CHARS), bound_text(fingerprint, FINGERPRINT_CHARS)
        line, column, sizes = region.start_line or 0, region.start_column or 0, result.properties or _NO_ESTIMATES
        yield ReportResult(
            tool,
            name,
            path or "",
            line if 0 < line <= LAST_LINE else 0,
            column if 0 < column <= LAST_LINE else 0,
            text or "",
            weights.get(result.level) or choose_weight(result, rule, weights),
            _find_suggestion(result.fixes) if result.fixes else "",
            check_estimate(sizes.estimated_effort, 5) if sizes.estimated_effort else 0,
            check_estimate(sizes.estimated_files_count, MAX_ESTIMATED_FILES) if sizes.estimated_files_count else 0,
            snippet,
            fingerprint,
        )


def _is_left_out(result: Result) -> bool:
    """Return True if the result is no failure, absent or suppressed; a suppression under review does not count."""
    if result.kind not in _FAILURE_KINDS or result.baseline_state == "absent":
        return True
    return any(suppression.status in (None, "accepted") for suppression in result.suppressions or ())


def _find_suggestion(fixes: Sequence[SarifFix]) -> str:
    texts = (fix.description.text for fix in fixes if fix.description)
    return bound_text(next(filter(None, texts), ""), SUGGESTION_CHARS)


def _find_fingerprint(result: Result) -> str:
    """Return the first fingerprint of the tool; empty: it has none."""
    fingerprints = result.partial_fingerprints or result.fingerprints
    return next(iter(fingerprints.values())) if fingerprints else ""
