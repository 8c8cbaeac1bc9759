"""Rows of issues as values: how each stands to the newest imports of its tools."""

import dataclasses

import pytest
import sqlalchemy as sa

from reknit.core.issues.model import IssueSighting
from reknit.store.issues.ledger import SqlIssueLedger
from reknit.store.issues.values import issues_of
from tests.store.issues.backlog import (
    again,
    new,
    placed,
    put,
    read,
    report,
)


@pytest.fixture
def ledger(store: sa.Engine) -> SqlIssueLedger:
    return SqlIssueLedger(store)


@pytest.mark.parametrize(
    ("imports", "baseline"),
    [
        pytest.param([], "new", id="its import is the newest"),
        pytest.param([("mypy", [])], "new", id="another tool has looked since"),
        pytest.param([("ruff", [])], "absent", id="its tool has looked since and found nothing"),
        pytest.param([("ruff", ["ruff"])], "unchanged", id="its tool sees it again"),
        pytest.param([("pyright", ["pyright"]), ("ruff", [])], "updated", id="a second tool still sees it"),
        pytest.param([("pyright", ["pyright"]), ("ruff", []), ("pyright", [])], "absent", id="neither sees it"),
        pytest.param([("ruff", []), ("ruff", ["ruff"])], "unchanged", id="it was away for a while"),
    ],
)
def test_how_it_stands_to_the_newest_imports(
    ledger: SqlIssueLedger, imports: list[tuple[str, list[str]]], baseline: str
) -> None:
    (issue,) = put(ledger, new("a"))
    for tool, sightings in imports:
        again(ledger, *(IssueSighting(issue, placed("a", name)) for name in sightings), tools=(tool,))
    assert read(ledger, issue).baseline == baseline


def test_a_tool_that_the_source_did_not_name_has_looked_too(ledger: SqlIssueLedger) -> None:
    (issue,) = put(ledger, new("a", placed("a", "mypy")), source=report("ruff"))
    assert read(ledger, issue).baseline == "new"


def test_an_issue_is_an_ordinary_value_and_what_is_null_is_empty(ledger: SqlIssueLedger) -> None:
    (number,) = put(ledger, new("a"))
    issue = read(ledger, number)
    assert (issue.duplicate_of, issue.run_id, issue.commit, issue.pull) == (0, "", "", "")
    assert issue == dataclasses.replace(issue)
    with pytest.raises(dataclasses.FrozenInstanceError):
        issue.line = 4  # type: ignore[misc]
    assert issues_of([]) == []
