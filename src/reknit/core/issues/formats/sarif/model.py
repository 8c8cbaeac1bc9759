"""The parts of SARIF 2.1.0 that are read. Whatever is not declared here is skipped, not built."""

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


class _Part(msgspec.Struct, gc=False, rename="camel"):
    """No cycle can be in it, so the collector need not look; there may be a million."""


class Message(_Part):
    text: str | None = None
    id: str | None = None
    arguments: list[str] | None = None


class Artifact(_Part):
    uri: str | None = None
    uri_base_id: str | None = None
    index: int | None = None


class Region(_Part):
    start_line: int | None = None
    start_column: int | None = None
    snippet: Message | None = None


class Physical(_Part):
    artifact_location: Artifact | None = None
    region: Region | None = None


class Location(_Part):
    physical_location: Physical | None = None


class Suppression(_Part):
    status: str | None = None


class Fix(_Part):
    description: Message | None = None


class Estimates(msgspec.Struct, gc=False):
    estimated_effort: Any = None
    estimated_files_count: Any = None


class Component(_Part):
    index: int | None = None


class RuleReference(_Part):
    id: str | None = None
    index: int | None = None
    tool_component: Component | None = None


class Result(_Part):
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
    fixes: list[Fix] | None = None


class Configuration(_Part):
    level: str | None = None


class Rule(_Part):
    id: str | None = None
    default_configuration: Configuration | None = None
    message_strings: dict[str, Message] | None = None


class ToolComponent(_Part):
    name: str
    rules: list[Rule] | None = None
    global_message_strings: dict[str, Message] | None = None


class Tool(_Part):
    driver: ToolComponent
    extensions: list[ToolComponent] | None = None


class Invocation(_Part):
    execution_successful: bool | None = None


class ListedArtifact(_Part):
    location: Artifact | None = None


class Run(_Part):
    tool: Tool
    results: list[msgspec.Raw] | None = None
    invocations: list[Invocation] | None = None
    artifacts: list[ListedArtifact] | None = None
    original_uri_base_ids: dict[str, Artifact] | None = None


class Log(_Part):
    version: str
    runs: list[Run] | None = None


def at(items: Sequence[T] | None, index: int | None) -> T | None:
    """SARIF refers to much by its number in a list, and -1 is none."""
    return items[index] if items and index is not None and 0 <= index < len(items) else None
