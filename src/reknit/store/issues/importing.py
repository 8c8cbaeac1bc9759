"""Imports results of tools into the issue ledger: adds new issues, updates known ones, and finds absent ones."""

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa

from reknit.core.issues.import_summary import AbsentIssues, ImportCount, ImportSource
from reknit.core.issues.model import ChangeNote, IssueSighting, KnownIssue, NewIssue
from reknit.core.issues.review_findings import make_labels
from reknit.store.issues.absence import find_newly_absent
from reknit.store.issues.rows import (
    MATCH_COLUMNS,
    StoredIssue,
    apply_sighting,
    decode_further_sources,
    insert_issues,
    is_visibly_different,
    make_row,
)
from reknit.store.issues.status_changes import change_statuses, is_among
from reknit.store.tables import imports, issue_changes, issues, newest_imports

_i = issues.c
_AT_ONCE = 1000
_STORED_COLUMNS = [_i[name] for name in StoredIssue.__struct_fields__]
_KNOWN_COLUMNS: tuple[sa.ColumnElement[Any], ...] = (
    _i.id, _i.path, _i.concept, _i.line, _i.wide, _i.own, _i.said, _i.tool, _i.more, _i.status, _i.fingerprint,
)  # fmt: skip
_VISIBLE_COLUMNS = set(StoredIssue.__struct_fields__) - {"id", "status", "commit_id", "tool", "first_import"}
T = TypeVar("T")


class SqlIssueImport:
    """One import in progress, in one exclusive transaction."""

    def __init__(self, db: sa.Connection, repository: str, source: ImportSource) -> None:
        self._db, self._repository, self._source = db, repository, source
        self._dialect = db.dialect.name
        newest = sa.select(sa.func.max(imports.c.number)).where(imports.c.repository == repository)
        same = newest.where(imports.c.names == json.dumps(source.names))
        self._repeated_number: int = (db.execute(same).scalar() or 0) if source.once else 0
        self._number = self._repeated_number or 1 + (db.execute(newest).scalar() or 0)
        self._tools, self._landed = set(source.tools), frozenset(source.landed)
        self._new = self._unchanged = self._updated = self._reopened = 0
        self._unmerged: set[int] = set()

    def find_known(self, paths: Sequence[str]) -> Sequence[KnownIssue]:
        known_issues: list[KnownIssue] = []
        for batch in _chunks(list(dict.fromkeys(paths))):
            query = sa.select(*_KNOWN_COLUMNS).where(_i.repository == self._repository, _i.path.in_(batch))
            known_issues += [_to_known_issue(row) for row in self._db.execute(query)]
        return sorted(known_issues, key=lambda known: known.id)

    def paths(self) -> Mapping[str, str]:
        last = sa.select(_i.path, sa.func.max(_i.last_import).label("number")).where(_i.repository == self._repository)
        newest = last.group_by(_i.path).subquery()
        commits = {self._number: self._source.commit} | self._read_commits()
        return {path: commits[number] for path, number in self._db.execute(sa.select(newest))}

    def add(self, new: Sequence[NewIssue]) -> None:
        row = functools.partial(make_row, self._repository, self._number, self._source.at)
        insert_issues(self._db, self._repository, new, row)
        self._new += len(new)
        self._tools.update(placed.result.tool for one in new for placed in (one.result, *one.other_results))

    def record_sightings(self, sightings: Sequence[IssueSighting]) -> None:
        for batch in _chunks(sightings):
            before = self._load_stored([one.id for one in batch])
            after = dict(before)
            counted_ids = {stored.id for stored in before.values() if stored.last_import == self._number}
            for one in batch:
                after[one.id] = apply_sighting(after[one.id], one.result, first=one.id not in counted_ids)
                counted_ids.add(one.id)
            self._write([(stored, after[stored.id]) for stored in before.values()])
        self._tools.update(one.result.result.tool for one in sightings)

    def label(self, ids: Sequence[int], prefix: str) -> Mapping[int, str]:
        mine = _i.repository == self._repository
        query = sa.select(_i.id, _i.label).where(mine, is_among(self._dialect, set(ids)))
        labels = {row.id: row.label for row in self._db.execute(query)}
        unlabelled = [issue for issue in dict.fromkeys(ids) if not labels[issue]]
        if unlabelled:
            used = self._db.execute(sa.select(_i.label).where(mine, _i.label != "")).scalars().all()
            new_labels = dict(zip(unlabelled, make_labels(prefix, used, len(unlabelled)), strict=True))
            self._db.execute(_UPDATE_LABEL, [{"this": issue, "given": label} for issue, label in new_labels.items()])
            labels |= new_labels
        return labels

    def count(self) -> ImportCount:
        unmerged = tuple(sorted(self._unmerged))
        return ImportCount(self._number, self._new, self._unchanged, self._updated, self._reopened, unmerged)

    def mark_absent(self) -> Sequence[AbsentIssues]:
        before = self._read_newest_imports()
        return find_newly_absent(self._db, self._repository, self._number, before, self._list_complete_tools(before))

    def close(self) -> None:
        """Record this as the newest import of these tools."""
        if self._repeated_number:
            return
        source, mine = self._source, newest_imports.c.repository == self._repository
        self._db.execute(
            sa.insert(imports).values(
                repository=self._repository, number=self._number, tools=json.dumps(sorted(self._tools)),
                names=json.dumps(source.names), commit_id=source.commit, who=source.author, at=source.at,
            )
        )  # fmt: skip
        newest_by_tool = self._read_newest_imports()
        tools = newest_by_tool | dict.fromkeys(self._list_complete_tools(newest_by_tool), self._number)
        self._db.execute(sa.delete(newest_imports).where(mine))
        self._db.execute(sa.insert(newest_imports).values(repository=self._repository, tools=json.dumps(tools)))

    def _read_newest_imports(self) -> dict[str, int]:
        """Return each tool's newest import, without this one."""
        query = sa.select(newest_imports.c.tools).where(newest_imports.c.repository == self._repository)
        numbers: dict[str, int] = json.loads(self._db.execute(query).scalar() or "{}")
        return numbers

    def _list_complete_tools(self, newest_imports_by_tool: Mapping[str, int]) -> list[str]:
        return [
            tool
            for tool in sorted(self._tools)
            if tool not in self._source.partial or tool not in newest_imports_by_tool
        ]

    def _read_commits(self) -> dict[int, str]:
        c = imports.c
        query = sa.select(c.number, c.commit_id).where(c.repository == self._repository)
        return {row.number: row.commit_id for row in self._db.execute(query)}

    def _load_stored(self, ids: Sequence[int]) -> dict[int, StoredIssue]:
        query = sa.select(*_STORED_COLUMNS).where(_i.repository == self._repository, is_among(self._dialect, set(ids)))
        return {row.id: StoredIssue(*row) for row in self._db.execute(query)}

    def _write(self, pairs: Sequence[tuple[StoredIssue, StoredIssue]]) -> None:
        reopened_ids = {before.id for before, _ in pairs if self._is_seen_again(before)}
        self._unmerged |= {before.id for before, _ in pairs if before.status == "RESOLVED"} - reopened_ids
        changed = {
            before.id for before, after in pairs if before.id in reopened_ids or is_visibly_different(before, after)
        }
        for before, _ in pairs:
            self._tally(before, changed=before.id in changed)
        moved = {before.id for before, after in pairs if after != before} - changed
        same = {before.id for before, _ in pairs if before.last_import < self._number} - changed - moved
        if same:
            self._db.execute(sa.update(issues).where(is_among(self._dialect, same)).values(last_import=self._number))
        if moved:
            self._db.execute(
                _UPDATE_MATCHING, [self._make_matching_update(after) for _, after in pairs if after.id in moved]
            )
        if changed:
            self._db.execute(
                _UPDATE_VISIBLE, [self._make_visible_update(after) for _, after in pairs if after.id in changed]
            )
        if reopened_ids:
            source = self._source
            note = ChangeNote(source.author, "a tool sees it again", source.at, commit=source.commit)
            # Another program may have changed some of them meanwhile, so count only those that this statement reopens.
            opened = change_statuses("OPEN", note, is_among(self._dialect, reopened_ids)).returning(
                issue_changes.c.issue
            )
            self._reopened += len(self._db.execute(opened).all())

    def _is_seen_again(self, before: StoredIssue) -> bool:
        """Return True if the issue is done, but a tool has seen it in a tree that contains its fix."""
        if before.status != "RESOLVED":
            return before.status == "MERGED"
        return before.commit_id in self._landed or (before.commit_id, before.path) in self._source.carried

    def _make_visible_update(self, one: StoredIssue) -> dict[str, Any]:
        now = {"last_import": self._number, "changed_import": self._number, "changed_at": self._source.at}
        return {name: getattr(one, name) for name in _VISIBLE_COLUMNS} | now | {"this": one.id}

    def _make_matching_update(self, one: StoredIssue) -> dict[str, Any]:
        return {name: getattr(one, name) for name in MATCH_COLUMNS} | {"last_import": self._number, "this": one.id}

    def _tally(self, before: StoredIssue, *, changed: bool) -> None:
        """Count each issue once, even if two tools of this import report it."""
        if before.first_import == self._number:
            return
        if before.last_import < self._number:
            self._updated += changed
            self._unchanged += not changed
        elif changed and before.changed_import < self._number:
            self._updated += 1
            self._unchanged -= 1


_UPDATE_VISIBLE = (
    sa.update(issues)
    .where(_i.id == sa.bindparam("this"))
    .values({name: sa.bindparam(name) for name in (*_VISIBLE_COLUMNS, "changed_at")})
)
_UPDATE_MATCHING = (
    sa.update(issues)
    .where(_i.id == sa.bindparam("this"))
    .values({name: sa.bindparam(name) for name in (*MATCH_COLUMNS, "last_import")})
)


_UPDATE_LABEL = sa.update(issues).where(_i.id == sa.bindparam("this")).values(label=sa.bindparam("given"))


def _to_known_issue(row: Sequence[Any]) -> KnownIssue:
    """Convert a row with the columns of `_KNOWN_COLUMNS`."""
    *place, tool, more, status, fingerprint = row
    tools = tuple(dict.fromkeys((tool, *(source.tool for source in decode_further_sources(more)))))
    return KnownIssue(*(*place, tools, status, fingerprint))


def _chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    return (items[start : start + _AT_ONCE] for start in range(0, len(items), _AT_ONCE))
