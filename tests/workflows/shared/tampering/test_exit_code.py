"""A command that is judged by its exit code: it must be seen to fail."""

from pathlib import Path

import pytest

from tests.tools.command_line import CommandLine
from tests.workflows.fix_tests.test_verification import Here, fix, repository

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
