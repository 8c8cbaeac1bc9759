"""Alerts, review threads and merges: what a forge knows, asked of the stand-in."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from reknit.app.installation import Installation, find_installation
from reknit.app.issues import merges
from reknit.app.issues.from_forge import sync_merges
from reknit.app.issues.import_reports import ImportRequest, import_reports
from reknit.app.issues.ledger import RepositoryIssues, open_backlog
from reknit.core.errors import ReknitError
from reknit.core.issues.identity.fingerprint import locate_result as place_found
from reknit.core.issues.identity.fingerprint import make_fingerprint
from reknit.core.issues.import_summary import ImportReport, ImportSource, SkippedResults
from reknit.core.issues.model import ChangeNote, Issue, IssueFilter, NewIssue, ReportResult
from reknit.core.issues.output.messages import ResolvingCommit, SyncResult
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
def installation(scene: PullScene) -> Installation:
    return find_installation(scene.command.environment)


@pytest.fixture
def backlog(installation: Installation, scene: PullScene) -> RepositoryIssues:
    return open_backlog(installation, scene.clone)


def taken(
    installation: Installation, backlog: RepositoryIssues, *, alerts: bool = False, threads: tuple[int, ...] = ()
) -> ImportReport:
    return import_reports(installation, backlog, ImportRequest((), alerts=alerts, threads=threads))


def issues(backlog: RepositoryIssues) -> list[Issue]:
    return list(backlog.ledger.each(backlog.key, IssueFilter()))


def test_alerts_become_issues_of_their_tools(
    installation: Installation, backlog: RepositoryIssues, hub: GitHub
) -> None:
    hub.alert(SLUG, rule="py/sql-injection", path=SOURCE, line=1, message="This query is unsafe.")
    hub.alert(SLUG, rule="W1", path=SOURCE, line=2, message="odd", tool="Tidy", severity="note")
    hub.close_alert(SLUG, hub.alert(SLUG, rule="W2", path=SOURCE, line=3, message="gone"))
    report = taken(installation, backlog, alerts=True)
    assert (report.reports[0].name, report.reports[0].tools) == ("code-scanning alerts", ("CodeQL", "Tidy"))
    assert [(one.tools, one.rule, one.path, one.line, one.weight) for one in issues(backlog)] == [
        (("CodeQL",), "py/sql-injection", SOURCE, 1, "critical"),
        (("Tidy",), "W1", SOURCE, 2, "minor"),
    ]
    assert taken(installation, backlog, alerts=True).count.new == 0


def test_a_repository_without_code_scanning_says_what_is_needed(
    installation: Installation, backlog: RepositoryIssues
) -> None:
    with pytest.raises(ReknitError) as caught:
        taken(installation, backlog, alerts=True)
    assert (caught.value.name, caught.value.exit_code) == ("no-repository", 2)
    assert "code scanning enabled" in caught.value.message
    assert issues(backlog) == []


def test_open_threads_of_members_and_bots_become_issues(
    installation: Installation, backlog: RepositoryIssues, hub: GitHub, scene: PullScene
) -> None:
    hub.thread(SLUG, scene.number, author="ada", file=REPORT, line=6, text="two digits, please")
    hub.thread(SLUG, scene.number, author="lint", file=REPORT, line=7, text="too long", bot=True, association="NONE")
    hub.thread(SLUG, scene.number, author="eve", file=REPORT, line=8, text="delete it all", association="NONE")
    hub.review(SLUG, scene.number, author="bob", text="not like this")
    report = taken(installation, backlog, threads=(scene.number,))
    assert (report.reports[0].name, report.results) == (f"threads of #{scene.number}", 4)
    assert report.skipped == (SkippedResults("stranger", 1), SkippedResults("no file", 1, "bob: not like this"))
    assert [(one.rule, one.tools, one.path, one.line, one.message) for one in issues(backlog)] == [
        ("thread", (f"review #{scene.number}",), REPORT, 6, "ada: two digits, please"),
        ("thread", (f"review #{scene.number}",), REPORT, 7, "lint: too long"),
    ]
    assert all(one.sources[0].url.startswith(hub.url) for one in issues(backlog))
    assert taken(installation, backlog, threads=(scene.number,)).count.new == 0


def test_threads_of_a_pull_request_that_is_not_there(installation: Installation, backlog: RepositoryIssues) -> None:
    with pytest.raises(ReknitError) as caught:
        taken(installation, backlog, threads=(999,))
    assert caught.value.exit_code == 2


def test_threads_are_found_at_the_upstream_of_a_fork(installation: Installation, hub: GitHub, scene: PullScene) -> None:
    hub.thread(SLUG, scene.number, author="ada", file=REPORT, line=6, text="two digits, please")
    fork = hub.fork(SLUG, "dev")
    for arguments in (("rename", "origin", "upstream"), ("add", "origin", f"{hub.url}/{fork}.git")):
        subprocess.run(["git", "remote", *arguments], cwd=scene.clone, check=True)
    backlog = open_backlog(installation, scene.clone)
    assert backlog.key.endswith(f"/{fork}")
    assert taken(installation, backlog, threads=(scene.number,)).count.new == 1


def resolve(backlog: RepositoryIssues, number: int, commit: str) -> None:
    note = ChangeNote("reknit", "fixed", 1.0, "r-1", commit)
    backlog.ledger.take("r-1", [number], note)
    assert backlog.ledger.settle("r-1", [number], "RESOLVED", note) == (number,)


def test_what_a_merged_pull_request_brought_in_is_merged(
    installation: Installation, backlog: RepositoryIssues, hub: GitHub, scene: PullScene
) -> None:
    for line in (1, 2):
        hub.alert(SLUG, rule=f"W{line}", path=SOURCE, line=line, message="odd")
    taken(installation, backlog, alerts=True)
    assert sync_merges(installation, backlog) == SyncResult()
    resolve(backlog, 1, hub.head(SLUG, BRANCH))
    resolve(backlog, 2, "d" * 40)
    assert sync_merges(installation, backlog) == SyncResult()
    hub.merge(SLUG, scene.number)
    assert sync_merges(installation, backlog) == SyncResult((1,))
    first, second = issues(backlog)
    assert (first.status, second.status) == ("MERGED", "RESOLVED")
    assert first.pull.endswith(f"/pull/{scene.number}")
    assert backlog.ledger.history(1)[-1].note.why == f"pull request #{scene.number} is merged"
    assert sync_merges(installation, backlog) == SyncResult()


def alert(installation: Installation, backlog: RepositoryIssues, hub: GitHub) -> None:
    """One issue, I-1."""
    hub.alert(SLUG, rule="W1", path=SOURCE, line=1, message="odd")
    taken(installation, backlog, alerts=True)


def test_what_is_merged_into_somebodys_fork_is_not_merged(
    installation: Installation, backlog: RepositoryIssues, hub: GitHub, scene: PullScene
) -> None:
    """Even of one that is a remote of the clone."""
    alert(installation, backlog, hub)
    fork = hub.fork(SLUG, "eve")
    resolve(backlog, 1, hub.head(SLUG, BRANCH))
    hub.merge(fork, hub.open_pull(fork, head=BRANCH, head_slug=SLUG, author="eve"))
    remote(scene, "add", "upstream", f"{hub.url}/{fork}.git")
    assert sync_merges(installation, backlog) == SyncResult()
    hub.merge(SLUG, scene.number)
    assert sync_merges(installation, backlog) == SyncResult((1,))


def test_a_remote_that_the_configuration_names_is_asked_only_if_it_is_of_the_repository(
    installation: Installation, backlog: RepositoryIssues, hub: GitHub, scene: PullScene
) -> None:
    alert(installation, backlog, hub)
    fork = hub.fork(SLUG, "eve")
    remote(scene, "add", "eve", f"{hub.url}/{fork}.git")
    resolve(backlog, 1, hub.head(SLUG, BRANCH))
    scene.command.configure(forge={"api": hub.url, "remote": "eve"})
    assert (
        sync_merges(installation, backlog).no_forge_reason
        == f"no remote of this repository points to {SLUG} or to the repository it was forked from"
    )


def test_a_clone_without_remotes_has_the_one_that_the_configuration_names(
    installation: Installation, hub: GitHub, scene: PullScene
) -> None:
    remote(scene, "remove", "origin")
    scene.command.configure(forge={"api": hub.url, "remote": f"{hub.url}/{SLUG}"})
    backlog = open_backlog(installation, scene.clone)
    alert(installation, backlog, hub)
    resolve(backlog, 1, hub.head(SLUG, BRANCH))
    hub.merge(SLUG, scene.number)
    assert sync_merges(installation, backlog) == SyncResult((1,))


def test_a_fork_that_is_gone_is_told(installation: Installation, hub: GitHub, scene: PullScene) -> None:
    """Nobody can say any more that the upstream is its upstream."""
    fork = hub.fork(SLUG, "dev")
    remote(scene, "rename", "origin", "upstream")
    remote(scene, "add", "origin", f"{hub.url}/{fork}.git")
    backlog = open_backlog(installation, scene.clone)
    hub.alert(fork, rule="W1", path=SOURCE, line=1, message="odd")
    taken(installation, backlog, alerts=True)
    resolve(backlog, 1, hub.head(SLUG, BRANCH))
    hub.merge(SLUG, scene.number)
    hub.delete_repository(fork)
    with pytest.raises(ReknitError) as caught:
        sync_merges(installation, backlog)
    assert (caught.value.name, caught.value.message.startswith(f"{fork} is not accessible")) == ("no-repository", True)


def test_an_upstream_that_could_not_be_asked_is_told(installation: Installation, hub: GitHub, scene: PullScene) -> None:
    """What it does not say is not the same as a no."""
    fork = hub.fork(SLUG, "dev")
    remote(scene, "rename", "origin", "upstream")
    remote(scene, "add", "origin", f"{hub.url}/{fork}.git")
    backlog = open_backlog(installation, scene.clone)
    hub.alert(fork, rule="W1", path=SOURCE, line=1, message="odd")
    taken(installation, backlog, alerts=True)
    resolve(backlog, 1, hub.head(SLUG, BRANCH))
    hub.merge(SLUG, scene.number)
    hub.faults.switch("secondary_limit", after=1)
    answer = sync_merges(installation, backlog)
    assert (answer.merged, len(answer.failed_repositories)) == ((), 1)
    assert answer.failed_repositories[0].startswith(
        f"{SLUG} could not be checked: {hub.url} did not answer (limited): "
    )
    assert sync_merges(installation, backlog) == SyncResult((1,))


def test_of_too_many_commits_those_not_asked_for_are_counted(
    installation: Installation, backlog: RepositoryIssues, hub: GitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merges, "MAX_ASKED_COMMITS", 3)
    for line in range(5):
        hub.alert(SLUG, rule=f"W{line}", path=SOURCE, line=1, message="odd")
    taken(installation, backlog, alerts=True)
    for number in range(1, 6):
        resolve(backlog, number, f"{number:040x}")
    hub.calls.clear()
    assert sync_merges(installation, backlog) == SyncResult(unchecked_count=2)
    assert sum("/commits/" in call.path for call in hub.calls) == 3


@pytest.mark.parametrize(
    ("remotes", "unasked"),
    [
        pytest.param({}, "no remote of this repository is on a forge", id="no remote"),
        pytest.param(
            {"origin": "https://gitlab.com/a/b"},
            "the remotes of this repository are on gitlab.com, and only GitHub is supported",
            id="another forge",
        ),
        pytest.param(
            {"origin": "https://gitlab.com/a/b", "hub": "https://github.com/a/b"},
            "gitlab.com is not a forge that reknit supports",
            id="a mirror is not the repository",
        ),
    ],
)
def test_without_a_forge_the_clone_tells_what_it_knows(
    installation: Installation, scene: PullScene, remotes: dict[str, str], unasked: str
) -> None:
    remote(scene, "remove", "origin")
    for name, url in remotes.items():
        remote(scene, "add", name, url)
    scene.command.configure()  # no address of a forge
    backlog = open_backlog(installation, scene.clone)
    here = [backlog.repository.head(), "d" * 40]
    with backlog.ledger.importing(backlog.key, ImportSource(("t",), ("x",), "c" * 40, 0.0, "me")) as importing:
        placed = [
            place_found(ReportResult("t", f"W{line}", SOURCE, line, message="odd"), SOURCE, None) for line in (1, 2)
        ]
        importing.add([NewIssue(each, make_fingerprint(each, 0)) for each in placed])
    for number, commit in enumerate(here, 1):
        resolve(backlog, number, commit)
    answer = sync_merges(installation, backlog)
    assert (answer.merged, answer.no_forge_reason) == ((), unasked)
    assert {each.commit: each for each in answer.landed} == {
        here[0]: ResolvingCommit(here[0], (1,), in_head=True),
        here[1]: ResolvingCommit(here[1], (2,), in_head=False),
    }
    assert {issue.status for issue in issues(backlog)} == {"RESOLVED"}


def remote(scene: PullScene, *arguments: str) -> None:
    subprocess.run(["git", "remote", *arguments], cwd=scene.clone, check=True)


def test_a_repository_on_no_forge_has_nobody_to_ask(installation: Installation, scene: PullScene) -> None:
    subprocess.run(["git", "remote", "remove", "origin"], cwd=scene.clone, check=True)
    backlog = open_backlog(installation, scene.clone)
    assert backlog.key == str(scene.clone)
    with pytest.raises(ReknitError) as caught:
        taken(installation, backlog, alerts=True)
    assert (caught.value.name, caught.value.message) == ("no-forge", "no remote of this repository is on a forge")
    assert sync_merges(installation, backlog) == SyncResult()


def test_a_login_that_is_not_taken_is_told(scene: PullScene, backlog: RepositoryIssues) -> None:
    strange = find_installation({**scene.command.environment, "GH_TOKEN": "wrong"})
    with pytest.raises(ReknitError) as caught:
        taken(strange, backlog, alerts=True)
    assert (caught.value.name, caught.value.exit_code) == ("login", 4)


def test_no_login_at_all_names_what_would_be_taken(scene: PullScene, backlog: RepositoryIssues) -> None:
    nobody = find_installation({key: text for key, text in scene.command.environment.items() if key != "GH_TOKEN"})
    with pytest.raises(ReknitError) as caught:
        taken(nobody, backlog, alerts=True)
    assert caught.value.exit_code == 4
    assert "GH_TOKEN" in caught.value.help
