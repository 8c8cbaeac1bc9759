"""The parts of SARIF 2.1.0 that are read. Anything not declared here is skipped, not decoded."""

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


class _SarifPart(msgspec.Struct, gc=False, rename="camel"):
    """It cannot contain a cycle, so the garbage collector can skip it; there may be a million."""


class Message(_SarifPart):
    text: str | None = None
    id: str | None = None
    arguments: list[str] | None = None


class Artifact(_SarifPart):
    uri: str | None = None
    uri_base_id: str | None = None
    index: int | None = None


class Region(_SarifPart):
    start_line: int | None = None
    start_column: int | None = None
    snippet: Message | None = None


class Physical(_SarifPart):
    artifact_location: Artifact | None = None
    region: Region | None = None


class Location(_SarifPart):
    physical_location: Physical | None = None


class Suppression(_SarifPart):
    status: str | None = None


class SarifFix(_SarifPart):
    description: Message | None = None


class Estimates(msgspec.Struct, gc=False):
    estimated_effort: Any = None
    estimated_files_count: Any = None


class Component(_SarifPart):
    index: int | None = None


class RuleReference(_SarifPart):
    id: str | None = None
    index: int | None = None
    tool_component: Component | None = None


class Result(_SarifPart):
    message: Message | None = None
    rule_id: str | None = None
    rule_index: int | None = None
    rule: RuleReference | None = None
    level: str | None = None
    kind: str | None = None
    locations: list[Location] | None = None
    suppressions: list[Suppression] | None = None
    baseline_state: str | None = None
    partial_fingerprints: dict[str, str] | None = None
    fingerprints: dict[str, str] | None = None
    properties: Estimates | None = None
    fixes: list[SarifFix] | None = None


class Configuration(_SarifPart):
    level: str | None = None


class SarifRule(_SarifPart):
    id: str | None = None
    default_configuration: Configuration | None = None
    message_strings: dict[str, Message] | None = None


class ToolComponent(_SarifPart):
    name: str
    rules: list[SarifRule] | None = None
    global_message_strings: dict[str, Message] | None = None


class SarifTool(_SarifPart):
    driver: ToolComponent
    extensions: list[ToolComponent] | None = None


class Invocation(_SarifPart):
    execution_successful: bool | None = None


class ListedArtifact(_SarifPart):
    location: Artifact | None = None


class Run(_SarifPart):
    tool: SarifTool
    results: list[msgspec.Raw] | None = None
    invocations: list[Invocation] | None = None
    artifacts: list[ListedArtifact] | None = None
    original_uri_base_ids: dict[str, Artifact] | None = None


class Log(_SarifPart):
    version: str
    runs: list[Run] | None = None


def at(items: Sequence[T] | None, index: int | None) -> T | None:
    """SARIF refers to many things by list index, and -1 means none."""
    return items[index] if items and index is not None and 0 <= index < len(items) else None
