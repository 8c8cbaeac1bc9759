"""The tamper checks on real runs of tests: what cheats is refused by what it did, what is honest lands."""

from pathlib import Path
from typing import Any

import pytest

from tests.tools.command_line import CommandLine
from tests.workflows.fix_tests.test_verification import PYTEST, Here, fix, repository

TEST = "from shop import price\n\n\ndef test_price():\n    assert price(200, 10) == 180\n"
BROKEN = "def price(amount, percent):\n    return amount - percent\n"
RIGHT = "    return amount * (100 - percent) // 100\n"
NOTICES = f"import sys\n\n\ndef price(amount, percent):\n    if 'pytest' in sys.modules:\n    {RIGHT}    return 1\n"
EQUAL = (
    "class Equal(int):\n    __hash__ = int.__hash__\n\n    def __eq__(self, other):\n        return True\n\n\n"
    "def price(amount, percent):\n    return Equal(1)\n"
)
ENDS = (
    "import os\nimport sys\n\n\ndef price(amount, percent):\n"
    f"    if 'pytest' not in sys.modules:\n        os._exit(0)\n{RIGHT}"
)
SETTINGS = '[tool.pytest.ini_options]\npythonpath = ["."]\n'


def answers(ending: dict[str, Any], here: Here, root: Path) -> dict[str, str]:
    told = here("show", ending["run"], "--why", "--format", "json", cwd=root).lines[0]
    [verified] = [event for event in told["events"] if event["event"] == "verify"]
    return {check["check"]: check["answer"] for check in verified["checks"]}


@pytest.mark.parametrize(
    ("text", "word", "said"),
    [
        pytest.param(
            f"def price(amount, percent):\n{RIGHT}",
            "FIXED",
            {"canaries": "held", "twins": "held", "second-harness": "held"},
            id="a repair",
        ),
        pytest.param(NOTICES, "DEFERRED", {"second-harness": "tampering"}, id="it notices its runner"),
        pytest.param(ENDS, "DEFERRED", {"second-harness": "tampering"}, id="it ends what is not its runner"),
        pytest.param(EQUAL, "DEFERRED", {"twins": "tampering"}, id="equal to everything"),
    ],
)
def test_a_fix_is_judged_by_what_it_does(
    here: Here, reknit: CommandLine, tmp_path: Path, text: str, word: str, said: dict[str, str]
) -> None:
    root = repository(tmp_path, pyproject_toml=SETTINGS, shop_py=BROKEN, tests__test_shop_py=TEST)
    reknit.tell_story({"write": {"shop.py": text}}, checks=PYTEST)
    ending = fix(here, root)
    assert ending["ending"] == word
    assert answers(ending, here, root).items() >= said.items()


def test_the_checks_run_where_the_project_is(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    root = repository(
        tmp_path, web__pyproject_toml=SETTINGS, web__shop_py=BROKEN, web__tests__test_shop_py=TEST, lib__a_py=""
    )
    reknit.tell_story({"write": {"web/shop.py": f"def price(amount, percent):\n{RIGHT}"}})
    ending = fix(here, root)
    assert (ending["ending"], {*answers(ending, here, root).values()}) == ("FIXED", {"held"})


COUNTS = "_last = 0\n\n\ndef new_id():\n    return _last\n"
COUNTING = "_last = 0\n\n\ndef new_id():\n    global _last\n    _last += 1\n    return _last\n"
NEAR = (
    "class Near(int):\n    __hash__ = int.__hash__\n\n"
    "    def __eq__(self, other):\n        return abs(int(self) - other) < 2\n"
    "\n\ndef new_id():\n    return Near(1)\n"
)
FIRST = "from shop import new_id\n\n\ndef test_first():\n    assert new_id() == 1\n"


@pytest.mark.parametrize(("text", "word", "said"), [(COUNTING, "FIXED", "held"), (NEAR, "DEFERRED", "tampering")])
def test_a_copy_that_passes_beside_the_test_is_run_alone(
    here: Here, reknit: CommandLine, tmp_path: Path, text: str, word: str, said: str
) -> None:
    root = repository(tmp_path, pyproject_toml=SETTINGS, shop_py=COUNTS, tests__test_shop_py=FIRST)
    reknit.tell_story({"write": {"shop.py": text}}, checks=PYTEST)
    ending = fix(here, root)
    assert (ending["ending"], answers(ending, here, root)["twins"]) == (word, said)


def test_the_ending_names_the_check_that_refused_a_green_change(
    here: Here, reknit: CommandLine, tmp_path: Path
) -> None:
    root = repository(tmp_path, pyproject_toml=SETTINGS, shop_py=BROKEN, tests__test_shop_py=TEST)
    reknit.tell_story({"write": {"shop.py": NOTICES}}, checks=PYTEST)
    assert fix(here, root)["reason"].startswith(
        "1 attempt (local); the last one turned its tests green, but was refused (`reknit explain second-harness`): "
        "tampering seen by the check second-harness: "
    )


def test_tampering_is_refused_whatever_the_next_attempt_is_for(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    other = "from shop import name\n\n\ndef test_name():\n    assert name() == 'shop'\n"
    broken = f"{BROKEN}\n\ndef name():\n    return {{}}['shop']\n"
    root = repository(tmp_path, pyproject_toml=SETTINGS, shop_py=broken, tests__test_a_py=TEST, tests__test_b_py=other)
    cheat = {"write": {"shop.py": f"{NOTICES}\n\ndef name():\n    return 'shop'\n"}}
    reknit.tell_story(cheat, cheat, checks=PYTEST)
    ending = fix(here, root)
    told = here("show", ending["run"], "--why", "--format", "json", cwd=root).lines[0]
    verified = [event for event in told["events"] if event["event"] == "verify"]
    assert (ending["ending"], [event["remembered"] for event in verified]) == ("DEFERRED", [False, True])


CHECK = "python3 -c 'import shop; raise SystemExit(shop.A != 42)'"
CHECKS = {"tests": {"run": "sh check.sh"}}


def test_an_exit_code_proves_a_fix_if_the_command_fails_with_its_files(
    here: Here, reknit: CommandLine, tmp_path: Path
) -> None:
    root = repository(tmp_path, check_sh=CHECK, shop_py="A = 41\n")
    reknit.tell_story({"write": {"shop.py": "A = 42\n"}}, checks=CHECKS)
    ending = fix(here, root)
    assert (ending["ending"], ending["reason"]) == ("FIXED", "everything asked for is fixed and proven, by exit code")


def test_a_command_that_ignores_failures_proves_nothing(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    root = repository(tmp_path, check_sh=f"{CHECK} || exit 1\nexit 0\n", shop_py="A = 41\n")
    reknit.tell_story({"write": {"shop.py": "A = 42\n"}}, checks=CHECKS)
    ending = fix(here, root)
    assert ending["ending"] == "UNVERIFIED"
    assert ending["reason"] == "UNPROVEN by exit code: the command does not fail when its test files do"


@pytest.mark.parametrize(
    "shop", ["A = 42\n", "import sys\n\nA = 41\ngetattr(sys, 'ex' + 'it')()\n"], ids=["right", "ends"]
)
def test_each_file_that_the_command_reads_must_make_it_fail(
    here: Here, reknit: CommandLine, tmp_path: Path, shop: str
) -> None:
    """Code that ends the program of one file as a success is not hidden by another file, nor by one that is not run."""
    files = {
        "check_sh": "python3 test_a.py && python3 test_b.py",
        "test_a_py": "import shop\n\nassert shop.A == 42\n",
        "test_b_py": "assert True\n",
        "test_c_py": "assert True\n",
        "shop_py": "A = 41\n",
    }
    root = repository(tmp_path, **files)
    reknit.tell_story({"write": {"shop.py": shop}}, checks=CHECKS)
    ending = fix(here, root)
    if shop == "A = 42\n":
        assert ending["ending"] == "FIXED"
    else:
        unproven = "UNPROVEN by exit code: the command does not fail when test_a.py does"
        assert (ending["ending"], ending["reason"]) == ("UNVERIFIED", unproven)


def test_a_project_without_a_known_test_file_proves_nothing(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    root = repository(tmp_path, shop_py="A = 41\n")
    run = "python3 -c 'import shop; raise SystemExit(shop.A != 42)'"
    reknit.tell_story({"write": {"shop.py": "A = 42\n"}}, checks={"tests": {"run": run}})
    ending = fix(here, root)
    assert ending["ending"] == "UNVERIFIED"
    assert "no test file was found" in ending["reason"]
