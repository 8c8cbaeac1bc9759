"""Issues in files that only a person may allow to change, from the command line to the commit."""

import json
from collections.abc import Callable
from pathlib import Path

from reknit.core.issues.model import ReportResult
from tests.tools import backlog_scene as scene
from tests.tools.command_line import Answer, CommandLine
from tests.workflows.fix_issues.backlog_runs import ALL, fix, log

Here = Callable[..., Answer]
TEST = "tests/test_b1.py"
RULE = f"protected-test:{TEST}"
ADD = f"1 issue in files that only a person may allow to change: add `--allow {RULE}`"
MEND_TEST = {"replace": {TEST: ["answer(), 42)", "42, answer())"]}, "cost_usd": 0.1}


def report_test(reknit: CommandLine, root: Path) -> None:
    """One more issue, in a test."""
    in_test = ReportResult("ruff", "PT009", str(root / TEST), 7, 8, "expected value first")
    scene.take_in(reknit, root, [*scene.found(root), in_test])


def test_they_are_counted_and_every_output_says_what_takes_them_in(here: Here, reknit: CommandLine, root: Path) -> None:
    report_test(reknit, root)
    scene.tell(reknit, ALL, [scene.score(96)])
    document = json.loads(fix(here, root, "--dry-run").out)
    assert document["not_allowed"] == {"issues": 1, "files": 1, "allow": [f"--allow {RULE}"]}
    assert f"allow     {ADD}" in here("fix", "issues", "--dry-run", cwd=root).out
    alone = here("fix", "issues", "--rule", "PT009", cwd=root)
    assert (alone.exit_code, ADD in alone.err) == (2, True)
    answer = here("fix", "issues", cwd=root)
    assert (answer.exit_code, f"  left    {ADD}" in answer.out) == (0, True), answer.out
    assert ADD in answer.err
    assert scene.states(reknit, root)[TEST] == "OPEN"


def test_what_a_person_allows_is_taken_in_and_stands_in_receipt_and_commit(
    here: Here, reknit: CommandLine, root: Path
) -> None:
    report_test(reknit, root)
    scene.tell(reknit, [MEND_TEST], [scene.score(96)])
    answer = fix(here, root, "--rule", "PT009", "--allow", RULE)
    assert (answer.ending["ending"], answer.exit_code) == ("FIXED", 0), answer.err
    assert scene.states(reknit, root)[TEST] == "RESOLVED"
    use = f"{RULE} allowed by a person (--allow)"
    assert answer.ending["receipt"]["allowed"] == [use]
    [message] = log(root, answer.ending["run"])
    assert f"Reknit-Allowed: {use}" in message.splitlines()


def test_a_batch_that_only_a_waiver_helps_fails_after_two_calls_and_says_what_to_type(
    here: Here, reknit: CommandLine, root: Path
) -> None:
    config = {"write": {"app/b1.py": "import os  \n", "ruff.toml": 'exclude = ["app"]\n'}}
    scene.tell(reknit, [config, config, *ALL[1:]], [scene.score(96)])
    answer = fix(here, root)
    assert answer.ending["ending"] == "PARTIAL", answer.err
    assert len(answer.ending["attempts"]) == 4
    [failed] = answer.events("batch_failed")
    assert failed["why"].endswith(
        "only a person may allow a change of ruff.toml: add `--allow protected-config:ruff.toml`"
    )
    assert scene.states(reknit, root)["app/b1.py"] == "FAILED"


def test_a_waiver_that_has_ended_is_named_at_the_start(here: Here, reknit: CommandLine, root: Path) -> None:
    report_test(reknit, root)
    entry = {"rule": "protected-test", "path": TEST, "reason": "moved", "until": "2020-12-31"}
    scene.tell(reknit, ALL, gate={"allow": [entry]})
    answer = here("fix", "issues", cwd=root)
    assert f"the waiver {RULE} in config.toml ended on 2020-12-31" in answer.err
    assert scene.states(reknit, root)[TEST] == "OPEN"
