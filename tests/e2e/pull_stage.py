"""A pull request on the GitHub stand-in; the real claude repairs it, the real gemini reviews it, both from a script."""

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.real_agents import CANARY, CASTS
from tests.tools.command_line import Answer, CommandLine
from tests.tools.github import GitHub
from tests.tools.pull_scene import BRANCH, CLEAN_REPORT, LINT_LINE, REPORT, SLUG, TITLE, shop_files
from tests.tools.scripted_model import Request, ScriptedModel, Turn

FIXER, REVIEWER = CASTS["claude"], CASTS["gemini"]
DONE: Turn = {"text": "Done."}
PATIENCE_S = 150
GREEN = {REPORT: CLEAN_REPORT}
"""What the branch of a pull request changes when nothing is wrong with it."""
LINT_LOG = (
    f"{REPORT}:1:1: E401 multiple imports on one line\nFound 1 error.\n##[error]Process completed with exit code 1."
)


def finding(category: str, line: int, issue: str, severity: str = "warning") -> dict[str, object]:
    return {"category": category, "severity": severity, "file": REPORT, "line": line, "issue": issue}


def review(*findings: Mapping[str, object]) -> list[Turn]:
    """What the reviewer's model says: all calls of the report tool at once, then a last word."""
    verdict = {"verdict": "needs_work", "score": 40} if findings else {"verdict": "passed", "score": 97}
    calls = [REVIEWER.report("report_finding", **each) for each in findings]
    calls.append(REVIEWER.report("finish_review", **verdict, summary="looked through it"))
    return [{"tools": [tool for call in calls for tool in call["tools"]]}, DONE]


@dataclass(frozen=True)
class Played:
    answer: Answer
    fixer: ScriptedModel
    reviewer: ScriptedModel

    @property
    def requests(self) -> list[Request]:
        return [*self.fixer.log, *self.reviewer.log]

    @property
    def ending(self) -> dict[str, Any]:
        assert self.answer.out, self.answer.err
        return self.answer.ending


@dataclass
class Stage:
    folder: Path
    hub: GitHub
    changed: Mapping[str, str]
    """What the pull request's branch changes."""
    ci: Mapping[str, Any] = field(default_factory=dict)
    number: int = field(init=False)
    head: str = field(init=False)
    clone: Path = field(init=False)

    def __post_init__(self) -> None:
        self.hub.make_repository(SLUG, shop_files())
        self.head = self.hub.commit(SLUG, BRANCH, self.changed, message=TITLE)
        self.hub.on_push = lambda _slug, _branch, sha: self.lint(sha)
        self.number = self.hub.open_pull(SLUG, head=BRANCH, title=TITLE)
        self.clone = self.folder / "shop"
        self.git("clone", "-q", "-b", BRANCH, f"{self.hub.url}/{SLUG}.git", str(self.clone))

    def git(self, *arguments: str) -> None:
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(["git", *arguments], check=True, env=environment)

    def edits(self, file: str, *changes: tuple[str, str]) -> list[Turn]:
        """What the fixer's model says: the file is read once and each change made."""
        reading, *_ = FIXER.edits(f"{self.clone}/{file}")
        changing = [FIXER.edits(f"{self.clone}/{file}", old, new)[-1] for old, new in changes]
        return [reading, *changing, DONE]

    def lint(self, sha: str) -> None:
        """CI's answer for that commit, at once."""
        red = self.hub.show(SLUG, sha, REPORT).startswith(LINT_LINE)
        self.hub.check(SLUG, sha, "lint", "failure" if red else "success", log=LINT_LOG if red else "ok")
        self.hub.check(SLUG, sha, "build", "success", log="ok")

    def command(self, **environment: str) -> CommandLine:
        reknit = CommandLine(self.folder, {"GH_TOKEN": self.hub.token, **environment})
        agents = {cast.name: {"binary": cast.binary()} for cast in (FIXER, REVIEWER)}
        reknit.configure(agents=agents, checks={"ci": {"wait_s": 1, **self.ci}}, forge={"api": self.hub.url})
        return reknit

    def play(self, *, fixes: Sequence[Turn] = (), reviews: Sequence[Turn] = ()) -> Played:
        with ScriptedModel(turns=fixes) as fixer, ScriptedModel(turns=reviews) as reviewer:
            reknit = self.command(
                **{FIXER.key_env: CANARY, FIXER.url_env: fixer.url},
                **{REVIEWER.key_env: CANARY, REVIEWER.url_env: reviewer.url},
            )
            who = ("--agent", FIXER.name, "--review-agent", REVIEWER.name)
            with reknit.start("fix", "pr", *who, "--format", "json", cwd=self.clone) as child:
                try:
                    out, err = child.communicate(timeout=PATIENCE_S)
                finally:
                    child.terminate()  # or it would go on alone
        return Played(Answer(child.returncode, out, err), fixer, reviewer)

    @property
    def comment(self) -> str:
        """The only one there is."""
        (comment,) = self.hub.comments(SLUG, self.number)
        return str(comment["body"])


def gh(hub: GitHub, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The real GitHub CLI with a home of its own; whatever host it wants, the stand-in's socket answers."""
    program = shutil.which("gh")
    assert program is not None, "no 'gh': apt install gh"
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
        "GH_HOST": "github.localhost",
        "GH_TOKEN": hub.token,
        "GH_PROMPT_DISABLED": "1",
    }
    subprocess.run([program, "config", "set", "http_unix_socket", hub.socket], check=True, env=environment)
    argv = [program, *arguments, "--repo", f"github.localhost/{SLUG}"]
    return subprocess.run(argv, env=environment, cwd=folder, capture_output=True, text=True, timeout=30)


def gh_json(hub: GitHub, folder: Path, *arguments: str) -> dict[str, Any]:
    said = gh(hub, folder, *arguments)
    assert said.returncode == 0, said.stderr
    answer: dict[str, Any] = json.loads(said.stdout)
    return answer
