"""`reknit review --pr`: looks at a pull request and reports; nothing is written or repaired."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tools.command_line import Answer
from tests.tools.github import GitHub
from tests.tools.pull_scene import REPORT, PullScene

Here = Callable[..., Answer]
FOUND = {"category": "logic", "severity": "blocking", "file": REPORT, "line": 3, "issue": "It is wrong. Always."}
SAYS = {"verdict": "needs_work", "score_0_100": 40, "summary": "no", "findings": [FOUND]}


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as hub:
        yield hub
        assert hub.violations == []


def test_a_pull_request_is_reported_on_and_left_as_it_is(
    here: Here, hub: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GH_TOKEN", hub.token)
    scene = PullScene(tmp_path, hub, answers=False)
    reader = {"kind": "scripted", "story": json.dumps([{"report": SAYS, "cost_usd": 0.1}])}
    tables = {"agents": {"ann": reader}, "review": {"agent": "ann"}, "forge": {"api": hub.url}, "box": "host"}
    scene.command.configure(**tables)
    before = sorted(path.name for path in scene.clone.iterdir())
    answer = here("review", "--pr", str(scene.number), "--reviewer", "correctness", cwd=scene.clone)
    assert (answer.exit_code, "1 finding reported" in answer.out) == (1, True), answer.err
    assert answer.err.splitlines()[0].split("  ", 1)[1].startswith(f"correctness on #{scene.number} ")
    assert sorted(path.name for path in scene.clone.iterdir()) == before
    wrong = here("review", "--pr", str(scene.number), "--strict", cwd=scene.clone)
    assert (wrong.exit_code, "`reknit fix pr` repairs it" in wrong.err) == (2, True)
    run = answer.err.split()[0]
    resumed = here("review", "--resume", run, cwd=scene.clone)
    assert (resumed.exit_code, "`reknit fix pr` repairs it" in resumed.err) == (2, True)
