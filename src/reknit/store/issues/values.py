"""Converts rows of the issues table to values."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from reknit.core.issues.model import Issue, IssueSource
from reknit.store.issues.rows import further

Row = tuple[Any, ...]
_imports = msgspec.json.Decoder(dict[str, int])
_blank = object.__new__
_fill_issue, _fill_source = vars(Issue)["__dict__"].__set__, vars(IssueSource)["__dict__"].__set__
"""A frozen dataclass sets its fields one by one, which takes longer than a page's query; these set them at once."""


def issues_of(rows: Sequence[Row]) -> list[Issue]:
    """Takes rows with the columns that `page_query` selects."""
    decoded, newest = "", dict[str, int]()
    found: list[Issue] = []
    for (
        number, repository, fingerprint, status, path, line, column, tool, rule, message, url, more, weight, suggestion,
        effort, files, first, last, changed, duplicate_of, run_id, commit, pull, created_at, changed_at, label, tools,
    ) in rows:  # fmt: skip
        if tools != decoded:
            decoded, newest = tools, _imports.decode(tools)
        source = _blank(IssueSource)
        _fill_source(source, {"tool": tool, "rule": rule, "message": message, "url": url})
        sources = (source, *further(more)) if more else (source,)
        if last < (_oldest(sources, newest) if more else newest[tool]):
            baseline = "absent"
        elif first == last:
            baseline = "new"
        else:
            baseline = "updated" if changed == last else "unchanged"
        issue = _blank(Issue)
        _fill_issue(issue, {
            "id": number, "repository": repository, "fingerprint": fingerprint, "status": status, "path": path,
            "line": line, "column": column, "rule": rule, "message": message, "weight": weight, "sources": sources,
            "baseline": baseline, "suggestion": suggestion, "effort_1_5": effort, "files": files,
            "duplicate_of": duplicate_of or 0, "run_id": run_id or "", "commit": commit or "", "pull": pull or "",
            "created_at": created_at, "changed_at": changed_at, "label": label,
        })  # fmt: skip
        found.append(issue)
    return found


def _oldest(sources: Sequence[IssueSource], newest: Mapping[str, int]) -> int:
    """An issue is absent if every tool that saw it has scanned again since."""
    return min(newest[source.tool] for source in sources)
