"""The parts of SARIF 2.1.0 that reknit reads, and the paths of results. Parts that are not declared are skipped."""

from collections.abc import Sequence
from typing import Any, TypeVar
from urllib.parse import unquote

import msgspec

from reknit.core.issues.formats.paths import SEAM
from reknit.core.issues.formats.report import PATH_CHARS

T = TypeVar("T")


class _SarifPart(msgspec.Struct, gc=False, rename="camel"):
    """Any part of a log. It has no cycles and there may be a million, so the garbage collector skips it."""


class Message(_SarifPart):
    """A text, or the id of one in the rule, with arguments."""

    text: str | None = None
    id: str | None = None
    arguments: list[str] | None = None


class Artifact(_SarifPart):
    """Location of a file: an address, or an index into the run's list."""

    uri: str | None = None
    uri_base_id: str | None = None
    index: int | None = None


class Region(_SarifPart):
    """Lines and columns in a file."""

    start_line: int | None = None
    start_column: int | None = None
    snippet: Message | None = None


class Physical(_SarifPart):
    """A file and a region in it."""

    artifact_location: Artifact | None = None
    region: Region | None = None


class Location(_SarifPart):
    """A place of a result."""

    physical_location: Physical | None = None


class Suppression(_SarifPart):
    """A decision that a result needs no fix."""

    status: str | None = None


class SarifFix(_SarifPart):
    """A fix that the tool proposes."""

    description: Message | None = None


class Estimates(msgspec.Struct, gc=False):
    """Estimates in our own properties of a result; they are checked when they are read."""

    estimated_effort: Any = None
    estimated_files_count: Any = None


class Component(_SarifPart):
    """A reference to the tool's driver or to one of its extensions."""

    index: int | None = None


class RuleReference(_SarifPart):
    """A reference to a rule in a component."""

    id: str | None = None
    index: int | None = None
    tool_component: Component | None = None


class Result(_SarifPart):
    """One result of a run."""

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
    """Defaults of a rule."""

    level: str | None = None


class SarifRule(_SarifPart):
    """A rule with its defaults and message texts."""

    id: str | None = None
    default_configuration: Configuration | None = None
    message_strings: dict[str, Message] | None = None


class ToolComponent(_SarifPart):
    """The driver or an extension of a tool, with its rules."""

    name: str
    rules: list[SarifRule] | None = None
    global_message_strings: dict[str, Message] | None = None


class SarifTool(_SarifPart):
    """The tool of a run."""

    driver: ToolComponent
    extensions: list[ToolComponent] | None = None


class Invocation(_SarifPart):
    """One start of the tool."""

    execution_successful: bool | None = None


class ListedArtifact(_SarifPart):
    """An entry in the run's list of files."""

    location: Artifact | None = None


class Run(_SarifPart):
    """One run of a tool, with its results still encoded."""

    tool: SarifTool
    results: list[msgspec.Raw] | None = None
    invocations: list[Invocation] | None = None
    artifacts: list[ListedArtifact] | None = None
    original_uri_base_ids: dict[str, Artifact] | None = None


class Log(_SarifPart):
    """A whole document."""

    version: str
    runs: list[Run] | None = None


def get_at(items: Sequence[T] | None, index: int | None) -> T | None:
    """Return the item; None if there is none. SARIF refers to many things by list index, and -1 means none."""
    return items[index] if items and index is not None and 0 <= index < len(items) else None


_ROOT_NAMES = frozenset({"SRCROOT", "SOURCEROOT", "PROJECTROOT", "REPOROOT", "REPOSITORYROOT", "ROOTPATH"})
_MAX_BASES = 20


class Places:
    """Resolves the addresses of files with the run's base addresses and its list of files."""

    def __init__(self, run: Run) -> None:
        self.bases = run.original_uri_base_ids or {}
        self._artifacts = run.artifacts or ()
        self._bases_by_name: dict[str, str | None] = {}

    def find_path(self, artifact: Artifact) -> str:
        """Return a path or a `file:` URL; empty: no file is named."""
        if not artifact.uri:
            artifact_entry = get_at(self._artifacts, artifact.index)
            return (
                self.find_path(artifact_entry.location)
                if artifact_entry and artifact_entry.location and artifact_entry.location.uri
                else ""
            )
        uri, name = artifact.uri, artifact.uri_base_id or ""
        if _is_absolute(uri):
            return unquote(uri) if uri.startswith("/") else uri
        if name not in self._bases_by_name:
            self._bases_by_name[name] = self._join_bases(name)
        base = self._bases_by_name[name]
        if base is None:
            return ""
        if not _is_absolute(base):
            return unquote(base + uri)
        # The report may come from another checkout, so the end of its root is marked.
        return f"{base.rstrip('/')}{SEAM}{uri}" if _is_root_name(name) else base + uri

    def _join_bases(self, name: str) -> str | None:
        """Join the bases from the outermost inwards; None if that gives no path."""
        path = ""
        for _ in range(_MAX_BASES):
            base = self.bases.get(name)
            if base is None:
                return path
            uri = base.uri or ""
            path = (uri if not uri or uri.endswith("/") else f"{uri}/") + path
            if len(path) > PATH_CHARS:
                return None
            if _is_absolute(uri):
                return path
            name = base.uri_base_id or ""
        return None


def _is_absolute(uri: str) -> bool:
    return uri.startswith("/") or uri[:5].lower() == "file:" or "://" in uri or uri[1:2] == ":"


def _is_root_name(name: str) -> bool:
    return name.strip("%").upper().replace("_", "") in _ROOT_NAMES
