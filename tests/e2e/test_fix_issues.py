"""`reknit fix issues` with the real ruff, eslint, claude and gemini: batches, a challenger, one commit, many kills."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.crash.workers import WARM, forked_by
from tests.e2e.backlog_stage import CRASHING, FEEDBACK, FIXERS_WORDS, BacklogStage
from tests.e2e.real_agents import CANARY, processes_below
from tests.tools.command_line import Answer
from tests.tools.fork_server import ForkServer
from tests.tools.repository_print import fingerprint

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400)]


@dataclass(frozen=True)
class Played:
    stage: BacklogStage
    answer: Answer
    untouched: bool

    @property
    def ending(self) -> dict[str, Any]:
        assert self.answer.out, self.answer.err
        return self.answer.ending

    @property
    def changed(self) -> list[str]:
        argv = ["git", "diff", "--name-only", f"HEAD..reknit/{self.ending['run']}"]
        return subprocess.run(argv, cwd=self.stage.root, capture_output=True, text=True, check=True).stdout.split()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """Played once, looked at often."""
    folder = tmp_path_factory.mktemp("backlog")
    with BacklogStage(folder) as stage:
        before = fingerprint(stage.root)
        answer = stage.play()
        yield Played(stage, answer, fingerprint(stage.root) == before)
    assert processes_below(folder) == []


def test_forty_real_findings_are_in_eight_batches_backend_first(played: Played) -> None:
    assert len(played.stage.issues()) == 40
    kinds = [{Path(path).suffix for path, _ in issues} for issues in played.stage.batches.values()]
    assert kinds == 4 * [{".py"}] + 4 * [{".ts"}]
    assert [len(issues) for issues in played.stage.batches.values()] == 8 * [5]


def test_first_82_with_feedback_then_96_and_one_commit(played: Played) -> None:
    assert (played.ending["ending"], played.answer.exit_code) == ("PARTIAL", 1), played.answer.err
    scores = [(each["agent"], each["score"], each["approved"]) for each in played.answer.events("challenged")]
    assert scores == [("gemini", 82, False), ("gemini", 96, True)]
    argv = ["git", "rev-list", "--count", f"HEAD..reknit/{played.ending['run']}"]
    assert subprocess.run(argv, cwd=played.stage.root, capture_output=True, text=True, check=True).stdout == "1\n"
    assert played.untouched


def test_resolved_are_exactly_those_whose_files_are_in_the_commit_and_the_crashed_batch_failed(played: Played) -> None:
    crashed = set(played.stage.batches[CRASHING])
    for issue in played.stage.issues():
        expected = "FAILED" if (issue["path"], issue["rule"]) in crashed else "RESOLVED"
        assert issue["status"] == expected, issue
        assert (issue["path"] in played.changed) or expected == "FAILED"
    outcomes = {each["finding"]: each["outcome"] for each in played.ending["attempts"]}
    assert outcomes.pop(f"B-{CRASHING}") == "crashed"
    assert set(outcomes.values()) == {"done"}


def test_the_challenger_sees_the_issues_and_the_change_and_no_word_of_the_fixer(played: Played) -> None:
    fixers = json.dumps([dict(request.body) for request in played.stage.fixer.log])
    judges = [json.dumps(dict(request.body)) for request in played.stage.challenger.log]
    assert FIXERS_WORDS in fixers
    assert judges
    assert not any(FIXERS_WORDS in said for said in judges)
    assert any("I-1" in said and "value is None" in said for said in judges)
    assert FEEDBACK in fixers


def test_killed_between_every_two_steps_it_ends_the_same(played: Played, tmp_path: Path) -> None:
    with BacklogStage(tmp_path) as stage, ForkServer(WARM) as server:
        assert stage.batches
        run_id, kills = stage.play_with_kills(forked_by(server))
        assert kills >= 35
        run = json.loads(stage.reknit.run("show", run_id, "--format", "json", cwd=stage.root).out)
        assert (run["ending"], run["reason"]) == (played.ending["ending"], played.ending["reason"])
        assert tree_of(stage, run_id) == tree_of(played.stage, played.ending["run"])
        assert statuses(stage) == statuses(played.stage)
        assert [each["starts"] for each in run["attempts"]] == [1] * len(played.ending["attempts"])
        print(f"\n{kills} kills")


def tree_of(stage: BacklogStage, run_id: str) -> str:
    argv = ["git", "rev-parse", f"reknit/{run_id}^{{tree}}", f"reknit/{run_id}^"]
    tree, parent = subprocess.run(argv, cwd=stage.root, capture_output=True, text=True, check=True).stdout.split()
    assert parent == stage.head
    return tree


def statuses(stage: BacklogStage) -> list[tuple[str, str, str]]:
    return sorted((issue["path"], issue["rule"], issue["status"]) for issue in stage.issues())


def test_no_key_reaches_an_agent_or_the_ledger(played: Played) -> None:
    everything = played.answer.out + played.answer.err
    assert CANARY not in everything
