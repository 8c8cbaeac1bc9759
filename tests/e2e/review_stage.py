"""`reknit review` with the real claude, gemini and codex as reviewers and claude as fixer, all from one script."""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.real_agents import CANARY, CASTS, Cast
from tests.e2e.review_scene import (
    ABOUT_A_TEST,
    PLANTED,
    STILL_THERE,
    UNFIXABLE,
    Planted,
    make_repository,
    new_test,
    wrong_fix,
)
from tests.tools.command_line import Answer, CommandLine
from tests.tools.review_scene import AGAIN
from tests.tools.scripted_model import Request, ScriptedModel, Turn

DONE: Turn = {"text": "Done."}
PATIENCE_S = 400
OF_API = {"anthropic": CASTS["claude"], "gemini": CASTS["gemini"], "responses": CASTS["codex"]}
RESULTS = {"anthropic": '"tool_result"', "gemini": '"functionResponse"', "responses": '"function_call_output"'}
"""How each vendor names the result of a tool in a request."""


@dataclass(frozen=True)
class Conversation:
    """One call of an agent, seen by its model."""

    agent: str
    purpose: str
    """`review`, `fix`, `confirm` or `look again`."""
    about: str
    """The reviewer, or the id of the first finding."""


@dataclass
class ReviewStage:
    folder: Path
    root: Path = field(init=False)
    reknit: CommandLine = field(init=False)
    model: ScriptedModel = field(init=False)
    conversations: list[Conversation] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.root = make_repository(self.folder)
        self.model = ScriptedModel(decide=self._turn)
        keys = {cast.key_env: CANARY for cast in CASTS.values()}
        self.reknit = CommandLine(self.folder, keys | {cast.url_env: self.model.url for cast in CASTS.values()})
        agents = {cast.name: {"binary": cast.binary()} for cast in CASTS.values()}
        self.reknit.configure(
            fixer="claude", agents=agents, review={"agent": "claude"}, checks={"tests": {"run": "python3 check.py"}}
        )

    def __enter__(self) -> "ReviewStage":
        self.model.__enter__()
        return self

    def __exit__(self, *problem: Any) -> None:
        self.model.__exit__(*problem)

    def play(self, *arguments: str, form: str = "json") -> Answer:
        with self.reknit.start("review", *arguments, "--format", form, cwd=self.root) as child:
            try:
                out, err = child.communicate(timeout=PATIENCE_S)
            finally:
                child.terminate()  # or it would go on alone
        return Answer(child.returncode, out, err)

    def run(self, *arguments: str) -> str:
        answer = self.reknit.run(*arguments, cwd=self.root)
        assert answer.exit_code == 0, answer.err
        return answer.out

    def issues(self) -> dict[str, dict[str, Any]]:
        """By the id of the finding."""
        statuses = ("OPEN", "IN_PROGRESS", "FAILED", "RESOLVED", "IGNORED")
        wanted = [word for status in statuses for word in ("--status", status)]
        listed = json.loads(self.run("issues", "list", *wanted, "--format", "json"))
        return {issue["label"]: issue for issue in listed}

    def _turn(self, request: Request) -> Turn | None:
        if not request.tools:
            return None
        cast, said = OF_API[request.api], json.dumps(request.body)
        purpose, about, turns = self._play_of(cast, said)
        results = said.count(RESULTS[request.api])
        if not results:
            self.conversations.append(Conversation(cast.name, purpose, about))
        return turns[min(results, len(turns) - 1)]

    def _play_of(self, cast: Cast, said: str) -> tuple[str, str, Sequence[Turn]]:
        if called := re.search(r"review is called ([a-z-]+)", said):
            purpose = "look again" if AGAIN in said else "review"
            found = [planted for planted in PLANTED if planted.reviewer == called[1]]
            left = [planted for planted in found if planted is UNFIXABLE]
            return purpose, called[1], _review(cast, left if AGAIN in said else found)
        shown = re.split("Attempt |The change:", said.split("reported:")[1])[0]
        about = [planted for planted in PLANTED if planted.title in shown]
        if "You reported the problem" in said:
            return "confirm", about[0].id, [_verdict(cast, STILL_THERE if UNFIXABLE in about else ""), DONE]
        attempt = re.search(r"Attempt (\d) of 3", said)
        return "fix", about[0].id, _fix(cast, about, int(attempt[1]) if attempt else 0)


def _review(cast: Cast, found: Sequence[Planted]) -> list[Turn]:
    reports = [cast.report("report_finding", **_finding(planted)) for planted in found]
    return [*reports, _verdict(cast, f"{len(found)} problems" if found else ""), DONE]


def _finding(planted: Planted) -> Mapping[str, object]:
    place = {"category": planted.category, "severity": "warning", "file": planted.file, "line": planted.line}
    told = {"title": planted.title, "issue": f"{planted.title}.", "suggestion": f"Write {planted.new.strip()!r}."}
    return {**place, **told, "effort": planted.effort, "files": planted.files}


def _verdict(cast: Cast, problem: str) -> Turn:
    verdict = {"verdict": "needs_work", "score": 40} if problem else {"verdict": "passed", "score": 100}
    return cast.report("finish_review", **verdict, summary=problem or "nothing is wrong")


def _fix(cast: Cast, about: Sequence[Planted], attempt: int) -> list[Turn]:
    """One command that changes the files, then the report."""
    changes = [(planted.file, planted.old, planted.new) for planted in about]
    if ABOUT_A_TEST in about:
        changes = [new_test(attempt)]
    if UNFIXABLE in about:
        changes = [wrong_fix(attempt)]
    order = base64.b64encode(json.dumps(changes).encode()).decode()
    return [cast.shell(f"python3 mend.py {order}"), cast.report("finish_fix", status="fixed", summary="fixed"), DONE]
