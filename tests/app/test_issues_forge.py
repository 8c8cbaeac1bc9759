"""Alerts, review threads and merges: what a forge knows, asked of the stand-in."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from reknit.app.installation import Installation, installation
from reknit.app.issues_forge import sync
from reknit.app.issues_import import Wanted, import_reports
from reknit.app.issues_place import Backlog, open_backlog
from reknit.core.errors import ReknitError
from reknit.core.import_report import ImportReport, LeftOut
from reknit.core.issue import ChangeNote, Issue, IssueFilter
from tests.tools.github import GitHub
from tests.tools.pull_scene import BRANCH, REPORT, SLUG, SOURCE, PullScene


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as made:
        yield made
        assert made.violations == []


@pytest.fixture
def scene(hub: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PullScene:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return PullScene(tmp_path, hub, answers=False)


@pytest.fixture
def place(scene: PullScene) -> Installation:
    return installation(scene.command.environment)


@pytest.fixture
def backlog(place: Installation, scene: PullScene) -> Backlog:
    return open_backlog(place, scene.clone)


def taken(
    place: Installation, backlog: Backlog, *, alerts: bool = False, threads: tuple[int, ...] = ()
) -> ImportReport:
    return import_reports(place, backlog, Wanted((), alerts=alerts, threads=threads))


def issues(backlog: Backlog) -> list[Issue]:
    return list(backlog.ledger.each(backlog.key, IssueFilter()))


def test_alerts_become_issues_of_their_tools(place: Installation, backlog: Backlog, hub: GitHub) -> None:
    hub.alert(SLUG, rule="py/sql-injection", path=SOURCE, line=1, message="This query is unsafe.")
    hub.alert(SLUG, rule="W1", path=SOURCE, line=2, message="odd", tool="Tidy", severity="note")
    hub.close_alert(SLUG, hub.alert(SLUG, rule="W2", path=SOURCE, line=3, message="gone"))
    report = taken(place, backlog, alerts=True)
    assert (report.reports[0].name, report.reports[0].tools) == ("code-scanning alerts", ("CodeQL", "Tidy"))
    assert [(one.tools, one.rule, one.path, one.line, one.weight) for one in issues(backlog)] == [
        (("CodeQL",), "py/sql-injection", SOURCE, 1, "critical"),
        (("Tidy",), "W1", SOURCE, 2, "minor"),
    ]
    assert taken(place, backlog, alerts=True).count.new == 0


def test_a_repository_without_code_scanning_says_what_is_needed(place: Installation, backlog: Backlog) -> None:
    with pytest.raises(ReknitError) as caught:
        taken(place, backlog, alerts=True)
    assert (caught.value.name, caught.value.exit_code) == ("no-repository", 2)
    assert "code scanning switched on" in caught.value.what
    assert issues(backlog) == []


def test_open_threads_of_members_and_bots_become_issues(
    place: Installation, backlog: Backlog, hub: GitHub, scene: PullScene
) -> None:
    hub.thread(SLUG, scene.number, author="ada", file=REPORT, line=6, text="two digits, please")
    hub.thread(SLUG, scene.number, author="lint", file=REPORT, line=7, text="too long", bot=True, association="NONE")
    hub.thread(SLUG, scene.number, author="eve", file=REPORT, line=8, text="delete it all", association="NONE")
    hub.review(SLUG, scene.number, author="bob", text="not like this")
    report = taken(place, backlog, threads=(scene.number,))
    assert (report.reports[0].name, report.results) == (f"threads of #{scene.number}", 4)
    assert report.left_out == (LeftOut("stranger", 1), LeftOut("no file", 1, "bob: not like this"))
    assert [(one.rule, one.tools, one.path, one.line, one.message) for one in issues(backlog)] == [
        ("thread", (f"review #{scene.number}",), REPORT, 6, "ada: two digits, please"),
        ("thread", (f"review #{scene.number}",), REPORT, 7, "lint: too long"),
    ]
    assert all(one.sources[0].url.startswith(hub.url) for one in issues(backlog))
    assert taken(place, backlog, threads=(scene.number,)).count.new == 0


def test_threads_of_a_pull_request_that_is_not_there(place: Installation, backlog: Backlog) -> None:
    with pytest.raises(ReknitError) as caught:
        taken(place, backlog, threads=(999,))
    assert caught.value.exit_code == 2


def test_threads_are_found_at_the_upstream_of_a_fork(place: Installation, hub: GitHub, scene: PullScene) -> None:
    hub.thread(SLUG, scene.number, author="ada", file=REPORT, line=6, text="two digits, please")
    fork = hub.fork(SLUG, "dev")
    for arguments in (("rename", "origin", "upstream"), ("add", "origin", f"{hub.url}/{fork}.git")):
        subprocess.run(["git", "remote", *arguments], cwd=scene.clone, check=True)
    backlog = open_backlog(place, scene.clone)
    assert backlog.key.endswith(f"/{fork}")
    assert taken(place, backlog, threads=(scene.number,)).count.new == 1


def resolve(backlog: Backlog, number: int, commit: str) -> None:
    note = ChangeNote("reknit", "fixed", 1.0, "r-1", commit)
    backlog.ledger.take("r-1", [number], note)
    assert backlog.ledger.settle("r-1", [number], "RESOLVED", note) == (number,)


def test_what_a_merged_pull_request_brought_in_is_merged(
    place: Installation, backlog: Backlog, hub: GitHub, scene: PullScene
) -> None:
    for line in (1, 2):
        hub.alert(SLUG, rule=f"W{line}", path=SOURCE, line=line, message="odd")
    taken(place, backlog, alerts=True)
    assert sync(place, backlog) == ()
    resolve(backlog, 1, hub.head(SLUG, BRANCH))
    resolve(backlog, 2, "d" * 40)
    assert sync(place, backlog) == ()
    hub.merge(SLUG, scene.number)
    assert sync(place, backlog) == (1,)
    first, second = issues(backlog)
    assert (first.status, second.status) == ("MERGED", "RESOLVED")
    assert first.pull.endswith(f"/pull/{scene.number}")
    assert backlog.ledger.history(1)[-1].note.why == f"pull request #{scene.number} is merged"
    assert sync(place, backlog) == ()


def test_a_repository_on_no_forge_has_nobody_to_ask(place: Installation, scene: PullScene) -> None:
    subprocess.run(["git", "remote", "remove", "origin"], cwd=scene.clone, check=True)
    backlog = open_backlog(place, scene.clone)
    assert backlog.key == str(scene.clone)
    with pytest.raises(ReknitError) as caught:
        taken(place, backlog, alerts=True)
    assert (caught.value.name, caught.value.what) == ("no-forge", "no remote of this repository is on a forge")
    assert sync(place, backlog) == ()


def test_a_login_that_is_not_taken_is_told(scene: PullScene, backlog: Backlog) -> None:
    strange = installation({**scene.command.environment, "GH_TOKEN": "wrong"})
    with pytest.raises(ReknitError) as caught:
        taken(strange, backlog, alerts=True)
    assert (caught.value.name, caught.value.exit_code) == ("login", 4)


def test_no_login_at_all_names_what_would_be_taken(scene: PullScene, backlog: Backlog) -> None:
    nobody = installation({key: text for key, text in scene.command.environment.items() if key != "GH_TOKEN"})
    with pytest.raises(ReknitError) as caught:
        taken(nobody, backlog, alerts=True)
    assert caught.value.exit_code == 4
    assert "GH_TOKEN" in caught.value.help
