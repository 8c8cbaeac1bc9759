"""Reading runs back, in text and as documents."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from reknit.app.installation import find_installation
from reknit.core.agents.call import AgentSettings
from reknit.core.fix_pr.output.documents import to_ci_document, to_course_document, to_review_document
from reknit.core.fix_tests.task import FixTests
from reknit.core.gate.judge import RULES
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from reknit.store.database import open_store
from reknit.store.runs.ledger import SqlRunLedger
from tests.tools.command_line import Answer, CommandLine
from tests.tools.pull_samples import COURSE, FAILED, RED, TARGET, URL
from tests.tools.sample_tasks import REVIEW_CHANGE

Here = Callable[..., Answer]
WRONG = {"shop/pricing.py": ["return price - percent", "return price"]}
RIGHT = {"shop/pricing.py": ["return price - percent", "return price * (1 - percent / 100)"]}


def test_no_runs_yet_says_how_to_make_one(here: Here, tmp_path: Path) -> None:
    answer = here("runs", cwd=tmp_path)
    assert (answer.exit_code, answer.out) == (0, "")
    assert "`reknit fix tests` starts one" in answer.err
    assert here("runs", "--format", "json", cwd=tmp_path).ending == {"schema": 1, "runs": []}


def test_a_run_can_be_listed_shown_and_explained(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({"replace": WRONG}, {"replace": RIGHT})
    fixed = here("fix", "tests", "tests/test_pricing.py", "--bug", "BUG-001", cwd=shop)
    assert fixed.exit_code == 0
    assert "FIXED  BUG-001  1 of 1   2 attempts" in fixed.out
    [listed] = here("runs", "--format", "json", cwd=shop).ending["runs"]
    run = listed["run"]
    assert (listed["ending"], listed["repository"]) == ("FIXED", str(shop))
    assert here("runs", cwd=shop).out.startswith(f"{run}  20")
    _shown(here, shop, run)
    _bug(here, shop, run)
    _attempts(here, shop, run)
    _explained(here, shop, run)


def _shown(here: Here, shop: Path, run: str) -> None:
    text = here("show", run[2:], cwd=shop).out
    assert text.startswith(f"{run}  fix tests  FIXED")
    assert "    red without  " in text
    document = here("show", run, "--format", "json", cwd=shop).ending
    assert (document["run"], len(document["attempts"]), document["receipt"]["attempt"]) == (run, 2, 2)


def _bug(here: Here, shop: Path, run: str) -> None:
    state = json.loads(here("show", run, "--format", "state", cwd=shop).out)
    assert (state["bug_id"], state["test_path"], state["status"]) == ("BUG-001", "tests/test_pricing.py", "FIXED")
    assert (state["attempt"], state["strategy"], len(state["history"])) == (2, "web_search", 2)


def _attempts(here: Here, shop: Path, run: str) -> None:
    diff = here("show", run, "--attempt", "1", cwd=shop).out
    assert "-    return price - percent\n+    return price\n" in diff
    document = here("show", run, "--attempt", "1", "--format", "json", cwd=shop).ending
    assert (document["attempt"], document["proof"]) == (1, "still_red")
    assert "+    return price\n" in document["diff"]
    missing = here("show", run, "--attempt", "9", cwd=shop)
    assert (missing.exit_code, missing.out) == (2, "")
    assert f"{run} has 2 attempt(s)" in missing.err


def _explained(here: Here, shop: Path, run: str) -> None:
    text = here("show", run, "--why", cwd=shop).out
    assert "  tests   python3 run_tests.py {outbox}/report.xml   (from checks.tests.run)" in text
    assert "  attempt 1 output:" in text
    document = json.loads(here("show", run, "--why", "--format", "json", cwd=shop).out)
    kinds = [event["event"] for event in document["events"]]
    assert kinds[:3] == ["started", "baseline", "finding"]
    assert kinds[-1] == "landed"


@pytest.fixture
def ledger(reknit: CommandLine) -> SqlRunLedger:
    """With a run on a pull request that has seen nothing yet, and one that has nothing to do with any."""
    installation = find_installation(reknit.environment)
    installation.state.mkdir(parents=True, exist_ok=True)
    ledger = SqlRunLedger(open_store(installation.database))
    tests, agent = TestCommand("pytest", ("pytest",), "junit"), AgentSettings("claude", "claude")
    ledger.create(RunSpec("r-pull", "/shop", "b" * 40, TARGET, tests, (agent,)))
    ledger.create(RunSpec("r-tests", "/shop", "b" * 40, FixTests(), tests, (agent,)))
    ledger.create(RunSpec("r-review", "/shop", "b" * 40, REVIEW_CHANGE, tests, (agent,)))
    return ledger


def test_a_pull_request_run_can_be_read_before_it_has_seen_anything(
    here: Here, ledger: SqlRunLedger, tmp_path: Path
) -> None:
    state = json.loads(here("show", "r-pull", "--format", "state", cwd=tmp_path).out)
    assert (state["iteration"], state["max_iterations"], state["check_results"], state["history"]) == (1, 7, {}, [])
    assert f"  pr      #412 Fix token refresh   {URL}" in here("show", "r-pull", cwd=tmp_path).out
    assert here("show", "r-pull", "--why", cwd=tmp_path).exit_code == 0


def test_a_pull_request_run_shows_its_iterations_and_its_state(
    here: Here, ledger: SqlRunLedger, tmp_path: Path
) -> None:
    ledger.put_document("r-pull", "course", json.dumps(to_course_document(COURSE, RED)))
    ledger.put_document("r-pull", "check.review", json.dumps(to_review_document(RED.review)))
    ledger.put_document("r-pull", "check.ci", json.dumps(to_ci_document(FAILED)))
    state = json.loads(here("show", "r-pull", "--format", "state", cwd=tmp_path).out)
    assert (state["pr_number"], state["pr_url"]) == (412, URL)
    assert (list(state["check_results"]), state["check_results"]["review"]["critical"]) == (["review", "ci"], 1)
    assert {"iteration": 1, "action": "fix", "fixes": 3, "commit": "b" * 40} in state["history"]
    assert "  2     1 critical   " in here("show", "r-pull", cwd=tmp_path).out
    document = here("show", "r-pull", "--format", "json", cwd=tmp_path).ending
    assert [turn["commit"][:1] for turn in document["course"]["turns"]] == ["b", "c"]
    explained = here("show", "r-pull", "--why", cwd=tmp_path).out
    assert "          because  red tests go first; tests that cannot run count as red" in explained
    assert "  ci      fail   lint" in explained


def test_a_run_that_only_reads_has_no_such_state(here: Here, ledger: SqlRunLedger, tmp_path: Path) -> None:
    answer = here("show", "r-review", "--format", "state", cwd=tmp_path)
    assert (answer.exit_code, answer.out) == (2, "")
    wanted = "error[no-state]: r-review is a 'review' run; only `fix tests` and `fix pr` runs have a loop state"
    assert wanted in answer.err
    assert "  help: `reknit show r-review`" in answer.err
    assert "course" not in here("show", "r-tests", "--format", "json", cwd=tmp_path).ending


def test_an_attempt_has_no_state(here: Here, ledger: SqlRunLedger, tmp_path: Path) -> None:
    answer = here("show", "r-pull", "--attempt", "1", "--format", "state", cwd=tmp_path)
    assert (answer.exit_code, answer.out) == (2, "")


def test_only_show_prints_a_state(here: Here, ledger: SqlRunLedger, tmp_path: Path) -> None:
    assert here("show", "r-pull", "--why", "--format", "state", cwd=tmp_path).exit_code == 2


def test_an_issue_is_shown_by_another_command(here: Here, tmp_path: Path) -> None:
    answer = here("show", "I-1", cwd=tmp_path)
    assert (answer.exit_code, answer.out) == (2, "")
    assert answer.err == "error[no-run]: 'I-1' is an issue, not a run\n  help: `reknit issues show I-1`\n"


def test_a_rule_of_the_gate_is_explained_and_all_are_listed(here: Callable[..., Answer], tmp_path: Path) -> None:
    one, every = here("explain", "test-removed", cwd=tmp_path), here("explain", "rules", cwd=tmp_path)
    assert (one.exit_code, every.exit_code) == (0, 0)
    assert "allows   nobody: " in one.out
    assert one.out.strip() in every.out


def test_a_tamper_check_is_explained_and_all_are_listed(here: Callable[..., Answer], tmp_path: Path) -> None:
    one, every = here("explain", "twins", cwd=tmp_path), here("explain", "checks", cwd=tmp_path)
    assert "did you mean `reknit explain twins`?" in here("explain", "twin", cwd=tmp_path).err
    assert (one.exit_code, one.out.startswith("twins  "), one.out.strip() in every.out) == (0, True, True)
    [document] = json.loads(here("explain", "twins", "--format", "json", cwd=tmp_path).out)["checks"]
    assert document["check"] == "twins"


def test_a_rule_is_explained_as_json_too_and_one_that_is_misspelt_says_which_is_meant(
    here: Callable[..., Answer], tmp_path: Path
) -> None:
    every = json.loads(here("explain", "rules", "--format", "json", cwd=tmp_path).out)["rules"]
    [one] = json.loads(here("explain", "test-removed", "--format", "json", cwd=tmp_path).out)["rules"]
    assert (len(every), one in every) == (len(RULES), True)
    assert "[[gate.allow]]\n" in here("explain", "too-much", cwd=tmp_path).out
    wrong = here("explain", "protected-confg", cwd=tmp_path)
    assert (wrong.exit_code, "did you mean `protected-config`?" in wrong.err) == (2, True)


@pytest.mark.parametrize(("name", "told"), [("r-1", "`reknit show r-1 --why`"), ("I-7", "`reknit issues show I-7`")])
def test_what_is_no_rule_is_told_where_it_is_explained(here: Here, tmp_path: Path, name: str, told: str) -> None:
    answer = here("explain", name, cwd=tmp_path)
    assert (answer.exit_code, told in answer.err) == (2, True)
