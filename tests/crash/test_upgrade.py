"""A run in flight survives an upgrade: begun by a wheel of an older commit, killed, finished by the code here."""

import os
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader
from tests.crash.backlog_stage import BacklogLeft, BacklogStage
from tests.crash.databases import Databases, PostgresDatabases, SqliteDatabases
from tests.crash.fault_scene import FaultScene, Outcome
from tests.crash.scene import Left, Scene
from tests.crash.vote_stage import VoteLeft, VoteStage
from tests.crash.workers import Launch, Worker, fresh

AnyStage = Scene | FaultScene | BacklogStage | VoteStage
AnyLeft = Left | Outcome | BacklogLeft | VoteLeft
KILLED = -9
SCENES = {
    "fix tests": ("FIXED", ("verify.v1 before 1", "plan_wait.v1 after 1", "land.v1 after 1")),
    "fix pr": ("CLEAN", ("gate.v1 before 1", "push.v1 after 1", "poll.v1 before 1")),
    "fix issues": ("PARTIAL", ("judge_issues.v1 before 1", "work_issues.v1 before 6", "land_issues.v1 after 1")),
    "vote": ("CLEAN", ("cast.v1 before 3", "count.v1 before 1", "post.v1 after 1")),
}
"""Command -> its ending, and the moments it is killed at: an agent's answer is on disk, a wait was planned, or
something others see was done and its checkpoint is missing. The number counts that moment in a run nobody kills."""
WAIT_S = 3.0
"""Of the agent that votes last: by then the other one has voted, on a busy machine too."""
MAX_CI_S = 60.0
"""So that every run comes to wait for CI, which is done once one does."""
LOOKS = {"look.v1", "check_tests.v1", "check_review.v1", "check_ci.v1", "measure.v1", "wait_ci.v1", "poll.v1"}
LOOK_EVENTS = {"look", "check", "waiting"}
"""Not counted: how often a pull request is looked at depends on when CI is done."""
WRITES = ("/git-receive-pack", "/comments")


@dataclass(frozen=True)
class Done:
    """Everything that must be the same with and without an upgrade."""

    left: AnyLeft
    steps: Counter[str]
    """How often each was begun, less the one that was killed: it has to begin again."""
    events: Counter[str]
    starts: tuple[int, ...]
    """Calls of the fixer, for each attempt."""
    spent_usd: float
    receipts: int
    writes: Counter[str]
    """Pushes and new comments the forge was sent."""


@dataclass(frozen=True)
class OldCode:
    """A folder with `tests` of the older commit, and with `venv`, which has its wheel."""

    folder: Path

    @property
    def python(self) -> str:
        return str(self.folder / "venv" / "bin" / "python")

    def launch(self, command: str) -> Launch:
        def start(arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> Worker:
            argv = [self.python, "-m", "tests.crash.plan_and_start", command, *arguments]
            with log.open("ab") as out:
                return subprocess.Popen(
                    argv, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out
                )

        return start


@pytest.fixture(scope="session")
def old() -> OldCode:
    code = OldCode(Path(os.environ["REKNIT_UPGRADE_FROM"]))
    argv = [code.python, "-c", "import reknit; print(reknit.__file__)"]
    package = subprocess.run(argv, cwd=code.folder, capture_output=True, text=True, check=True).stdout
    assert Path(package).is_relative_to(code.folder / "venv"), f"not the wheel: {package}"
    return code


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def databases(request: pytest.FixtureRequest, old: OldCode, tmp_path_factory: pytest.TempPathFactory) -> Databases:
    """As the older code made them."""
    folder = tmp_path_factory.mktemp("used")
    if request.param == "sqlite":
        return SqliteDatabases(folder, old.launch(""))
    return PostgresDatabases(request.getfixturevalue("postgres"), folder, old.launch(""))


@pytest.mark.upgrade
@pytest.mark.timeout(900)
@pytest.mark.parametrize("command", SCENES)
def test_this_code_finishes_what_older_code_began(
    command: str, tmp_path: Path, old: OldCode, databases: Databases
) -> None:
    ending, moments = SCENES[command]

    def play(die_at: int | None) -> tuple[str, Done, list[str]]:
        folder = tmp_path / ("calm" if die_at is None else f"kill-{die_at:03}")
        folder.mkdir()
        with closing(_stage(command, folder, databases.used(folder), (old.launch(command), fresh))) as stage:
            code = stage.start(die_at)
            killed_at = stage.traces()[-1] if code == KILLED else ""
            code = stage.replace() if killed_at else code
            assert code == 0, stage.log()
            return killed_at, _done(stage, killed_at), stage.traces()

    _, calm, traces = play(None)
    assert calm.left.ending == ending, calm
    with ThreadPoolExecutor(len(moments)) as pool:
        ends = list(pool.map(play, [_place(moment, traces) for moment in moments]))
    for moment, (killed_at, done, _) in zip(moments, ends, strict=True):
        assert killed_at == moment.rpartition(" ")[0]
        assert done == calm, f"killed at {moment}"
        print(f"{moment:24}  {done.left.ending}, nothing twice")


def _stage(command: str, folder: Path, database: str, launch: Sequence[Launch]) -> AnyStage:
    """Not planned: the older code does that too."""
    if command == "fix tests":
        return Scene(folder, database, launch=launch, plan=False)
    if command == "fix pr":
        return FaultScene(folder, (), launch, database, longest_ci_s=MAX_CI_S, plan=False)
    if command == "fix issues":
        return BacklogStage(folder, database, launch, plan=False)
    return VoteStage(folder, launch, database, wait_s=WAIT_S, plan=False)


def _place(moment: str, traces: Sequence[str]) -> int:
    name, _, number = moment.rpartition(" ")
    return [place for place, trace in enumerate(traces) if trace == name][int(number) - 1]


def _done(stage: AnyStage, killed_at: str) -> Done:
    begun = Counter(trace.split()[0] for trace in stage.traces() if trace.endswith(" before"))
    begun -= Counter(killed_at.split()[:1])
    database, run_id = open_store(stage.installation.database), stage.spec.run_id
    reader = RunReader(database)
    done = Done(
        left=_left(stage),
        steps=Counter({step: count for step, count in begun.items() if step not in LOOKS}),
        events=Counter(seen.event.kind for seen in reader.events(run_id) if seen.event.kind not in LOOK_EVENTS),
        starts=tuple(attempt.starts for attempt in reader.attempts(run_id)),
        spent_usd=round(reader.run(run_id).spent_usd, 6),
        receipts=len(reader.receipts(run_id)),
        writes=_writes(stage),
    )
    database.dispose()
    return done


def _left(stage: AnyStage) -> AnyLeft:
    """Without the reason: a release may word it differently, and for a pull request it names a commit of this run."""
    if isinstance(stage, Scene):
        return stage.left()
    return replace(stage.outcome() if isinstance(stage, FaultScene) else stage.left(), reason="")


def _writes(stage: AnyStage) -> Counter[str]:
    calls = stage.hub.calls if isinstance(stage, FaultScene | VoteStage) else ()
    return Counter(call.path for call in calls if call.method == "POST" and call.path.endswith(WRITES))
