"""Reading runs back, in text and as documents."""

import json
from collections.abc import Callable
from pathlib import Path

from tests.tools.command_line import Answer, CommandLine

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
    fixed = here("fix", "tests", cwd=shop)
    assert fixed.exit_code == 0
    assert "FIXED  1 of 1   2 attempt(s)" in fixed.out
    [listed] = here("runs", "--format", "json", cwd=shop).ending["runs"]
    run = listed["run"]
    assert (listed["ending"], listed["repository"]) == ("FIXED", str(shop))
    assert here("runs", cwd=shop).out.startswith(f"{run}  20")
    _shown(here, shop, run)
    _attempts(here, shop, run)
    _explained(here, shop, run)


def _shown(here: Here, shop: Path, run: str) -> None:
    text = here("show", run[2:], cwd=shop).out
    assert text.startswith(f"{run}  fix tests  FIXED")
    assert "    red without  " in text
    document = here("show", run, "--format", "json", cwd=shop).ending
    assert (document["run"], len(document["attempts"]), document["receipt"]["attempt"]) == (run, 2, 2)


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
    text = here("explain", run, cwd=shop).out
    assert "  tests   python3 run_tests.py {outbox}/report.xml   (from checks.tests.run)" in text
    assert "  attempt 1 output:" in text
    document = json.loads(here("explain", run, "--format", "json", cwd=shop).out)
    kinds = [event["event"] for event in document["events"]]
    assert kinds[:3] == ["started", "baseline", "finding"]
    assert kinds[-1] == "landed"


def test_an_attempt_whose_work_is_on_another_machine_says_so(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({"replace": RIGHT})
    run = here("fix", "tests", "--format", "json", cwd=shop).ending["run"]
    (reknit.folder / "state" / "runs").rename(reknit.folder / "elsewhere")
    answer = here("show", run, "--attempt", "1", cwd=shop)
    assert (answer.exit_code, answer.err.partition(":")[0]) == (2, "error[no-attempt]")
