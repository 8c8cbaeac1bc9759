"""What the rules of a SARIF run define: their names, the weight of their results, and message texts."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain

from reknit.core.finding import Weight
from reknit.core.issues.formats.bounds import MESSAGE_CHARS, rule_name
from reknit.core.issues.formats.sarif.model import Message, Result, SarifRule, SarifTool, at

WEIGHTS: Mapping[str | None, Weight] = {"error": "critical", "warning": "important", "note": "minor", "none": "minor"}
_OF_RUFF = {level: weight for level, weight in WEIGHTS.items() if level != "error"}
"""Its SARIF calls everything an error; its JSON does not."""
_SYNTAX = "invalid-syntax"
_NO_RULE = SarifRule()
_MOST_KNOWN = 10_000
_MOST_ARGUMENTS, _ARGUMENT_CHARS = 50, 500
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\d{1,4})\}")
_LINK = re.compile(r"\[([^\[\]]{0,2000})\]\(\d{1,9}\)")


class Rules:
    def __init__(self, tool: SarifTool) -> None:
        self._components = [tool.driver, *(tool.extensions or ())]
        self._strings = tool.driver.global_message_strings or {}
        listed = chain.from_iterable(component.rules or () for component in reversed(self._components))
        self._by_id = {rule.id: rule for rule in listed if rule.id}
        self.known: dict[str | None, tuple[str, SarifRule]] = {}

    def of(self, result: Result) -> tuple[str, SarifRule]:
        """The rule's name and its listed entry, for a rule that is not yet in `known`."""
        name = result.rule_id
        if name is None:
            return self._referred(result)
        if len(self.known) >= _MOST_KNOWN:
            self.known.clear()
        listed = self._by_id.get(name) or self._by_id.get(name.rpartition("/")[0], _NO_RULE)
        self.known[name] = rule_name(name), listed
        return self.known[name]

    def text(self, message: Message, rule: SarifRule) -> str:
        text = message.text
        if text is None or message.arguments:
            text = self._composed(message, rule)
        # A link to one of the result's own locations is only a number here.
        return _LINK.sub(r"\1", text[: 2 * MESSAGE_CHARS]) if "](" in text else text

    def _composed(self, message: Message, rule: SarifRule) -> str:
        text = message.text
        if text is None:
            name = message.id or ""
            named = (rule.message_strings or {}).get(name) or self._strings.get(name)
            text = (named and named.text) or ""
        return _filled(text[: 2 * MESSAGE_CHARS], message.arguments or ())

    def _referred(self, result: Result) -> tuple[str, SarifRule]:
        reference = result.rule
        if reference is None:
            rule = at(self._components[0].rules, result.rule_index) or _NO_RULE
            return rule_name(rule.id), rule
        component = reference.tool_component
        index = 0 if component is None or component.index is None else component.index + 1
        home = at(self._components, index) or self._components[0]
        rule = self._by_id.get(reference.id or "") or at(home.rules, _first(reference.index, result.rule_index))
        return rule_name(reference.id, rule and rule.id), rule or _NO_RULE


def weights_of(tool: str) -> Mapping[str | None, Weight]:
    return _OF_RUFF if tool == "ruff" else WEIGHTS


def default_weight(result: Result, rule: SarifRule, weights: Mapping[str | None, Weight]) -> Weight:
    """For a result without a level, or without a meaningful one."""
    if result.rule_id == _SYNTAX:
        return "critical"
    if result.kind not in (None, "fail"):
        return "minor"
    default = rule.default_configuration
    return weights.get(default.level if default else None, "important")


def _filled(text: str, arguments: Sequence[str]) -> str:
    def put(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0]
        return (at(arguments, int(match[1])) or match[0])[:_ARGUMENT_CHARS]

    return _PLACEHOLDER.sub(put, text, count=_MOST_ARGUMENTS)


def _first(*numbers: int | None) -> int | None:
    return next((number for number in numbers if number is not None), None)
