"""A command that is judged by its exit code: it must be seen to fail."""

from pathlib import Path

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


def test_a_project_without_a_known_test_file_proves_nothing(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    root = repository(tmp_path, shop_py="A = 41\n")
    run = "python3 -c 'import shop; raise SystemExit(shop.A != 42)'"
    reknit.tell_story({"write": {"shop.py": "A = 42\n"}}, checks={"tests": {"run": run}})
    ending = fix(here, root)
    assert ending["ending"] == "UNVERIFIED"
    assert "no test file was found" in ending["reason"]
