"""A repository with a branch to review, scripted reviewers and a scripted fixer, and what a review left there."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from reknit.adapters.git.landing import commit_all
from reknit.app.installation import find_installation
from reknit.app.start.review import ReviewRequest, plan_resumed_review, plan_review
from reknit.core.issues.model import Issue, IssueFilter
from reknit.core.review.progress_file.entries import Entry
from reknit.core.review.progress_file.parsing import parse_entries
from reknit.core.runs.spec import RunSpec
from tests.tools import backlog_scene
from tests.tools.command_line import CommandLine
from tests.tools.pull_play import Act, Played, play_spec
from tests.tools.repository_print import fingerprint

PROGRESS = "PROGRESS.txt"
COR, SEC, ARC = "correctness", "security", "architecture"
"""Two that block, and one that warns."""
RUNNER = """\
import importlib, pathlib, sys

from tests.test_answers import is_right

lines, failed = [], 0
for path in sorted(pathlib.Path("app").glob("m*.py")):
    good = is_right(importlib.import_module(f"app.{path.stem}"))
    failed += not good
    case = f'<testcase file="tests/test_answers.py" classname="tests.test_answers" name="test_{path.stem}">'
    lines.append(case + ("" if good else '<failure message="AssertionError: wrong"/>') + "</testcase>")
with open(sys.argv[1], "w") as report:
    report.write(f'<testsuite time="0">{"".join(lines)}</testsuite>')
sys.exit(failed > 0)
"""
SETTINGS = '[checks.tests]\nrun = "python3 run_tests.py {outbox}/report.xml"\nreport = "{outbox}/*.xml"\n'
ANSWER = "def answer() -> int:\n    return 42\n"
MEAN = "\n\ndef mean(prices: list[int]) -> float:\n    return sum(prices) / len(prices)\n"
MEAN_LINE = 6
AGAIN = "You have read an earlier state of this change."
"""Only in the prompt of a second look."""

Move = dict[str, Any]


def module(number: int) -> str:
    return f"app/m{number}.py"


def problem(number: int, **more: Any) -> dict[str, Any]:
    """What a reviewer reports about `mean` of that module."""
    return {
        "category": "logic", "severity": "blocking", "file": module(number), "line": MEAN_LINE, "effort_1_5": 2,
        "issue": f"Module {number}: the mean of an empty list divides by zero.", "suggestion": "return 0",
        "title": f"mean of nothing in m{number}", **more,
    }  # fmt: skip


def says(reviewer: str, *findings: Mapping[str, Any], **more: Any) -> Move:
    """A move of the reader: this reviewer's answer to the whole change."""
    verdict = "needs_work" if findings else "passed"
    report = {"verdict": verdict, "score_0_100": 50, "summary": "read", "findings": list(findings)}
    return {"when": f"review is called {reviewer}:", "report": report, "cost_usd": 0.02, **more}


def confirms(still_there: str = "", **more: Any) -> Move:
    """A move of the reader, in the order of the attempts: what it says about a fix."""
    report = {
        "verdict": "needs_work" if still_there else "passed", "score_0_100": 50, "summary": still_there or "it is gone"
    }  # fmt: skip
    return {"report": report, "cost_usd": 0.01, **more}


def rereads(*findings: Mapping[str, Any], **more: Any) -> Move:
    """A move of the reader: the answer of each reviewer when it reads the change with every fix."""
    return {**says("", *findings), "when": AGAIN, **more}


def mends(number: int, **more: Any) -> Move:
    """A move of the fixer, in the order of the attempts."""
    return {"replace": {module(number): ["/ len(prices)", "/ (len(prices) or 1)"]}, "cost_usd": 0.1, **more}


@dataclass
class ReviewScene:
    folder: Path
    modules: int = 2
    database: str = ""
    """A URL; empty: SQLite in the state folder."""
    root: Path = field(init=False)
    command: CommandLine = field(init=False)

    def __post_init__(self) -> None:
        self.root = self.folder / "reviewed"
        self.command = CommandLine(self.folder, {"REKNIT_DATABASE": self.database} if self.database else {})
        numbers = range(1, self.modules + 1)
        self.write({
            "run_tests.py": RUNNER, "reknit.toml": SETTINGS, "app/__init__.py": "", "tests/__init__.py": "",
            "tests/test_answers.py": "def is_right(module):\n    return module.answer() == 42\n",
            **{module(number): ANSWER for number in numbers},
        })  # fmt: skip
        commit_all(str(self.root), "begin")
        self.git("checkout", "-q", "-b", "work")
        self.write({module(number): ANSWER + MEAN for number in numbers})
        self.commit("mean")

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)

    def git(self, *arguments: str) -> str:
        who = ("-c", "user.name=t", "-c", "user.email=t@localhost")
        argv = ["git", "-C", str(self.root), *who, *arguments]
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout

    def commit(self, message: str) -> None:
        self.git("add", "--all", ".", f":!{PROGRESS}")
        self.git("commit", "-q", "-m", message)

    def tell(
        self, reads: Sequence[Move], fixes: Sequence[Move] = (), *, second_look: bool = False, **settings: Any
    ) -> None:
        stories = {"fixer": list(fixes) or [{}], "reader": list(reads)}
        agents = {name: {"kind": "scripted", "story": json.dumps(story)} for name, story in stories.items()}
        review = {"agent": "reader", "second_look": second_look, **settings.pop("review", {})}
        self.command.configure(**{"fixer": "fixer", "agents": agents, **settings, "review": review})

    def plan(self, *names: str, flags: Mapping[str, Any] | None = None, **wanted: Any) -> RunSpec:
        """`names`: of the reviewers. Without a sandbox, and with short waits."""
        installation, request = find_installation(self.command.environment), ReviewRequest(names or (COR,), **wanted)
        return _quick(plan_review(installation, self.root, request, {"box": "host", **(flags or {})}).spec)

    def plan_resumed(self, run_id: str, *, strict: bool = False) -> RunSpec:
        installation = find_installation(self.command.environment)
        return _quick(plan_resumed_review(installation, self.root, run_id, {"box": "host"}, strict=strict).spec)

    def play(self, *names: str, at: Mapping[str, Act] | None = None, **wanted: Any) -> Played:
        return play_spec(self, self.plan(*names, **wanted), at=at)

    def resume(self, run_id: str, *, strict: bool = False) -> Played:
        return play_spec(self, self.plan_resumed(run_id, strict=strict))

    @property
    def progress(self) -> Path:
        return self.root / PROGRESS

    def entries(self) -> list[Entry]:
        """Without their times."""
        parsed = parse_entries(self.progress.read_text())
        assert parsed.problems == ()
        return [replace(located.entry, at=0.0) for located in parsed.entries]

    def issues(self) -> list[Issue]:
        with backlog_scene.opened(self.command.environment, self.root) as (ledger, key):
            return list(ledger.each(key, IssueFilter()))

    def histories(self) -> dict[str, tuple[str, ...]]:
        """Tool and file of each issue -> every status that it had."""
        with backlog_scene.opened(self.command.environment, self.root) as (ledger, key):
            return {
                f"{issue.sources[0].tool} {issue.path}": tuple(change.new for change in ledger.history(issue.id))
                for issue in ledger.each(key, IssueFilter())
            }

    def landed(self, spec_or_run: RunSpec | str) -> list[str]:
        """Tree and subject of each commit on the run's branch, oldest first; none if there is no branch."""
        branch = f"reknit/{spec_or_run if isinstance(spec_or_run, str) else spec_or_run.run_id}"
        if not self.git("branch", "--list", branch):
            return []
        return self.git("log", "--reverse", "--format=%T %s", f"work..{branch}").splitlines()

    def subjects(self, run_id: str) -> list[str]:
        return [line.partition(" ")[2] for line in self.landed(run_id)]

    def untouched(self) -> dict[str, str]:
        """A fingerprint of all that no review may write."""
        return {name: text for name, text in fingerprint(self.root).items() if name != f"tree:{PROGRESS}"}


def _quick(spec: RunSpec) -> RunSpec:
    return replace(spec, limits=replace(spec.limits, wait_s=0.05))
