"""What an import made absent: issues to do that their tools reported before and no longer report."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

import sqlalchemy as sa

from reknit.core.issues.lifecycle import TO_DO
from reknit.core.issues.model import AbsentIssues
from reknit.store.issues.rows import further
from reknit.store.tables import issues

_i = issues.c
Newest = Mapping[str, int]
"""Each tool's newest import."""


def newly_absent(
    db: sa.Connection, repository: str, number: int, before: Newest, looked: Collection[str]
) -> Sequence[AbsentIssues]:
    """`before`: without this import. `looked`: the tools of this import that scanned everything."""
    since = {tool: before[tool] for tool in looked if tool in before}
    if not since:
        return ()
    mine = (_i.repository == repository, _i.status.in_(TO_DO))
    gone = sa.and_(_i.last_import < number, sa.or_(*(_reported(tool, at) for tool, at in since.items())))
    query = sa.select(_i.tool, sa.func.count()).where(*mine, gone, _i.more == "").group_by(_i.tool)
    counts = Counter({tool: int(count) for tool, count in db.execute(query)})
    counts.update(_of_several(db, mine, number, before, since))
    if not counts:
        return ()
    again = sa.and_(_i.last_import == number, _i.first_import < number)
    look = sa.select(
        _i.tool, _counted(again), _files(sa.or_(again, gone)), _files(_i.last_import == number)
    ).where(*mine, _i.tool.in_(list(counts)))  # fmt: skip
    facts = {tool: tuple(map(int, numbers)) for tool, *numbers in db.execute(look.group_by(_i.tool))}
    return [AbsentIssues(tool, counts[tool], *facts.get(tool, ())) for tool in sorted(counts)]


def _of_several(
    db: sa.Connection, mine: Sequence[sa.ColumnElement[bool]], number: int, before: Newest, since: Newest
) -> Iterator[str]:
    """One tool per newly absent issue that several tools had reported: it is absent once all have scanned again."""
    after = {**before, **dict.fromkeys(since, number)}
    query = sa.select(_i.tool, _i.more, _i.last_import).where(*mine, _i.more != "", _i.last_import < number)
    for tool, more, last in db.execute(query):
        tools = [tool, *(source.tool for source in further(more))]
        if min(before[name] for name in tools) <= last < min(after[name] for name in tools):
            yield next(name for name in tools if name in since)


def _reported(tool: str, at: int) -> sa.ColumnElement[bool]:
    return sa.and_(_i.tool == tool, _i.last_import >= at)


def _counted(which: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return sa.func.count(sa.case((which, 1)))


def _files(which: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return sa.func.count(sa.distinct(sa.case((which, _i.path))))
