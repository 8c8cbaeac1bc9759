"""The query of a page: it walks an index from where it is asked on, so its cost does not grow with the issues."""

from pathlib import Path

import pytest

from reknit.core.issues.lifecycle import STATUSES, Status
from reknit.core.issues.model import IssueFilter
from reknit.store.database import open_store
from reknit.store.issues.page_query import build_page_query


@pytest.mark.parametrize(
    "statuses",
    [pytest.param((), id="all"), pytest.param(("OPEN",), id="one status"), pytest.param(("OPEN", "FAILED"), id="two")],
)
def test_every_walk_begins_at_its_place_in_an_index(tmp_path: Path, statuses: tuple[Status, ...]) -> None:
    engine = open_store(f"sqlite:///{tmp_path}/reknit.sqlite")
    query, params = build_page_query("sqlite", "shop", IssueFilter(statuses=statuses), 50, newest_first=True)
    with engine.connect() as db:
        plan = [str(row[3]) for row in db.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", params)]
    engine.dispose()
    walks = [step for step in plan if step.startswith(("SEARCH i ", "SCAN i ")) and "PRIMARY KEY" not in step]
    assert len(walks) == len(statuses or STATUSES)
    assert all("issues_by_status (repository=? AND status=? AND listed<?)" in step for step in walks), plan


@pytest.mark.parametrize("count", range(1, 4))
def test_psycopg_keeps_the_query_of_a_page_ready(count: int) -> None:
    """It does not look again at a text of less than 4 KB that it has seen."""
    query, _ = build_page_query("postgresql", "shop", IssueFilter(statuses=STATUSES[:count]), 50, newest_first=True)
    assert len(query.encode()) < 4096
