"""Counts the issues that an import made absent: their tools reported them before, and do not any more."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

import sqlalchemy as sa

from reknit.core.issues.import_summary import AbsentIssues
from reknit.core.issues.lifecycle import TO_DO
from reknit.store.issues.rows import decode_further_sources
from reknit.store.tables import issues

_i = issues.c
Newest = Mapping[str, int]
"""Each tool's newest import."""


def find_newly_absent(
    db: sa.Connection, repository: str, number: int, before: Newest, complete_tools: Collection[str]
) -> Sequence[AbsentIssues]:
    """Count the newly absent issues of each tool.

    `before`: each tool's newest import before this one. `complete_tools`: tools that scanned everything in this import.
    """
    since = {tool: before[tool] for tool in complete_tools if tool in before}
    if not since:
        return ()
    mine = (_i.repository == repository, _i.status.in_(TO_DO))
    unseen = sa.and_(_i.last_import < number, sa.or_(*(_is_reported_since(tool, at) for tool, at in since.items())))
    query = sa.select(_i.tool, sa.func.count()).where(*mine, unseen, _i.more == "").group_by(_i.tool)
    counts = Counter({tool: int(count) for tool, count in db.execute(query)})
    counts.update(_find_absent_of_several(db, mine, number, before, since))
    if not counts:
        return ()
    seen_again = sa.and_(_i.last_import == number, _i.first_import < number)
    query = sa.select(
        _i.tool, sa.func.count(sa.case((seen_again, 1))), _count_files_if(sa.or_(seen_again, unseen)),
        _count_files_if(_i.last_import == number),
    ).where(*mine, _i.tool.in_(list(counts)))  # fmt: skip
    facts = {tool: tuple(map(int, numbers)) for tool, *numbers in db.execute(query.group_by(_i.tool))}
    return [AbsentIssues(tool, counts[tool], *facts.get(tool, ())) for tool in sorted(counts)]


def _find_absent_of_several(
    db: sa.Connection, mine: Sequence[sa.ColumnElement[bool]], number: int, before: Newest, since: Newest
) -> Iterator[str]:
    """Yield one tool for each newly absent issue of several tools; it is absent once all of them have scanned again."""
    after = {**before, **dict.fromkeys(since, number)}
    query = sa.select(_i.tool, _i.more, _i.last_import).where(*mine, _i.more != "", _i.last_import < number)
    for tool, more, last in db.execute(query):
        tools = [tool, *(source.tool for source in decode_further_sources(more))]
        if min(before[name] for name in tools) <= last < min(after[name] for name in tools):
            yield next(name for name in tools if name in since)


def _is_reported_since(tool: str, at: int) -> sa.ColumnElement[bool]:
    return sa.and_(_i.tool == tool, _i.last_import >= at)


def _count_files_if(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return sa.func.count(sa.distinct(sa.case((condition, _i.path))))
