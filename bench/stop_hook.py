"""The Stop hook with nothing to do against a bare Python and a hook of bash and jq, and with a result to tell."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

from bench.figure import Figure
from bench.measure import Cost, Costs
from reknit.adapters.hook import HookFiles
from reknit.core.hook.marker import HookAnswer
from reknit.core.hook.mode import FixMode, start_bug

ROUNDS, STARTS = 15, 5
BASH_AND_JQ = Path(__file__).with_name("bash_stop_hook.sh")
ENTRY = Path(__file__).parents[1] / "src/reknit/interfaces/hook/entry.py"
_PYTHON = (sys.executable, "-I", "-S")
_OURS = (*_PYTHON, str(ENTRY), "stop")
_BUG = {
    "bug_id": "BUG-001", "test_path": "e2e/bug-001.spec.ts", "attempt": 1, "max_attempts": 3, "status": "FIXED",
    "strategy": "local", "last_error": "", "history": [],
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    argv: Sequence[str]
    environment: dict[str, str]
    told: Path | None = None
    """Where it notes that it has told the result; removed before each start."""
    exit_code: int = 0


def figures(rounds: int = ROUNDS, starts: int = STARTS) -> Iterator[Figure]:
    if not shutil.which("jq"):
        raise SystemExit(
            "jq is not installed: the Stop hook is measured against one of bash and jq (apt-get install jq)"
        )
    with TemporaryDirectory(prefix="reknit-bench-") as name:
        bare, unarmed, other, fixed, bash, version, telling = _compare(Path(name), rounds, starts)
    yield _figure("Stop hook, nothing armed / python -I -S -c pass", unarmed, bare, 1.15)
    yield _figure("Stop hook, another window armed / the same", other, bare, 1.15)
    yield _figure("Stop hook, this window's bug FIXED / the same", fixed, bare, 1.15)
    yield Figure("  hook of bash and jq / ours, FIXED", _ms(fixed), _ms(bash), bash.cpu_of(fixed), 8, "at least")
    yield _figure("Stop hook, a result at hand / reknit --version", telling, version, 3)


def _compare(folder: Path, rounds: int, starts: int) -> list[Costs]:
    """In turn, several starts per round; the first round is thrown away: it fills the caches."""
    project = folder / "shop"
    (project / ".claude").mkdir(parents=True)
    event = {"session_id": "mine", "cwd": str(project), "hook_event_name": "Stop", "last_assistant_message": 3000 * "x"}
    data = json.dumps(event).encode()
    base = {"PATH": os.environ["PATH"], "CLAUDE_PROJECT_DIR": str(project)}
    other, fixed = _armed(folder / "other", project, "other"), _armed(folder / "fixed", project, "mine")
    cases = [
        Case((*_PYTHON, "-c", "pass"), base),
        Case(_OURS, {**base, "REKNIT_STATE": str(folder / "none")}),
        Case(_OURS, {**base, "REKNIT_STATE": other}),
        Case(_OURS, {**base, "REKNIT_STATE": fixed}),
        Case(("bash", str(BASH_AND_JQ)), base),
        Case((sys.executable, "-m", "reknit", "--version"), base),
        _with_result(folder / "told", project, base),
    ]
    (project / ".claude" / "fix-state.json").write_text(json.dumps(_BUG))  # last: ours exports its own there
    seen = [[_cost(case, data, starts) for case in cases] for _ in range(rounds + 1)][1:]
    return [Costs(tuple(costs)) for costs in zip(*seen, strict=True)]


def _armed(state: Path, project: Path, owner: str) -> str:
    status = project.stat()
    marker = state / "hooks" / f"{status.st_dev}-{status.st_ino}" / owner
    marker.parent.mkdir(parents=True)
    marker.write_text("FIXED\n" if owner == "mine" else "in_progress\n")
    return str(state)


def _with_result(state: Path, project: Path, base: dict[str, str]) -> Case:
    """The test of this window has failed, and it does not know yet."""
    bug, answer = (
        start_bug("BUG-001", "e2e/bug-001.spec.ts", 3),
        HookAnswer(block=True, text="RETRY: BUG-001\n" + 3000 * "x"),
    )
    HookFiles(state / "hooks").publish(FixMode("r-1", str(project), "", bug, 1.0, "mine"), answer, "r-2")
    (marker,) = (state / "hooks").glob("*/mine")
    return Case(_OURS, {**base, "REKNIT_STATE": str(state)}, marker.with_name("mine~"), 2)


def _cost(case: Case, data: bytes, starts: int) -> Cost:
    """Something that was to be told must have been, and otherwise nothing."""
    before = getrusage(RUSAGE_CHILDREN)
    for _ in range(starts):
        if case.told:
            case.told.unlink(missing_ok=True)
        done = subprocess.run(case.argv, input=data, env=case.environment, capture_output=True, check=False)
        if (done.returncode, bool(done.stderr)) != (case.exit_code, bool(case.told)):
            raise SystemExit(f"{case.argv} ended with {done.returncode}: {done.stderr!r}")
    after = getrusage(RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(spent / starts, 0, starts)


def _figure(name: str, ours: Costs, bare: Costs, most: float) -> Figure:
    return Figure(name, _ms(ours), _ms(bare), ours.cpu_of(bare), most)


def _ms(costs: Costs) -> str:
    return f"{costs.cpu_s * 1000:.1f} ms CPU"
