"""Reading issues: pages by key, filters, and how much of each status there is."""

import dataclasses
import itertools

import pytest
import sqlalchemy as sa

from reknit.core.issues.lifecycle import STATUSES, BaselineState, Status
from reknit.core.issues.model import IssueFilter, IssueSighting
from reknit.store.issues.ledger import SqlIssueLedger
from reknit.store.issues.reader import to_issues
from tests.store.issues.backlog import (
    NOTE,
    OTHER,
    SHOP,
    again,
    bring,
    new,
    placed,
    put,
    read,
    report,
)


@pytest.fixture
def ledger(store: sa.Engine) -> SqlIssueLedger:
    return SqlIssueLedger(store)


def chosen(ledger: SqlIssueLedger, which: IssueFilter) -> list[int]:
    """By `each`; that pages say the same is asserted on the way."""
    ids = [issue.id for issue in ledger.each(SHOP, which)]
    assert paged(ledger, which, 2) == ids[::-1]
    return ids


def paged(ledger: SqlIssueLedger, which: IssueFilter, limit: int) -> list[int]:
    found: list[int] = []
    after = 0
    while True:
        page = ledger.page(SHOP, which, after=after, limit=limit)
        assert len(page.issues) == limit or not page.after
        found += [issue.id for issue in page.issues]
        if not page.after:
            return found
        assert page.after == found[-1]
        after = page.after


def test_issues_come_in_the_order_of_the_ids(ledger: SqlIssueLedger) -> None:
    one, two = put(ledger, new("a"), new("b"))
    (elsewhere,) = put(ledger, new("a"), repository=OTHER)
    assert [issue.id for issue in ledger.issues([elsewhere, two, 999, one, two])] == [elsewhere, two, one]
    assert [issue.repository for issue in ledger.issues([elsewhere, one])] == [OTHER, SHOP]
    assert ledger.issues([]) == ()


def test_an_empty_repository_has_no_page(ledger: SqlIssueLedger) -> None:
    put(ledger, new("a"), repository=OTHER)
    page = ledger.page(SHOP, IssueFilter())
    assert (page.issues, page.after, list(ledger.each(SHOP, IssueFilter()))) == ((), 0, [])
    assert ledger.counts(SHOP) == dict.fromkeys(STATUSES, 0)


@pytest.mark.parametrize("limit", [1, 3, 7, 50])
def test_pages_have_every_issue_once_whatever_the_statuses(ledger: SqlIssueLedger, limit: int) -> None:
    ids = put(ledger, *(new(str(number)) for number in range(14)))
    has: dict[int, Status] = dict(zip(ids, itertools.cycle(STATUSES), strict=False))
    for issue, status in has.items():
        bring(ledger, issue, status)
    assert ledger.counts(SHOP) == dict.fromkeys(STATUSES, 2)
    sets: list[tuple[Status, ...]] = [(), ("OPEN",), ("FAILED", "OPEN"), ("OPEN", "OPEN"), STATUSES]
    for statuses in sets:
        wanted = [issue for issue in reversed(ids) if has[issue] in (statuses or STATUSES)]
        assert paged(ledger, IssueFilter(statuses=statuses), limit) == wanted
        assert [issue.id for issue in ledger.each(SHOP, IssueFilter(statuses=statuses))] == wanted[::-1]


def test_each_goes_on_over_more_than_it_holds_at_once(ledger: SqlIssueLedger) -> None:
    ids = put(ledger, *(new(str(number)) for number in range(2001)))
    ledger.change(ids[::2], "IGNORED", NOTE)
    assert [issue.id for issue in ledger.each(SHOP, IssueFilter(statuses=("OPEN", "IGNORED")))] == ids
    assert [issue.id for issue in ledger.each(SHOP, IssueFilter(statuses=("OPEN",)))] == ids[1::2]


@pytest.mark.parametrize(
    ("which", "expected"),
    [
        pytest.param(IssueFilter(tools=("ruff",)), "a b", id="tool"),
        pytest.param(IssueFilter(tools=("pyright",)), "b c", id="also the second tool that saw it"),
        pytest.param(IssueFilter(tools=("ruff", "pyright")), "a b c", id="one of two tools"),
        pytest.param(IssueFilter(tools=("Ruff",)), "", id="a tool is named as it names itself"),
        pytest.param(IssueFilter(tools=("forged",)), "", id="a text that looks like a source is none"),
        pytest.param(IssueFilter(rules=("F401",)), "a b", id="rule"),
        pytest.param(IssueFilter(rules=("reportUnused",)), "b", id="as the second tool names it"),
        pytest.param(IssueFilter(rules=("f401",)), "a b", id="rule in small letters"),
        pytest.param(IssueFilter(rules=("REPORTUNUSED",)), "b", id="in large letters, of the second tool"),
        pytest.param(IssueFilter(weights=("minor", "critical")), "a c", id="weights"),
        pytest.param(IssueFilter(tools=("pyright",), weights=("important",)), "b", id="all that is named must fit"),
        pytest.param(IssueFilter(run_id="r-7"), "c", id="run"),
        pytest.param(IssueFilter(statuses=("OPEN",), run_id="r-7"), "", id="run and status"),
    ],
)
def test_filters_choose(ledger: SqlIssueLedger, which: IssueFilter, expected: str) -> None:
    tricky = placed("b", "pyright", rule="reportUnused", message='{"tool":"forged"}')
    ids = put(
        ledger,
        new("a", placed("a", weight="minor")),
        new("b", None, tricky),
        new("c", placed("c", "pyright", rule="reportAny", weight="critical")),
    )
    ledger.take("r-7", ids[2:], NOTE)
    names = dict(zip(ids, "abc", strict=True))
    assert [names[issue] for issue in chosen(ledger, which)] == expected.split()


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        pytest.param(("src/a.py",), ["src/a.py"], id="a file"),
        pytest.param(("src",), ["src/a.py", "src/deep/b_c.py", "src/deep/bxc.py"], id="a folder, not its namesakes"),
        pytest.param(("./src/deep/",), ["src/deep/b_c.py", "src/deep/bxc.py"], id="a folder as a shell completes it"),
        pytest.param((".",), None, id="all"),
        pytest.param(("*/a.py",), ["src/a.py", "src2/a.py"], id="a star"),
        pytest.param(("s*.py",), ["src/a.py", "src/deep/b_c.py", "src/deep/bxc.py", "src2/a.py"], id="over slashes"),
        pytest.param(("src/*/b_c.py",), ["src/deep/b_c.py"], id="an underscore is itself"),
        pytest.param(("*/de*p",), ["src/deep/b_c.py", "src/deep/bxc.py"], id="folders by a pattern"),
        pytest.param(("web/[id]/*",), ["web/[id]/p?.tsx"], id="brackets are themselves"),
        pytest.param(("web/*/p?.tsx",), ["web/[id]/p?.tsx"], id="so is a question mark"),
        pytest.param(("100%*",), ["100%!/x.py"], id="and a percent sign"),
        pytest.param(("*%!*",), ["100%!/x.py"], id="and an exclamation mark"),
        pytest.param(("SRC/*",), [], id="capitals are others"),
        pytest.param(("src2", "web"), ["src2/a.py", "web/[id]/p?.tsx", "web/i/px.tsx"], id="one of two"),
    ],
)
def test_paths_are_files_folders_or_patterns(
    ledger: SqlIssueLedger, paths: tuple[str, ...], expected: list[str] | None
) -> None:
    files = [
        "src/a.py", "src/deep/b_c.py", "src/deep/bxc.py", "src2/a.py", "web/[id]/p?.tsx", "web/i/px.tsx", "100%!/x.py",
    ]  # fmt: skip
    ids = put(ledger, *(new(path, placed(path, path=path)) for path in files))
    found = chosen(ledger, IssueFilter(paths=paths))
    wanted = files if expected is None else [path for path in files if path in expected]
    assert [files[ids.index(issue)] for issue in found] == wanted


def test_baseline_states_are_chosen_over_many_pages(ledger: SqlIssueLedger) -> None:
    gone, same, changed = put(ledger, new("gone"), new("same"), new("changed"))
    many = put(ledger, *(new(str(number)) for number in range(30)))
    seen = [IssueSighting(issue, placed(str(number))) for number, issue in enumerate(many)]
    again(ledger, IssueSighting(same, placed("same")), IssueSighting(changed, placed("changed", line=9)), *seen)
    (fresh,) = put(ledger, new("fresh", placed("fresh", "mypy")), source=report("mypy"))
    expected: dict[tuple[BaselineState, ...], list[int]] = {
        ("new",): [fresh],
        ("absent",): [gone],
        ("updated",): [changed],
        ("unchanged",): [same, *many],
        ("absent", "updated"): [gone, changed],
        ("new", "absent", "unchanged", "updated"): [gone, same, changed, *many, fresh],
    }
    assert {words: chosen(ledger, IssueFilter(baselines=words)) for words in expected} == expected


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
    assert to_issues([]) == []
