"""Undoing a run takes back what nobody else has: a commit that another branch has stays, and so do its issues."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reknit.app.installation import Installation, find_installation
from reknit.app.issues.ledger import open_backlog
from reknit.app.runs.stop import undo_run
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import UsageError
from reknit.core.runs.ending import Ending
from reknit.core.runs.receipt import Receipt
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from reknit.store.database import open_store
from reknit.store.issues.ledger import SqlIssueLedger
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from tests.tools.command_line import Answer, CommandLine
from tests.tools.plot import git, make_plot
from tests.tools.resolved_issues import RUN, resolve, statuses
from tests.tools.sample_tasks import sample_task

Here = Callable[..., Answer]
BRANCH = f"reknit/{RUN}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_plot(tmp_path)


@pytest.fixture
def installation(reknit: CommandLine) -> Installation:
    return find_installation(reknit.environment)


@pytest.fixture
def ledger(installation: Installation) -> Iterator[SqlIssueLedger]:
    installation.state.mkdir()
    engine = open_store(installation.database)
    yield SqlIssueLedger(engine)
    engine.dispose()


def landed(installation: Installation, ledger: SqlIssueLedger, root: Path, kind: str = "fix issues") -> tuple[int, ...]:
    """The issues of a run that is over, with one commit on its branch."""
    git(root, "switch", "-qc", BRANCH)
    git(root, "commit", "-q", "--allow-empty", "-m", "fix")
    commit = git(root, "rev-parse", "HEAD")
    git(root, "switch", "-q", "main")
    runs, agent = SqlRunLedger(ledger.engine), AgentSettings("claude", "claude")
    runs.create(
        RunSpec(RUN, str(root), "b" * 40, sample_task(kind), TestCommand("command", ("true",), "exit code"), (agent,))
    )
    ids = resolve(ledger, open_backlog(installation, root).key, commit, 1)
    receipt = Receipt(
        finding="I-1", tests=(), base="", commit=commit, tree="", attempt=1, strategy="", agent="", evidence="",
        green_after="", gate="", rules=(), box="", cost_usd=0.0, command=(),
    )  # fmt: skip
    runs.put_receipt(RUN, receipt)
    runs.end(RUN, Ending("FIXED", "all"))
    return ids


def undone_at(ledger: SqlIssueLedger) -> float | None:
    return RunReader(ledger.engine).run(RUN).undone_at


def pushed(root: Path) -> None:
    git(root, "update-ref", f"refs/remotes/origin/{BRANCH}", BRANCH)


@pytest.mark.parametrize(
    ("merge", "kept_in"),
    [
        pytest.param(lambda root: git(root, "merge", "-q", BRANCH), "main", id="merged where one is"),
        pytest.param(lambda root: git(root, "merge", "-q", "--no-ff", BRANCH), "main", id="with a merge commit"),
        pytest.param(lambda root: git(root, "branch", "next", BRANCH), "next", id="in another branch"),
        pytest.param(pushed, f"origin/{BRANCH}", id="pushed"),
        pytest.param(
            lambda root: git(root, "update-ref", f"refs/remotes/{BRANCH}", BRANCH),
            f"refs/remotes/{BRANCH}",
            id="in a remote that is called reknit",
        ),
        pytest.param(lambda root: git(root, "checkout", "-q", "--detach", BRANCH), "HEAD", id="where no branch is"),
    ],
)
def test_what_another_branch_has_stays_resolved(
    here: Here,
    installation: Installation,
    ledger: SqlIssueLedger,
    root: Path,
    merge: Callable[[Path], None],
    kept_in: str,
) -> None:
    ids = landed(installation, ledger, root)
    merge(root)
    answer = here("undo", RUN, cwd=root)
    stays = f"its commit is in {kept_in}, so its issues stay RESOLVED"
    assert answer == Answer(0, f"{RUN}  removed {BRANCH}; {stays}\n", "")
    assert git(root, "branch", "--list", BRANCH) == ""
    assert (statuses(ledger, ids), undone_at(ledger)) == ([("RESOLVED", "")], None)
    assert here("undo", RUN, cwd=root).out == f"{RUN}  has no branch {BRANCH}; {stays}\n"


def test_what_no_branch_has_any_more_is_open_again(
    here: Here, installation: Installation, ledger: SqlIssueLedger, root: Path
) -> None:
    ids = landed(installation, ledger, root)
    git(root, "branch", "next", BRANCH)
    assert undo_run(installation, RUN).kept_in == "next"
    git(root, "branch", "-qD", "next")
    done = undo_run(installation, RUN)
    assert (done.removed, done.kept_in, statuses(ledger, ids)) == (False, "", [("OPEN", "")])
    assert undone_at(ledger)
    assert ledger.history(ids[0])[-1].note.why == "its branch was removed"
    assert here("undo", RUN, cwd=root).out == f"{RUN}  was already undone\n"


def test_a_run_without_issues_says_nothing_of_them(
    here: Here, installation: Installation, ledger: SqlIssueLedger, root: Path
) -> None:
    landed(installation, ledger, root, "fix tests")
    git(root, "merge", "-q", BRANCH)
    assert here("undo", RUN, cwd=root).out == f"{RUN}  removed {BRANCH}; its commit is in main\n"


def test_a_repository_that_cannot_be_seen_takes_nothing_back(
    installation: Installation, ledger: SqlIssueLedger, root: Path
) -> None:
    ids = landed(installation, ledger, root)
    root.rename(root.with_name("moved"))
    with pytest.raises(UsageError):
        undo_run(installation, RUN)
    assert (statuses(ledger, ids), undone_at(ledger)) == ([("RESOLVED", "")], None)
