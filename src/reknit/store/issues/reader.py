"""Reads issues and their history."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from reknit.core.issues.lifecycle import STATUSES
from reknit.core.issues.model import ChangeNote, Counts, Issue, IssueChange, IssueFilter, IssuePage, IssueSource
from reknit.store.issues.page_query import BEYOND, build_issues_query, build_page_query
from reknit.store.issues.rows import decode_further_sources
from reknit.store.tables import imports, issue_changes, issues
from reknit.store.transactions import call_with_retries

Row = tuple[Any, ...]
_imports = msgspec.json.Decoder(dict[str, int])
_blank = object.__new__
_fill_issue, _fill_source = vars(Issue)["__dict__"].__set__, vars(IssueSource)["__dict__"].__set__
"""Set all fields of a frozen dataclass at once. Its constructor would take longer than the query of a page."""


def to_issues(rows: Sequence[Row]) -> list[Issue]:
    """Convert rows with the columns that `build_page_query` selects."""
    decoded, newest = "", dict[str, int]()
    values: list[Issue] = []
    for (
        number, repository, fingerprint, status, path, line, column, tool, rule, message, url, more, weight, suggestion,
        effort, files, first, last, changed, duplicate_of, run_id, commit, pull, created_at, changed_at, label, tools,
    ) in rows:  # fmt: skip
        if tools != decoded:
            decoded, newest = tools, _imports.decode(tools)
        source = _blank(IssueSource)
        _fill_source(source, {"tool": tool, "rule": rule, "message": message, "url": url})
        sources = (source, *decode_further_sources(more)) if more else (source,)
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
        values.append(issue)
    return values


def _oldest(sources: Sequence[IssueSource], newest: Mapping[str, int]) -> int:
    """Return the oldest of the tools' newest imports: an issue is absent only after all its tools scanned again."""
    return min(newest[source.tool] for source in sources)


_i = issues.c
_AT_ONCE = 1000


class IssueReader:
    """Read access to issues, their history and their counts."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine, self._autocommit_engine = engine, engine
        if engine.dialect.name != "sqlite":  # saves the two round trips of a transaction, which take as long as a page
            self._autocommit_engine = engine.execution_options(isolation_level="AUTOCOMMIT")

    def issues(self, ids: Sequence[int]) -> tuple[Issue, ...]:
        query, params = build_issues_query(self.engine.dialect.name, ids)

        def once() -> Sequence[Row]:
            with self._autocommit_engine.connect() as db:
                return _fetch_rows(db, query, params)

        issues_by_id = {issue.id: issue for issue in to_issues(call_with_retries(self.engine, once))}
        return tuple(issues_by_id[issue] for issue in dict.fromkeys(ids) if issue in issues_by_id)

    def history(self, issue: int) -> tuple[IssueChange, ...]:
        c = issue_changes.c
        creation = (
            sa.select(_i.tool, imports.c.who, imports.c.at, imports.c.commit_id)
            .join(imports, sa.and_(imports.c.repository == _i.repository, imports.c.number == _i.first_import))
            .where(_i.id == issue)
        )
        with self.engine.connect() as db:
            first = db.execute(creation).one_or_none()
            rows = db.execute(sa.select(issue_changes).where(c.issue == issue).order_by(c.number)).all()
        if first is None:
            return ()
        created = ChangeNote(first.who, f"{first.tool} found it", first.at, commit=first.commit_id)
        return (IssueChange(issue, None, "OPEN", created), *(_to_change(row) for row in rows))

    def page(self, repository: str, issue_filter: IssueFilter, *, after: int = 0, limit: int = 50) -> IssuePage:
        query, params = build_page_query(
            self.engine.dialect.name, repository, issue_filter, limit + 1, newest_first=True
        )
        page_issues: list[Issue] = []
        rows: Sequence[Row] = ()
        with self._autocommit_engine.connect() as db:
            while len(page_issues) <= limit:
                rows = _fetch_rows(db, query, {**params, "after": after or BEYOND})
                page_issues += _filter_by_baseline(to_issues(rows), issue_filter)
                if len(rows) <= limit:
                    break
                after = rows[-1][0]
        return IssuePage(tuple(page_issues[:limit]), page_issues[limit - 1].id if len(page_issues) > limit else 0)

    def each(self, repository: str, issue_filter: IssueFilter) -> Iterator[Issue]:
        query, params = build_page_query(
            self.engine.dialect.name, repository, issue_filter, _AT_ONCE, newest_first=False
        )
        after = 0
        while True:
            with self._autocommit_engine.connect() as db:
                rows = _fetch_rows(db, query, {**params, "after": after})
            yield from _filter_by_baseline(to_issues(rows), issue_filter)
            if len(rows) < _AT_ONCE:
                return
            after = rows[-1][0]

    def counts(self, repository: str) -> Counts:
        query = sa.select(_i.status, sa.func.count()).where(_i.repository == repository).group_by(_i.status)
        with self.engine.connect() as db:
            count_by_status = {status: int(count) for status, count in db.execute(query)}
        return {status: count_by_status.get(status, 0) for status in STATUSES}

    def unmerged_commits(self, repository: str) -> tuple[str, ...]:
        query = (
            sa.select(_i.commit_id)
            .where(_i.repository == repository, _i.status == "RESOLVED")
            .group_by(_i.commit_id)
            .order_by(sa.func.max(_i.changed_at), _i.commit_id)
        )
        with self.engine.connect() as db:
            return tuple(db.execute(query).scalars())

    def unmerged_files(self, repository: str) -> dict[str, list[str]]:
        conditions = (_i.repository == repository, _i.status == "RESOLVED")
        files: dict[str, list[str]] = {}
        with self.engine.connect() as db:
            for commit, path in db.execute(sa.select(_i.commit_id, _i.path).where(*conditions).distinct()):
                files.setdefault(commit, []).append(path)
        return files


def _fetch_rows(db: sa.Connection, query: str, params: dict[str, Any]) -> Sequence[Row]:
    """Run a query with the driver itself, which returns plain tuples."""
    cursor: Any = db.connection.cursor()
    try:
        cursor.execute(query, params)
        rows: Sequence[Row] = cursor.fetchall()
        return rows
    finally:
        cursor.close()


def _filter_by_baseline(page_issues: list[Issue], issue_filter: IssueFilter) -> list[Issue]:
    return (
        [issue for issue in page_issues if issue.baseline in issue_filter.baselines]
        if issue_filter.baselines
        else page_issues
    )


def _to_change(row: Any) -> IssueChange:
    note = ChangeNote(row.who, row.why, row.at, row.run_id or "", row.commit_id or "")
    return IssueChange(row.issue, row.old_status, row.new_status, note)
