"""A repository with 40 findings of the real ruff and eslint; the real claude repairs, the real gemini challenges."""

import base64
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from reknit.adapters.git.landing import commit_all
from reknit.app.installation import find_installation
from reknit.app.start.fix_issues import plan_fix_issues
from reknit.core.issues.model import IssueFilter
from reknit.workflows.runtime.codec import CODEC
from tests.crash.workers import Launch
from tests.e2e.real_agents import CANARY, CASTS, KILL_THE_CLI
from tests.tools.agent_binaries import eslint
from tests.tools.backlog_scene import RUNNER, TEST
from tests.tools.command_line import Answer, CommandLine
from tests.tools.patience import scale
from tests.tools.scripted_model import Request, ScriptedModel, Turn

FIXER, CHALLENGER = CASTS["claude"], CASTS["gemini"]
KILLED, MAX_KILLS = -9, 60
FILES = 10
"""Of each language, with two findings each."""
FIXERS_WORDS = "the-fixer-thought-xylophone"
CRASHING = 2
"""The batch whose agent crashes."""
PYTHON = """import os


def is_missing(value: object) -> bool:
    return value == None


def answer() -> int:
    return 42
"""
SCRIPT = """export function label(value) {
  var text = 'number ' + value
  if (value == 1) {
    text = 'one'
  }
  return text
}
"""
ESLINT = """export default [
  { files: ["**/*.ts"], rules: { "no-var": "error", eqeqeq: "error" } },
]
"""
MEND = {
    "F401": ("import os\n\n\n", ""),
    "E711": ("value == None", "value is None"),
    "no-var": ("  var text", "  let text"),
    "eqeqeq": ("value == 1", "value === 1"),
}
MENDER = """import base64, json, pathlib, sys
for path, old, new in json.loads(base64.b64decode(sys.argv[1])):
    file = pathlib.Path(path)
    file.write_text(file.read_text().replace(old, new) if old else new)
"""
DONE: Turn = {"text": f"Done. {FIXERS_WORDS}"}
REWORK = [("app/b01.py", "(value: object)", "(value: object | None)")]
FEEDBACK = "b01 still compares the hard way"


def make_repository(folder: Path) -> Path:
    root = folder / "shop of Zoë"
    files = {"check.py": RUNNER, "mend.py": MENDER, "kill.sh": KILL_THE_CLI, "eslint.config.mjs": ESLINT}
    files |= {"app/__init__.py": "", "tests/__init__.py": ""}
    names = [f"{number:02}" for number in range(1, FILES + 1)]
    files |= {f"app/b{name}.py": PYTHON for name in names}
    files |= {f"tests/test_b{name}.py": TEST.format(name=f"b{name}") for name in names}
    files |= {f"web/f{name}.ts": SCRIPT for name in names}
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    commit_all(str(root), "begin")
    return root


def lint(root: Path, folder: Path) -> list[Path]:
    """The reports of the real tools."""
    ruff = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--select",
        "F401,E711",
        "--output-format",
        "json",
        "app",
    ]
    script = [eslint(), "--format", "json", "web"]
    reports = []
    for name, argv in (("ruff.json", ruff), ("eslint.json", script)):
        said = subprocess.run(argv, cwd=root, capture_output=True, text=True, check=False)
        assert said.returncode == 1, said.stderr
        (folder / name).write_text(said.stdout)
        reports.append(folder / name)
    return reports


@dataclass
class BacklogStage:
    folder: Path
    scores: Sequence[int] = (82, 96)
    root: Path = field(init=False)
    reknit: CommandLine = field(init=False)
    fixer: ScriptedModel = field(init=False)
    challenger: ScriptedModel = field(init=False)

    def __post_init__(self) -> None:
        self.root = make_repository(self.folder)
        self.fixer, self.challenger = ScriptedModel(decide=self._fixers_turn), ScriptedModel(decide=self._judges_turn)
        keys = {FIXER.key_env: CANARY, FIXER.url_env: self.fixer.url}
        keys |= {CHALLENGER.key_env: CANARY, CHALLENGER.url_env: self.challenger.url}
        self.reknit = CommandLine(self.folder, keys)
        agents = {cast.name: {"binary": cast.binary()} for cast in (FIXER, CHALLENGER)}
        self.reknit.configure(
            agents=agents, checks={"tests": {"run": "python3 check.py"}}, issues={"tool_fixes": False}
        )
        reports = lint(self.root, self.folder)
        answer = self.reknit.run("issues", "import", *map(str, reports), "--format", "json", cwd=self.root)
        assert answer.exit_code == 0, answer.err

    def __enter__(self) -> "BacklogStage":
        self.fixer.__enter__()
        self.challenger.__enter__()
        return self

    def __exit__(self, *problem: Any) -> None:
        self.fixer.__exit__(*problem)
        self.challenger.__exit__(*problem)

    @cached_property
    def batches(self) -> Mapping[int, list[tuple[str, str]]]:
        """Batch -> (file, rule) of each issue in it."""
        plan = json.loads(self.reknit.run("fix", "issues", "--dry-run", "--format", "json", cwd=self.root).out)
        known = {issue["issue"]: (str(issue["path"]), str(issue["rule"])) for issue in self.issues()}
        return {batch["batch"]: [known[issue] for issue in batch["issues"]] for batch in plan["batches"]}

    def issues(self) -> list[dict[str, Any]]:
        statuses = ("OPEN", "IN_PROGRESS", "FAILED", "RESOLVED")
        wanted = [word for status in statuses for word in ("--status", status)]
        listed: list[dict[str, Any]] = json.loads(
            self.reknit.run("issues", "list", *wanted, "--format", "json", cwd=self.root).out
        )
        return listed

    def play(self, *arguments: str) -> Answer:
        assert self.batches
        with self.reknit.start("fix", "issues", *arguments, "--format", "json", cwd=self.root) as child:
            try:
                out, err = child.communicate(timeout=scale(200))
            finally:
                child.terminate()  # or it would go on alone
        return Answer(child.returncode, out, err)

    def play_with_kills(self, launch: Launch) -> tuple[str, int]:
        """Every worker does one step and is killed before the next; the run, and how many were killed."""
        installation = find_installation(self.reknit.environment)
        spec = plan_fix_issues(installation, self.root, IssueFilter(), {}).spec
        (self.folder / "spec.json").write_text(CODEC.serialize(spec))
        environment = {**self.reknit.environment, "TRACE_FILE": str(self.folder / "trace")}
        log, kills = self.folder / "worker.log", 0
        order = ["start", str(self.folder / "spec.json"), "2"]
        while launch([*order, str(self.folder)], environment, log).wait(timeout=scale(120)) == KILLED:
            kills += 1
            assert kills < MAX_KILLS, log.read_text()[-3000:]
            order = ["one_step", spec.run_id]
        return spec.run_id, kills

    @property
    def head(self) -> str:
        argv = ["git", "rev-parse", "HEAD"]
        return subprocess.run(argv, cwd=self.root, capture_output=True, text=True, check=True).stdout.strip()

    def _fixers_turn(self, request: Request) -> Turn | None:
        """One command that mends the batch, then the report; with words that nobody may pass on."""
        if not request.tools:
            return None
        said = json.dumps(request.body)
        results = said.count('"tool_result"')
        if results:
            summary = f"mended; {FIXERS_WORDS}"
            return DONE if results > 1 else FIXER.report("finish_fix", status="fixed", summary=summary)
        batch = re.search(r"Batch (\d+) of", said)
        if batch and int(batch[1]) == CRASHING:
            return FIXER.shell("sh kill.sh")
        changes = [(path, *MEND[rule]) for path, rule in self.batches[int(batch[1])]] if batch else REWORK
        order = base64.b64encode(json.dumps(changes).encode()).decode()
        return {**FIXER.shell(f"python3 mend.py {order}"), "text": f"I mend it. {FIXERS_WORDS}"}

    def _judges_turn(self, request: Request) -> Turn | None:
        if not request.tools:
            return None
        said = json.dumps(request.body)
        if "functionResponse" in said:
            return {"text": "Judged."}
        score = self.scores[1] if FEEDBACK in said else self.scores[0]
        verdict = {
            "verdict": "passed" if score >= 95 else "needs_work",
            "score": score,
            "summary": "looked at all of it",
        }
        calls = [] if score >= 95 else [_finding()]
        calls.append(CHALLENGER.report("finish_review", **verdict))
        return {"tools": [tool for call in calls for tool in call["tools"]]}


def _finding() -> Turn:
    place = {"category": "correctness", "severity": "warning", "file": "app/b01.py", "line": 4}
    return CHALLENGER.report("report_finding", **place, issue=FEEDBACK)
