"""The whole loop on the real engine, the real git and the real box; only the agent is scripted."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reknit.adapters.git.landing import commit_all
from tests.tools.command_line import Answer, CommandLine
from tests.tools.repository_print import fingerprint

Here = Callable[..., Answer]
SOURCE = "shop/pricing.py"
BROKEN = "return price - percent"
RIGHT = {"replace": {SOURCE: [BROKEN, "return price * (1 - percent / 100)"]}, "cost_usd": 0.1}
WRONG = {"replace": {SOURCE: [BROKEN, "return price - 3 * percent"]}, "cost_usd": 0.1}
TARGET = "tests/test_pricing.py::PricingTest::test_discount_is_a_share"
SECOND_BUG = """
import unittest

from shop.stock import left


class StockTest(unittest.TestCase):
    def test_what_was_sold_is_gone(self) -> None:
        self.assertEqual(left(5, 2), 3)
"""
COUNTED = """
import unittest
from pathlib import Path

from shop.pricing import discount

COUNT = Path({count!r})


class CountedTest(unittest.TestCase):
    def test_counted(self) -> None:
        number = len(COUNT.read_text()) if COUNT.exists() else 0
        COUNT.write_text("x" * (number + 1))
        self.assertTrue({passes})
"""


def fix(here: Here, shop: Path, *arguments: str) -> Answer:
    return here("fix", "tests", "--format", "json", *arguments, cwd=shop)


def commits(shop: Path, run: str) -> list[str]:
    """Subjects of what landed, oldest first."""
    argv = ["git", "log", "--reverse", "--format=%s", f"main..reknit/{run}"]
    return subprocess.run(argv, cwd=shop, capture_output=True, text=True, check=True).stdout.splitlines()


def branches(shop: Path) -> list[str]:
    argv = ["git", "for-each-ref", "--format=%(refname:short)", "refs/heads"]
    return subprocess.run(argv, cwd=shop, capture_output=True, text=True, check=True).stdout.split()


def add(shop: Path, **files: str) -> None:
    for name, text in files.items():
        (shop / name.replace("__", "/")).with_suffix(".py").write_text(text)
    commit_all(str(shop), "more")


def summary(answer: Answer) -> tuple[str, int, list[tuple[str, str | None]]]:
    ending = answer.ending
    return ending["ending"], answer.exit_code, [(each["strategy"], each["proof"]) for each in ending["attempts"]]


def test_a_learner_ends_fixed_with_one_commit_and_the_tree_untouched(
    here: Here, reknit: CommandLine, shop: Path
) -> None:
    reknit.tell_story({"delete": ["tests/test_pricing.py"]}, WRONG, RIGHT)
    before = fingerprint(shop)
    answer = fix(here, shop)
    assert summary(answer) == ("FIXED", 0, [("local", None), ("search", "still_red"), ("deep", "proven")])
    ending = answer.ending
    assert commits(shop, ending["run"]) == ["fix: repair test_discount_is_a_share in shop/pricing.py"]
    assert ending["commit"] == ending["receipt"]["commit"]
    assert ending["receipt"]["tests"] == [TARGET]
    assert (ending["fixed"], ending["left"]) == (["T-1"], [])
    assert ending["spent_usd"] == pytest.approx(0.2)
    assert fingerprint(shop) == before
    assert answer.events("gate")[0]["refusals"][0]["rule"] == "test-removed"


def test_a_hopeless_agent_ends_deferred_after_every_strategy(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story(WRONG)
    answer = fix(here, shop)
    tried = [("local", "still_red"), ("search", "still_red"), ("deep", "still_red")]
    assert summary(answer) == ("DEFERRED", 1, tried)
    assert branches(shop) == ["main"]
    assert (answer.ending["commit"], answer.ending["receipt"]) == (None, None)


def test_a_rate_limit_is_waited_for_and_uses_no_attempt(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({**RIGHT, "outcome": "rate_limited", "wait_s": 0.5, "limited_times": 2}, loop={"attempts": 1})
    answer = fix(here, shop)
    assert summary(answer) == ("FIXED", 0, [("local", "proven")])
    assert [event["why"] for event in answer.events("waiting")] == ["rate_limited", "rate_limited"]


def test_a_provider_that_never_says_yes_blocks_without_a_last_useless_wait(
    here: Here, reknit: CommandLine, shop: Path
) -> None:
    reknit.tell_story({**RIGHT, "outcome": "overloaded"}, loop={"waits": 1, "wait_s": 0.1})
    answer = fix(here, shop)
    assert (answer.ending["ending"], answer.exit_code) == ("BLOCKED", 1)
    assert len(answer.events("waiting")) == 1


def test_a_missing_login_blocks_with_an_exit_code_of_its_own(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({"outcome": "auth"})
    answer = fix(here, shop)
    assert (answer.ending["ending"], answer.exit_code) == ("BLOCKED", 4)
    assert branches(shop) == ["main"]


def test_no_red_test_is_clean_and_calls_no_agent(here: Here, reknit: CommandLine, shop: Path) -> None:
    source = shop / SOURCE
    source.write_text(source.read_text().replace(BROKEN, "return price * (1 - percent / 100)"))
    commit_all(str(shop), "mended")
    reknit.tell_story(RIGHT)
    assert summary(fix(here, shop)) == ("CLEAN", 0, [])


def test_a_broken_test_command_is_unverified_and_never_green(here: Here, reknit: CommandLine, shop: Path) -> None:
    (shop / "run_tests.py").write_text("raise SystemExit(0)\n")
    commit_all(str(shop), "tests that say nothing")
    reknit.tell_story(RIGHT)
    answer = fix(here, shop)
    assert summary(answer) == ("UNVERIFIED", 5, [])
    assert "left no report" in answer.ending["reason"]


def test_a_flaky_test_is_not_repaired(here: Here, reknit: CommandLine, shop: Path, tmp_path: Path) -> None:
    """Without a sandbox, so that the test can count its own runs."""
    (shop / "tests" / "test_pricing.py").unlink()
    count = str(tmp_path / "count")
    add(shop, tests__test_counted=COUNTED.format(count=count, passes="number % 2"))
    reknit.tell_story(RIGHT)
    answer = fix(here, shop, "--box", "host")
    assert summary(answer) == ("UNVERIFIED", 5, [])
    assert "flaky on base" in answer.ending["reason"]


def test_a_flaky_test_beside_a_red_one_is_not_blamed_on_the_fix(
    here: Here, reknit: CommandLine, shop: Path, tmp_path: Path
) -> None:
    count = str(tmp_path / "count")
    add(shop, tests__test_counted=COUNTED.format(count=count, passes="number % 2"))
    reknit.tell_story(RIGHT)
    answer = fix(here, shop, "--box", "host")
    assert summary(answer) == ("FIXED", 0, [("local", "proven")])
    assert len(answer.events("baseline")[0]["flaky"]) == 1


def test_a_fix_for_a_test_that_passes_without_it_is_unproven(
    here: Here, reknit: CommandLine, shop: Path, tmp_path: Path
) -> None:
    """Red on base, both times, and green ever after: the change has nothing to do with it."""
    (shop / "tests" / "test_pricing.py").unlink()
    count = str(tmp_path / "count")
    add(shop, tests__test_counted=COUNTED.format(count=count, passes="number >= 2"))
    reknit.tell_story(RIGHT)
    answer = fix(here, shop, "--box", "host")
    assert summary(answer) == ("UNVERIFIED", 5, [("local", "unproven")])
    assert branches(shop) == ["main"]


def two_bugs(shop: Path) -> None:
    stock = "def left(stock: int, sold: int) -> int:\n    return stock\n"
    add(shop, shop__stock=stock, tests__test_stock=SECOND_BUG)


MEND_STOCK = {"replace": {"shop/stock.py": ["return stock", "return stock - sold"]}}


def test_two_bugs_land_as_two_commits(here: Here, reknit: CommandLine, shop: Path) -> None:
    two_bugs(shop)
    reknit.tell_story(RIGHT, MEND_STOCK)
    answer = fix(here, shop)
    assert summary(answer) == ("FIXED", 0, [("local", "proven"), ("local", "proven")])
    ending = answer.ending
    assert len(commits(shop, ending["run"])) == len(ending["receipts"]) == 2
    assert ending["receipts"][1]["base"] == ending["receipts"][0]["commit"]
    assert ending["commit"] == ending["receipts"][1]["commit"]


def test_one_change_that_mends_two_bugs_lands_as_one_commit(here: Here, reknit: CommandLine, shop: Path) -> None:
    two_bugs(shop)
    reknit.tell_story({"replace": {**RIGHT["replace"], **MEND_STOCK["replace"]}})  # type: ignore[dict-item]
    answer = fix(here, shop)
    assert summary(answer) == ("FIXED", 0, [("local", "proven")])
    assert len(commits(shop, answer.ending["run"])) == 1
    assert answer.ending["fixed"] == ["T-1", "T-2"]


def test_one_bug_of_two_is_partial(here: Here, reknit: CommandLine, shop: Path) -> None:
    two_bugs(shop)
    reknit.tell_story(RIGHT, {})
    answer = fix(here, shop, "--attempts", "1")
    assert (answer.ending["ending"], answer.exit_code) == ("PARTIAL", 1)
    assert (answer.ending["fixed"], answer.ending["left"]) == (["T-1"], ["T-2"])
    assert len(commits(shop, answer.ending["run"])) == 1


def test_a_fix_that_breaks_another_test_is_refused(here: Here, reknit: CommandLine, shop: Path) -> None:
    breaks: dict[str, Any] = {"replace": {SOURCE: [BROKEN, "return 180"]}}
    reknit.tell_story(breaks)
    answer = fix(here, shop, "--attempts", "1")
    assert summary(answer) == ("DEFERRED", 1, [("local", "regressed")])
    assert answer.events("verify")[0]["regressed"]
    assert branches(shop) == ["main"]


def test_the_budget_ends_a_run(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story(WRONG)
    answer = fix(here, shop, "--budget", "0.15")
    assert (answer.ending["ending"], answer.exit_code) == ("OVER_BUDGET", 1)
    assert len(answer.ending["attempts"]) == 2


def test_a_named_test_is_looked_at_alone_first_where_the_runner_can(
    here: Here, reknit: CommandLine, shop: Path
) -> None:
    two_bugs(shop)
    (shop / "reknit.toml").write_text("")
    reknit.tell_story(WRONG, RIGHT, checks={"tests": {"run": "python3 -m pytest -q"}})
    answer = fix(here, shop, TARGET)
    assert summary(answer) == ("FIXED", 0, [("local", "still_red"), ("search", "proven")])
    assert answer.events("baseline")[0]["red_elsewhere"] == 1
    assert answer.ending["receipt"]["tests"] == [TARGET]


def test_a_fix_that_waits_to_be_merged_is_not_paid_for_again(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story(RIGHT)
    first = fix(here, shop)
    run = first.ending["run"]
    again = fix(here, shop, TARGET)
    assert (again.exit_code, again.ending["run"], len(again.ending["attempts"])) == (0, run, 1)
    green = fix(here, shop, TARGET.replace("test_discount_is_a_share", "test_no_such_name"))
    assert (green.ending["ending"], green.exit_code) == ("UNVERIFIED", 5), "that run says nothing about this test"
    told = here("fix", "tests", cwd=shop)
    assert f"{run} has repaired this commit, and its fix waits: no agent is called" in told.err
    assert f"\n  next    git merge reknit/{run}\n" in told.out
    assert f"\n  next      git merge reknit/{run}\n" in here(cwd=shop).out
    assert len(here("runs", cwd=shop).out.splitlines()) == 2
    assert fix(here, shop, "--again").ending["run"] != run
    assert here("undo", cwd=shop).exit_code == here("undo", run, cwd=shop).exit_code == 0
    assert fix(here, shop).ending["run"] != run


def test_a_dry_run_says_what_it_may_cost_and_starts_nothing(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story(RIGHT)
    told = here("fix", "tests", TARGET, "--dry-run", "--budget", "2", cwd=shop)
    assert (told.exit_code, "at most $2.00 in all" in told.out, TARGET in told.out) == (0, True, True)
    assert told.out.splitlines()[-1] == f"  next      reknit fix tests {TARGET} --budget 2.0"
    assert json.loads(here("fix", "tests", "--dry-run", "--format", "json", cwd=shop).out)["highest_cost_usd"] == 5.0
    assert here("runs", cwd=shop).out == ""


def test_the_end_shows_the_change_and_a_command_for_the_rest(here: Here, reknit: CommandLine, shop: Path) -> None:
    filler = "".join(f"x{number} = {number}\n" for number in range(60))
    reknit.tell_story({**RIGHT, "write": {"shop/more.py": filler}})
    told = here("fix", "tests", cwd=shop).out
    run = here("runs", cwd=shop).out.split()[0]
    assert f"more lines: reknit show {run} --diff)" in told
    assert "    +x1 = 1" in told
    whole = here("show", "--diff", cwd=shop).out
    assert ("+x59 = 59" in whole, f"-    {BROKEN}" in whole) == (True, True)


def test_the_state_of_the_bug_is_a_file_if_it_is_asked_for(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story(WRONG, RIGHT)
    asked = (TARGET, "--bug", "BUG-7")
    assert fix(here, shop, *asked).exit_code == 0
    assert not (shop / ".claude").exists()
    ended = fix(here, shop, *asked, "--again", "--state-file")
    state = json.loads((shop / ".claude/fix-state.json").read_text())
    assert (ended.exit_code, state["bug_id"], state["status"], state["attempt"]) == (0, "BUG-7", "FIXED", 2)
    assert len(state["history"]) == 2
    (shop / ".claude/fix-state.json").unlink()
    (shop / ".claude").rmdir()
    (shop / ".claude").symlink_to(shop)
    refused = here("fix", "tests", *asked, "--state-file", cwd=shop)
    assert (refused.exit_code, "error[state-file]: .claude is a link" in refused.err) == (2, True)


NEEDS_PACKAGE = """
import unittest

import shop_payments_sdk


class PaymentTest(unittest.TestCase):
    def test_paid(self) -> None:
        self.assertTrue(shop_payments_sdk)
"""


def needs_package(shop: Path) -> None:
    (shop / "requirements.txt").write_text("shop-payments-sdk==1.0\n")
    (shop / "reknit.toml").write_text("")
    add(shop, tests__test_payment=NEEDS_PACKAGE)


PYTEST = {"tests": {"run": "python3 -m pytest -q"}}


def test_what_the_environment_broke_blocks_a_run_and_no_agent_is_called(
    here: Here, reknit: CommandLine, shop: Path
) -> None:
    (shop / "tests" / "test_pricing.py").unlink()
    needs_package(shop)
    reknit.tell_story(RIGHT, checks=PYTEST)
    answer = fix(here, shop)
    assert summary(answer) == ("BLOCKED", 1, [])
    assert "`pip install shop_payments_sdk`" in answer.ending["reason"]
    [left_out] = answer.events("left_out")
    assert left_out["tests"] == ["tests/test_payment.py"]


def test_what_the_environment_broke_is_left_out_beside_a_bug(here: Here, reknit: CommandLine, shop: Path) -> None:
    needs_package(shop)
    reknit.tell_story(RIGHT, checks=PYTEST)
    answer = fix(here, shop)
    assert summary(answer) == ("FIXED", 0, [("local", "proven")])
    assert "left out: 1 test" in answer.ending["reason"]


MANY = """
import unittest

from shop.stock import left


class StockTest(unittest.TestCase):
""" + "".join(
    f"    def test_sold_{number}(self) -> None:\n        self.assertEqual(left({number}, 2), {number - 2})\n\n"
    for number in range(5, 9)
)


def test_tests_with_one_cause_are_one_finding_and_one_attempt(here: Here, reknit: CommandLine, shop: Path) -> None:
    (shop / "tests" / "test_pricing.py").unlink()
    stock = "def left(stock: int, sold: int) -> int:\n    return stock.gone - sold\n"
    add(shop, shop__stock=stock, tests__test_stock=MANY)
    reknit.tell_story({"replace": {"shop/stock.py": ["stock.gone", "stock"]}})
    answer = fix(here, shop)
    assert summary(answer) == ("FIXED", 0, [("local", "proven")])
    [finding] = answer.events("baseline")[0]["findings"]
    assert (len(finding["also"]), len(answer.ending["receipt"]["tests"])) == (3, 4)


WANTS_ALL = """
def pytest_sessionfinish(session, exitstatus):
    if exitstatus == 0 and session.testscollected == 1:
        session.exitstatus = 3
"""


def test_a_verification_that_cannot_be_seen_is_paid_for_once(here: Here, reknit: CommandLine, shop: Path) -> None:
    """A plugin that breaks when a test runs alone."""
    (shop / "reknit.toml").write_text("")
    add(shop, conftest=WANTS_ALL)
    reknit.tell_story(RIGHT, checks=PYTEST)
    answer = fix(here, shop)
    assert summary(answer) == ("UNVERIFIED", 5, [("local", "unseen")])
    assert "no further attempt was made" in answer.ending["reason"]


def test_a_test_that_is_red_once_in_verification_is_not_blamed_on_the_fix(
    here: Here, reknit: CommandLine, shop: Path, tmp_path: Path
) -> None:
    """Red in the third of all runs, the first with the fix; green before and afterwards."""
    count = str(tmp_path / "count")
    add(shop, tests__test_counted=COUNTED.format(count=count, passes="number != 2"))
    reknit.tell_story(RIGHT)
    answer = fix(here, shop, "--box", "host")
    assert summary(answer) == ("FIXED", 0, [("local", "proven")])
    assert answer.events("verify")[0]["flaky"] == ["tests/test_counted.py::CountedTest::test_counted"]
