"""Issues are MERGED by the forge's word alone, once, and only those whose commit a merged pull request brought in."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.app.installation import Installation, find_installation
from reknit.app.issues.merges import WHO, MergeLookup, look_for_merge, record_merges
from reknit.app.makers import make_forge_maker
from reknit.core.forge.values import ForgeError, ForgePlace, WebhookEvent
from reknit.ports.forge import Forge, ForgeMaker
from reknit.store.database import open_store
from reknit.store.issues.ledger import SqlIssueLedger
from tests.tools.github import GitHub
from tests.tools.resolved_issues import RUN, resolve, statuses

SLUG, BRANCH = "acme/shop", f"reknit/{RUN}"
AT = 9.0


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as made:
        made.make_repository(SLUG, {"a.py": "import os\n"})
        yield made
        assert made.violations == []


@pytest.fixture
def installation(hub: GitHub, database_url: str, tmp_path: Path) -> Installation:
    config = tmp_path / "config.toml"
    config.write_text(f'forge.api = "{hub.url}"\n')
    own = {"REKNIT_STATE": str(tmp_path / "state"), "REKNIT_DATABASE": database_url, "REKNIT_CONFIG": str(config)}
    return find_installation({**own, "GH_TOKEN": hub.token})


@pytest.fixture
def ledger(installation: Installation) -> Iterator[SqlIssueLedger]:
    installation.state.mkdir()
    engine = open_store(installation.database)
    yield SqlIssueLedger(engine)
    engine.dispose()


@pytest.fixture
def forges(installation: Installation) -> ForgeMaker:
    return make_forge_maker(installation.environment)


@pytest.fixture
def forge(hub: GitHub, forges: ForgeMaker) -> Forge:
    return forges(ForgePlace("github", hub.url, SLUG))


@pytest.fixture
def key(hub: GitHub) -> str:
    return f"{hub.url.removeprefix('http://')}/{SLUG}"


def pushed(hub: GitHub, branch: str = BRANCH, slug: str = SLUG) -> tuple[str, int]:
    """The run's commit, pushed by its user and made a pull request of: (commit, number)."""
    commit = hub.commit(slug, branch, {"a.py": "import sys\n"}, message="fix")
    return commit, hub.open_pull(SLUG, head=branch, head_slug=slug)


def told(hub: GitHub, number: int, commit: str = "", merged_from: str = SLUG) -> WebhookEvent:
    return WebhookEvent("d-1", SLUG, commit, number, f"{hub.url}/{SLUG}", merged_from)


@pytest.mark.parametrize("how", ["merge", "squash", "rebase"])
def test_they_are_merged_with_their_pull_request(
    hub: GitHub, ledger: SqlIssueLedger, forge: Forge, key: str, how: str
) -> None:
    commit, number = pushed(hub)
    ids = resolve(ledger, key, commit, 1, 2)
    assert record_merges(ledger, forge, ledger.unmerged_commits(key), [SLUG], user="ada", at=AT) == ()
    assert statuses(ledger, ids) == [("RESOLVED", "")] * 2

    hub.commit(SLUG, BRANCH, {"b.py": ""}, message="on top of it")
    hub.merge(SLUG, number, how)
    hub.delete_branch(SLUG, BRANCH)

    assert record_merges(ledger, forge, ledger.unmerged_commits(key), [SLUG], user="ada", at=AT) == ids
    assert statuses(ledger, ids) == [("MERGED", f"{hub.url}/{SLUG}/pull/{number}")] * 2
    last = ledger.history(ids[0])[-1]
    assert (last.old, last.new, last.note.author, last.note.at, last.note.commit) == (
        "RESOLVED", "MERGED", "ada", AT, commit,
    )  # fmt: skip
    assert last.note.why == f"pull request #{number} is merged"


def test_a_second_look_changes_nothing_and_asks_nothing(
    hub: GitHub, ledger: SqlIssueLedger, forge: Forge, key: str
) -> None:
    commit, number = pushed(hub)
    ids = resolve(ledger, key, commit, 1)
    hub.merge(SLUG, number, "squash")
    record_merges(ledger, forge, ledger.unmerged_commits(key), [SLUG], user="ada", at=AT)
    hub.calls.clear()

    assert record_merges(ledger, forge, ledger.unmerged_commits(key), [SLUG], user="bob", at=AT + 1) == ()
    assert hub.calls == []
    assert len(ledger.history(ids[0])) == 4


def test_what_no_merged_pull_request_has_stays_resolved(
    hub: GitHub, ledger: SqlIssueLedger, forge: Forge, key: str
) -> None:
    """One that is open, one that was closed, one that was rebased before its push, and one of another repository."""
    open_one, _ = pushed(hub)
    closed_one, number = pushed(hub, "reknit/r-2")
    hub.close_pull(SLUG, number)
    old, number = pushed(hub, "reknit/r-3")
    hub.rewrite(SLUG, "reknit/r-3")
    hub.merge(SLUG, number, "squash")
    theirs, number = pushed(hub, "reknit/r-4")
    hub.merge(SLUG, number)
    ids = [*resolve(ledger, key, open_one, 1), *resolve(ledger, key, closed_one, 2)]
    ids += [*resolve(ledger, key, old, 3), *resolve(ledger, key, "f" * 40, 4)]
    ids += resolve(ledger, f"{key}s", theirs, 5)

    assert record_merges(ledger, forge, ledger.unmerged_commits(key), [SLUG], user="ada", at=AT) == ()
    assert {status for status, _pull in statuses(ledger, ids)} == {"RESOLVED"}


def test_what_was_noted_before_a_bad_moment_stays(hub: GitHub, ledger: SqlIssueLedger, forge: Forge, key: str) -> None:
    ids: list[int] = []
    for run in ("one", "two"):
        commit, number = pushed(hub, run)
        ids += resolve(ledger, key, commit, len(ids) + 1, at=3.0 + len(ids))
        hub.merge(SLUG, number, "squash")
    hub.faults.switch("secondary_limit", after=1)

    with pytest.raises(ForgeError):
        record_merges(ledger, forge, ledger.unmerged_commits(key), [SLUG], user="ada", at=AT)
    assert [status for status, _ in statuses(ledger, ids)] == ["MERGED", "RESOLVED"], "as they were given"
    assert record_merges(ledger, forge, ledger.unmerged_commits(key), [SLUG], user="ada", at=AT) == (ids[1],)


def test_a_hint_makes_it_look(
    hub: GitHub, installation: Installation, ledger: SqlIssueLedger, forges: ForgeMaker, key: str
) -> None:
    commit, number = pushed(hub)
    ids = resolve(ledger, key, commit, 1)
    hub.merge(SLUG, number, "squash")

    assert look_for_merge(installation, told(hub, number, commit), forges, at=AT) == MergeLookup(ids)
    assert look_for_merge(installation, told(hub, number, commit), forges, at=AT) == MergeLookup()
    assert ledger.history(ids[0])[-1].note.author == WHO


def test_a_hint_is_not_believed(
    hub: GitHub, installation: Installation, ledger: SqlIssueLedger, forges: ForgeMaker, key: str
) -> None:
    commit, number = pushed(hub)
    ids = resolve(ledger, key, commit, 1)

    assert look_for_merge(installation, told(hub, number, commit), forges, at=AT) == MergeLookup(is_over=False)
    assert statuses(ledger, ids) == [("RESOLVED", "")]


def test_an_issue_of_a_fork_is_merged_into_its_upstream(
    hub: GitHub, installation: Installation, ledger: SqlIssueLedger, forges: ForgeMaker, key: str
) -> None:
    fork = hub.fork(SLUG, "Eve")
    commit, number = pushed(hub, slug=fork)
    ids = resolve(ledger, key.replace(SLUG, fork.lower()), commit, 1)
    hub.merge(SLUG, number, "rebase")

    assert look_for_merge(installation, told(hub, number, commit, fork), forges, at=AT) == MergeLookup(ids)


@pytest.mark.parametrize("fault", ["", "secondary_limit"])
def test_a_fork_that_is_gone_or_slow_keeps_nothing_of_the_repository_itself_waiting(
    hub: GitHub, installation: Installation, ledger: SqlIssueLedger, forges: ForgeMaker, key: str, fault: str
) -> None:
    fork = hub.fork(SLUG, "eve")
    commit, number = pushed(hub, slug=fork)
    theirs = resolve(ledger, key.replace(SLUG, fork), commit, 1)
    own = resolve(ledger, key, hub.commit(fork, BRANCH, {"b.py": ""}), 2)
    hub.merge(SLUG, number)
    hub.delete_repository(fork)
    if fault:
        hub.faults.switch(fault, after=1)

    look = look_for_merge(installation, told(hub, number, commit, fork), forges, at=AT)

    assert (look.merged, look.is_over, look.problem.partition(":")[0]) == (own, not fault, "limited" if fault else "")
    assert statuses(ledger, theirs) == [("RESOLVED", "")], "nobody knows any more what it was a fork of"


def test_the_commit_that_a_hint_tells_of_is_asked_for_first(
    hub: GitHub, installation: Installation, ledger: SqlIssueLedger, forges: ForgeMaker, key: str
) -> None:
    commit, number = pushed(hub)
    ids = resolve(ledger, key, commit, 1)
    resolve(ledger, key, "f" * 40, 2, at=4.0)
    hub.merge(SLUG, number)
    hub.faults.switch("secondary_limit", after=1)

    assert not look_for_merge(installation, told(hub, number, commit), forges, at=AT).is_over
    assert [status for status, _ in statuses(ledger, ids)] == ["MERGED"]


def test_what_is_merged_into_somebodys_fork_is_not_merged(
    hub: GitHub, installation: Installation, ledger: SqlIssueLedger, forges: ForgeMaker, key: str
) -> None:
    """Anybody may take the commit of an open pull request into a fork of their own."""
    fork = hub.fork(SLUG, "Eve")
    commit, _ = pushed(hub)
    number = hub.open_pull(fork, head=BRANCH, head_slug=SLUG, author="Eve")
    hub.merge(fork, number)
    ids = resolve(ledger, key, commit, 1)
    event = WebhookEvent("d-1", fork, commit, number, f"{hub.url}/{fork}", SLUG)

    assert look_for_merge(installation, event, forges, at=AT) == MergeLookup(), "and is not asked for again"
    theirs = forges(ForgePlace("github", hub.url, fork))
    assert record_merges(ledger, theirs, ledger.unmerged_commits(key), [SLUG], user="ada", at=AT) == ()
    assert statuses(ledger, ids) == [("RESOLVED", "")]
    assert record_merges(ledger, theirs, ledger.unmerged_commits(key), [fork.upper()], user="ada", at=AT) == ids, (
        "were it the fork's own issue"
    )


def test_a_fork_of_a_fork_is_merged_where_it_all_began(
    hub: GitHub, installation: Installation, ledger: SqlIssueLedger, forges: ForgeMaker, key: str
) -> None:
    fork = hub.fork(hub.fork(SLUG, "eve"), "mia")
    commit, number = pushed(hub, slug=fork)
    ids = resolve(ledger, key.replace(SLUG, fork), commit, 1)
    hub.merge(SLUG, number)

    assert look_for_merge(installation, told(hub, number, commit, fork), forges, at=AT) == MergeLookup(ids)


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda event: replace(event, merged_from=""), id="no-word-of-a-merge"),
        pytest.param(lambda event: replace(event, home=""), id="of-no-address"),
        pytest.param(lambda event: replace(event, home="https://elsewhere.example/acme/shop"), id="another-forge"),
        pytest.param(
            lambda event: replace(event, slug="acme/other", merged_from="acme/other"), id="another-repository"
        ),
    ],
)
def test_where_nothing_of_ours_waits_nobody_is_asked(
    hub: GitHub,
    installation: Installation,
    ledger: SqlIssueLedger,
    forges: ForgeMaker,
    key: str,
    spoil: Callable[[WebhookEvent], WebhookEvent],
) -> None:
    commit, number = pushed(hub)
    resolve(ledger, key, commit, 1)
    hub.merge(SLUG, number)

    assert look_for_merge(installation, spoil(told(hub, number, commit)), forges, at=AT) == MergeLookup()
    assert hub.calls == []


@pytest.mark.parametrize(
    ("fault", "is_over", "said"),
    [
        pytest.param("secondary_limit", False, "limited: ", id="a-limit-passes"),
        pytest.param("server_error", False, "unreachable: ", id="an-error-passes"),
        pytest.param("dropped", False, "unreachable: ", id="a-dropped-connection-passes"),
        pytest.param("revoked", True, "login: ", id="a-login-does-not"),
    ],
)
def test_a_forge_that_does_not_answer(
    hub: GitHub, installation: Installation, ledger: SqlIssueLedger, forges: ForgeMaker, key: str,
    fault: str, is_over: bool, said: str,
) -> None:  # fmt: skip
    commit, number = pushed(hub)
    ids = resolve(ledger, key, commit, 1)
    hub.merge(SLUG, number)
    hub.faults.switch(fault)

    look = look_for_merge(installation, told(hub, number, commit), forges, at=AT)

    assert (look.merged, look.is_over, look.problem.startswith(said)) == ((), is_over, True)
    assert statuses(ledger, ids) == [("RESOLVED", "")]


def test_without_a_login_that_is_said(
    hub: GitHub, installation: Installation, ledger: SqlIssueLedger, key: str
) -> None:
    commit, number = pushed(hub)
    resolve(ledger, key, commit, 1)
    nobody = make_forge_maker({"PATH": "/nonexistent"})

    assert look_for_merge(installation, told(hub, number, commit), nobody, at=AT) == MergeLookup(
        problem="no login for '127.0.0.1'"
    )
