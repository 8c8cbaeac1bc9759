"""What only a person may allow, from the command line to the commit."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from reknit.adapters.git.landing import commit_all
from tests.tools.command_line import Answer, CommandLine

Here = Callable[..., Answer]
LOCK = "rates.lock"
ALLOW = ("--allow", f"protected-config:{LOCK}")
USE = f"protected-config:{LOCK} allowed by a person"
READS_LOCK = '''"""Prices of a small shop."""

from pathlib import Path


def discount(price: float, percent: float) -> float:
    share = float((Path(__file__).parent.parent / "rates.lock").read_text())
    return price - price * percent / share


def total(prices: list[float], percent: float = 0) -> float:
    return round(sum(discount(price, percent) for price in prices), 2)
'''
MEND = {"write": {LOCK: "100\n"}, "cost_usd": 0.1}


@pytest.fixture
def stale(shop: Path) -> Path:
    """A test that only the lockfile can turn green."""
    (shop / "shop/pricing.py").write_text(READS_LOCK)
    (shop / LOCK).write_text("10\n")
    commit_all(str(shop), "rates are locked")
    return shop


def fix(here: Here, shop: Path, *arguments: str) -> Answer:
    return here("fix", "tests", "--format", "json", *arguments, cwd=shop)


def message(shop: Path, commit: str) -> str:
    argv = ["git", "log", "-1", "--format=%B", commit]
    return subprocess.run(argv, cwd=shop, capture_output=True, text=True, check=True).stdout


def test_what_was_typed_lands_and_stands_in_receipt_event_and_commit(
    here: Here, reknit: CommandLine, stale: Path
) -> None:
    reknit.tell_story(MEND)
    answer = fix(here, stale, *ALLOW)
    ending = answer.ending
    assert (ending["ending"], answer.exit_code) == ("FIXED", 0)
    assert ending["receipt"]["allowed"] == [f"{USE} (--allow)"]
    assert "1 refusal allowed by a person" in ending["receipt"]["gate"]
    assert answer.events("gate")[0]["allowed"] == [f"{USE} (--allow)"]
    assert f"Reknit-Allowed: {USE} (--allow)\n" in message(stale, ending["commit"])
    shown = here("show", ending["run"], cwd=stale)
    assert f"allowed      {USE} (--allow)" in shown.out


def test_a_persons_own_file_allows_with_its_reason(here: Here, reknit: CommandLine, stale: Path) -> None:
    entry = {"rule": "protected-config", "path": "*.lock", "reason": "rates change", "until": "2999-12-31"}
    reknit.tell_story(MEND, gate={"allow": [entry]})
    ending = fix(here, stale).ending
    assert ending["ending"] == "FIXED"
    assert ending["receipt"]["allowed"] == [f"{USE} (config.toml: rates change)"]


def test_a_changed_specification_lands_if_a_person_allows_it(here: Here, reknit: CommandLine, shop: Path) -> None:
    """The old test is what was red; the other tests of the file stay as they are."""
    test = "tests/test_pricing.py"
    reknit.tell_story({"replace": {test: ["discount(200, 10), 180", "discount(200, 10), 190"]}})
    answer = fix(here, shop, "--allow", f"protected-test:{test}")
    assert (answer.ending["ending"], answer.exit_code) == ("FIXED", 0)
    assert answer.ending["receipt"]["allowed"] == [f"protected-test:{test} allowed by a person (--allow)"]


def test_a_waiver_for_a_test_file_does_not_allow_to_skip_a_test(here: Here, reknit: CommandLine, shop: Path) -> None:
    test, old = "tests/test_pricing.py", "    def test_discount_is_a_share"
    reknit.tell_story({"replace": {test: [old, f"    @unittest.skip('later')\n{old}"]}}, loop={"attempts": 1})
    answer = fix(here, shop, "--allow", f"protected-test:{test}")
    assert answer.ending["ending"] == "DEFERRED"
    assert {refusal["rule"] for refusal in answer.events("gate")[0]["refusals"]} == {"test-skipped"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param("protected-confg:a", "did you mean `protected-config`?", id="an unknown rule"),
        pytest.param("test-removed:a.py", "nobody can allow test-removed", id="a rule that nobody can allow"),
        pytest.param("protected-config:../a", "`..`", id="a path outside"),
    ],
)
def test_a_wrong_waiver_starts_nothing(here: Here, reknit: CommandLine, shop: Path, given: str, said: str) -> None:
    reknit.tell_story(MEND)
    answer = here("fix", "tests", "--allow", given, cwd=shop)
    assert answer.exit_code == 2
    assert said in answer.err


def test_a_fix_that_only_a_waiver_lets_pass_is_blocked_after_one_attempt(
    here: Here, reknit: CommandLine, stale: Path
) -> None:
    reknit.tell_story(MEND)
    answer = fix(here, stale)
    assert (answer.ending["ending"], answer.exit_code, len(answer.ending["attempts"])) == ("BLOCKED", 1, 1)
    assert answer.ending["reason"] == (
        f"only a person may allow a change of {LOCK}: add `--allow protected-config:{LOCK}`"
    )


@pytest.mark.parametrize("beside", [{LOCK: "100\n"}, {"pytest.ini": "[pytest]\naddopts = --co\n"}])
def test_an_agent_that_changed_configuration_beside_a_bug_is_told_and_fixes_it(
    here: Here, reknit: CommandLine, shop: Path, beside: dict[str, str]
) -> None:
    right = {"replace": {"shop/pricing.py": ["price - percent", "price * (1 - percent / 100)"]}}
    reknit.tell_story({**right, "write": beside}, right)
    answer = fix(here, shop)
    assert (answer.ending["ending"], len(answer.ending["attempts"])) == ("FIXED", 2), answer.ending["reason"]


def test_what_the_repository_forbids_is_not_offered(here: Here, reknit: CommandLine, stale: Path) -> None:
    (stale / "reknit.toml").write_text(
        (stale / "reknit.toml").read_text() + '\n[gate]\nforbid = ["protected-config:*.lock"]\n'
    )
    commit_all(str(stale), "locks stay")
    reknit.tell_story(MEND, loop={"attempts": 1})
    answer = fix(here, stale, *ALLOW)
    assert answer.ending["ending"] == "DEFERRED"
    assert "--allow" not in answer.ending["reason"]


def test_the_other_findings_are_worked_on_first(here: Here, reknit: CommandLine, stale: Path) -> None:
    (stale / "shop/stock.py").write_text("def left(had: int, sold: int) -> int:\n    return had + sold\n")
    (stale / "tests/test_stock.py").write_text(
        "import unittest\n\nfrom shop.stock import left\n\n\nclass StockTest(unittest.TestCase):\n"
        "    def test_what_was_sold_is_gone(self) -> None:\n        self.assertEqual(left(5, 2), 3)\n"
    )
    commit_all(str(stale), "a second bug")
    right = {"replace": {"shop/stock.py": ["had + sold", "had - sold"]}}
    reknit.tell_story(MEND, right, MEND)
    answer = fix(here, stale)
    assert (answer.ending["ending"], len(answer.ending["fixed"])) == ("PARTIAL", 1)
    assert f"--allow protected-config:{LOCK}" in answer.ending["reason"]


def test_a_changed_test_gets_a_second_attempt_and_no_third(here: Here, reknit: CommandLine, shop: Path) -> None:
    test = "tests/test_pricing.py"
    reknit.tell_story({"replace": {test: ["discount(200, 10), 180", "discount(200, 10), 190"]}})
    answer = fix(here, shop)
    assert (answer.ending["ending"], len(answer.ending["attempts"])) == ("BLOCKED", 2)
    assert (test in answer.ending["reason"], "--allow" in answer.ending["reason"]) == (True, False)
    assert "`reknit explain protected-test` says how to allow it" in answer.ending["reason"]
    assert "--allow" not in here("show", cwd=shop).out
