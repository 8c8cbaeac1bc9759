"""The action as a user's workflow calls it: the steps' own shell lines, with what GitHub sets, on the stand-in."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.adapters.git.users_git import git
from tests.tools.github import GitHub
from tests.tools.patience import scale
from tests.tools.pull_scene import BRANCH, REPORT, SLUG, PullScene
from tests.tools.vote_scene import ANN, BOB, ballot, vote_scene

ACTION_PATH = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ACTION_PATH / "action.yml").read_text())
STEPS: list[dict[str, Any]] = [step for step in ACTION["runs"]["steps"] if "run" in step]
JOB_TOKEN = "ghs_of_the_job"
FOUND = {
    "category": "logic", "severity": "blocking", "file": REPORT, "line": 3, "title": "wrong",
    "issue": "It is wrong.\n::error::100% <b>always</b>",
}  # fmt: skip
SAYS = {"verdict": "needs_work", "score_0_100": 40, "summary": "no", "findings": [FOUND]}


@dataclass(frozen=True)
class Job:
    exit_code: int
    log: str
    summary: str
    outputs: str

    @property
    def annotations(self) -> list[str]:
        """Errors after the pause of commands: in it, the runner reads none."""
        token, _, log = self.log.rpartition("::stop-commands::")[2].partition("\n")
        return [line for line in log.partition(f"::{token}::\n")[2].splitlines() if line.startswith("::error ")]


@dataclass
class Runner:
    """A machine of GitHub Actions: it has Python, sudo and git, and runs a composite action's steps by bash."""

    scene: PullScene
    hub: GitHub
    temp: Path
    more: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Let pip and sudo only write down how they were called; the environment's Python is the one of these tests."""
        called = self.temp / "called"
        pip = f'printf "%s\\n" "pip $*" >> "{called}"'
        make = (
            f'mkdir -p "$4/bin"\nprintf \'#!/bin/sh\\nexec "{sys.executable}" "$@"\\n\' > "$4/bin/python"\n'
            f'cat > "$4/bin/pip" <<\'X\'\n#!/bin/sh\n{pip}\nX\nchmod +x "$4/bin/"*'
        )
        self._program("python3", f'test "$1 $2 $3" = "-I -m venv" || exec "{sys.executable}" "$@"\n{make}')
        self._program("sudo", f'printf "%s\\n" "sudo $*" >> "{called}"')

    def _program(self, name: str, script: str) -> None:
        path = self.temp / "bin" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    @property
    def called(self) -> list[str]:
        return (self.temp / "called").read_text().splitlines()

    def play(self, event_name: str, event: Mapping[str, Any], **inputs: str) -> Job:
        files = {name: self.temp / name for name in ("event.json", "summary.md", "output.txt")}
        for path in files.values():
            path.write_text("")
        files["event.json"].write_text(json.dumps(event))
        own = {name: value for name, value in self.scene.command.environment.items() if name != "GH_TOKEN"}
        environment = {
            **own, **self.more, "PATH": f"{self.temp / 'bin'}:{os.environ['PATH']}", "RUNNER_TEMP": str(self.temp),
            "GITHUB_ACTION_PATH": str(ACTION_PATH), "GITHUB_EVENT_NAME": event_name, "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_PATH": str(files["event.json"]), "GITHUB_STEP_SUMMARY": str(files["summary.md"]),
            "GITHUB_OUTPUT": str(files["output.txt"]), "GITHUB_REPOSITORY": SLUG, "GITHUB_SERVER_URL": self.hub.url,
            "GITHUB_API_URL": self.hub.url,
        }  # fmt: skip
        log, code = "", 0
        for step in STEPS:
            script = self.temp / "step.sh"
            script.write_text(step["run"])
            named = {name: expanded(str(value), inputs) for name, value in step.get("env", {}).items()}
            argv = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)]
            done = subprocess.run(
                argv, cwd=self.scene.clone, env={**environment, **named}, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, check=False, timeout=scale(150),
            )  # fmt: skip
            log, code = log + done.stdout, done.returncode
            if code:
                break
        return Job(code, log, files["summary.md"].read_text(), files["output.txt"].read_text())


def input_expression(name: str) -> str:
    return "${{ inputs.NAME }}".replace("NAME", name)


def expanded(text: str, inputs: Mapping[str, str]) -> str:
    """The few expressions that action.yml has."""
    for name, facts in ACTION["inputs"].items():
        text = text.replace(input_expression(name), inputs.get(name.replace("-", "_"), facts.get("default", "")))
    text = text.replace("${{ github.token }}", JOB_TOKEN)
    assert "${{" not in text
    return text


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as hub:
        yield hub
        assert hub.violations == []


def runner(scene: PullScene, hub: GitHub, tmp_path: Path) -> Runner:
    """On the base, without a branch and without history, as the guide has `actions/checkout` leave it."""
    scene.clone = tmp_path / "runner" / "work"
    scene.clone.mkdir(parents=True)
    git(scene.clone, "init", "--quiet")
    git(scene.clone, "remote", "add", "origin", f"{hub.url}/{SLUG}.git")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    fetch = ["git", "fetch", "--quiet", "--depth=1", "origin", hub.head(SLUG, "main")]
    subprocess.run(fetch, cwd=scene.clone, env=environment, check=True)
    git(scene.clone, "checkout", "--quiet", "--detach", "FETCH_HEAD")
    return Runner(scene, hub, tmp_path / "runner")


def of_pull(scene: PullScene) -> dict[str, Any]:
    return {"pull_request": {"number": scene.number, "head": {"repo": {"full_name": SLUG}}}}


def after_ci(scene: PullScene) -> dict[str, Any]:
    return {"workflow_run": {"conclusion": "failure", "pull_requests": [{"number": scene.number}]}}


def test_fix_pr_pushes_with_a_token_that_starts_ci_and_is_clean(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, settings={"box": "host"})
    before = hub.head(SLUG, BRANCH)
    machine = runner(scene, hub, tmp_path)
    (scene.clone / "json.py").write_text("raise SystemExit('imported from the repository')\n")
    (scene.clone / "venv.py").write_text("raise SystemExit('imported from the repository')\n")
    job = machine.play("workflow_run", after_ci(scene), command="fix-pr", token=hub.token, budget="3")
    assert job.exit_code == 0, job.log
    assert hub.head(SLUG, BRANCH) != before
    assert job.summary.startswith("## reknit fix-pr: CLEAN\n")
    assert "| pushed | " in job.summary
    assert "of &#36;3.00" in job.summary
    assert job.outputs.startswith("ending=CLEAN\nrun=r-")
    page = Path(job.outputs.splitlines()[-1].removeprefix("page="))
    assert (page.parent, "CLEAN" in page.read_text()) == (machine.temp, True)
    kept = ACTION["runs"]["steps"][-1]
    assert (kept["if"], kept["with"]["path"]) == (
        "always() && steps.run.outputs.page != ''", "${{ steps.run.outputs.page }}",
    )  # fmt: skip
    assert job.annotations == []
    assert hub.token not in job.log + job.summary
    assert machine.called[0] == f"pip install --quiet {ACTION_PATH}"
    assert machine.called[-1].startswith("sudo sysctl ")


@pytest.mark.parametrize(
    ("event_name", "token", "why"),
    [
        pytest.param(
            "workflow_run", JOB_TOKEN, "its commits start no CI, so the run could never see it pass", id="token"
        ),
        pytest.param("pull_request", "ghp_mine", "the run would wait for itself", id="event"),
    ],
)
def test_fix_pr_is_refused_where_it_could_never_end(
    hub: GitHub, tmp_path: Path, event_name: str, token: str, why: str
) -> None:
    scene = PullScene(tmp_path, hub, settings={"box": "host"})
    machine = runner(scene, hub, tmp_path)
    before, calls = hub.head(SLUG, BRANCH), len(hub.calls)
    job = machine.play(event_name, of_pull(scene), command="fix-pr", token=token)
    assert job.exit_code == 2, job.log
    (found,) = [line for line in job.log.splitlines() if line.startswith("::")]
    assert found.startswith("::error title=reknit%3A action-")
    assert why in found
    assert why in job.summary
    assert job.outputs == "ending=\nrun=\npage=\n"
    assert (hub.head(SLUG, BRANCH), len(hub.calls)) == (before, calls)
    assert token not in job.log + job.summary


def test_review_reports_at_the_lines_with_the_token_of_the_workflow(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, answers=False)
    reader = {"kind": "scripted", "story": json.dumps([{"report": SAYS}])}
    scene.command.configure(agents={"ann": reader}, review={"agent": "ann"}, box="host")
    machine = runner(scene, hub, tmp_path)
    inputs = {"command": "review", "token": hub.token, "version": "9.9.9"}
    job = machine.play("pull_request", of_pull(scene), **inputs)
    assert job.exit_code == 1, job.log
    first, *found = job.annotations
    assert first.startswith("::error title=reknit%3A DEFERRED::")
    assert found[0].startswith(f"::error file={REPORT},line=3,title=COR-001 wrong::It is wrong.")
    assert [line for line in found if "::100%25 <b>" not in line] == []
    assert job.summary.startswith("## reknit review: DEFERRED\n")
    assert f"- error `{REPORT}:3` COR-001 wrong: It is wrong. " in job.summary
    assert "<b>" not in job.summary
    assert machine.called[0] == "pip install --quiet reknit==9.9.9"


@pytest.mark.parametrize(("bobs", "exit_code", "word"), [(78, 0, "CLEAN"), (20, 1, "BLOCKED")])
def test_a_vote_shows_both_scores(hub: GitHub, tmp_path: Path, bobs: int, exit_code: int, word: str) -> None:
    scene = vote_scene(tmp_path, hub, [ballot(ANN, 85, "warning")], [ballot(BOB, bobs)], {"box": "host"})
    machine = runner(scene, hub, tmp_path)
    event = {"issue": {"number": scene.number, "pull_request": {"url": "x"}}}
    job = machine.play("issue_comment", event, command="vote", token=hub.token, agent=f"{ANN},{BOB}")
    assert job.exit_code == exit_code, job.log
    assert job.summary.startswith(f"## reknit vote: {word}\n")
    assert f"| {ANN} | 85 of 100 |\n| {BOB} | {bobs} of 100 |" in job.summary
    assert f"::warning file={REPORT},line=3,title=ann%3A logic::quokka warning" in job.log


def test_a_pull_request_of_a_fork_has_no_login_and_is_told_why(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, answers=False)
    scene.command.configure(forge={"api": hub.url})
    event = {"pull_request": {"number": scene.number, "head": {"repo": {"full_name": "eve/shop"}}}}
    job = runner(scene, hub, tmp_path).play("pull_request", event, command="review")
    assert job.exit_code == 4, job.log
    assert "no secrets to workflows of pull requests from forks" in job.summary
    assert job.annotations[0].startswith("::error title=reknit%3A login::")


def test_an_event_that_cannot_be_read_names_no_pull_request(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, answers=False)
    machine = runner(scene, hub, tmp_path)
    events: list[Any] = [[], {}]
    for event in events:
        job = machine.play("schedule", event, command="vote", token=hub.token)
        assert (job.exit_code, "is about no pull request" in job.summary) == (2, True)
    machine.more["GITHUB_EVENT_PATH"] = "/nonexistent"
    assert machine.play("schedule", {}, command="vote", token=hub.token).exit_code == 2


def test_every_input_reaches_the_step_and_no_expression_is_in_a_script() -> None:
    """An expression in a script would be replaced before bash reads it: a title could then be a command."""
    given = " ".join(value for step in STEPS for value in step.get("env", {}).values())
    assert [name for name in ACTION["inputs"] if input_expression(name) not in given] == []
    assert [step["name"] for step in STEPS if "${{" in step["run"]] == []
    assert [step["name"] for step in STEPS if "python" in step["run"] and " -I " not in step["run"]] == []
