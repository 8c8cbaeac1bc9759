"""How a tool is found: the project's own copy first, in the nearest folder with its configuration."""

import subprocess
from pathlib import Path

import pytest

from reknit.core.fix_issues.tools.lint_tool import (
    ESLINT,
    MAX_SETTINGS,
    NOT_INSTALLED,
    RUFF,
    build_command,
    find_folder,
    find_source,
    list_settings,
    list_tools,
)
from reknit.core.issues.model import IssueSource
from tests.tools.issue_samples import FLAKE8, issue
from tests.tools.issue_samples import RUFF as RUFF_SOURCE

TRACKED = ("eslint.config.mjs", "shop/.eslintrc.json", "shop/web/a.ts", "web/ruff.toml")


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        pytest.param("shop/web/a.ts", "shop", id="the nearest"),
        pytest.param("web/a.ts", "", id="the root"),
        pytest.param("a.ts", "", id="in the root itself"),
    ],
)
def test_eslint_starts_where_its_configuration_is(path: str, folder: str) -> None:
    assert find_folder(ESLINT, path, TRACKED) == folder


def test_ruff_starts_in_the_root() -> None:
    assert find_folder(RUFF, "web/a.py", TRACKED) == ""


def program(path: Path, said: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo v{said} || echo "{said} $*"\n')
    path.chmod(0o755)


def run(folder: Path, argv: tuple[str, ...], path: Path) -> subprocess.CompletedProcess[str]:
    env = {"PATH": f"{path}:/usr/bin:/bin"}
    return subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_the_nearest_own_copy_wins_then_those_above_then_the_path(tmp_path: Path) -> None:
    inner, path = tmp_path / "a" / "b", tmp_path / "bin"
    inner.mkdir(parents=True)
    argv = build_command(ESLINT, "a/b", ("x y", "--"))
    assert run(inner, argv, path).returncode == NOT_INSTALLED
    program(path / "eslint", "3.0")
    assert run(inner, argv, path).stdout == "3.0 x y --\n"
    program(tmp_path / "node_modules/.bin/eslint", "2.0")
    assert run(inner, argv, path).stdout == "2.0 x y --\n"
    program(inner / "node_modules/.bin/eslint", "1.0")
    said = run(inner, argv, path)
    assert (said.stdout, said.stderr) == ("1.0 x y --\n", "v1.0\n")


def test_ruff_is_the_one_on_the_path(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "ruff", "9.1")
    assert run(tmp_path, build_command(RUFF, "", ("check",)), tmp_path / "bin").stdout == "9.1 check\n"


def test_files_that_may_call_fixes_safe_are_found_nearest_first() -> None:
    tracked = ("app/a.py", "z/pyproject.toml", "app/.ruff.toml", "pyproject.toml", "conf/ruff-base.toml", "poetry.toml")
    assert list_settings(RUFF, ["app/a.py"], tracked) == [
        "pyproject.toml", "app/.ruff.toml", "conf/ruff-base.toml", "z/pyproject.toml"
    ]  # fmt: skip
    assert list_settings(ESLINT, ["app/a.py"], tracked) == []
    assert ESLINT.promoted_rules("") == ()
    many = [f"p{number}/pyproject.toml" for number in range(MAX_SETTINGS + 5)]
    assert len(list_settings(RUFF, ["p204/a.py"], many)) == MAX_SETTINGS
    assert list_settings(RUFF, ["p204/a.py"], many)[0] == "p204/pyproject.toml"


def test_it_looks_at_these_rules_without_changing_anything() -> None:
    asked = RUFF.look_arguments(["E711", "F401"], ["-a.py"])
    assert asked[:2] == ("check", "--no-fix")
    assert asked[-3:] == ("--select=E711,F401", "--", "-a.py")


def test_it_fixes_these_rules_and_only_safely() -> None:
    asked = RUFF.fix_arguments(["F401"], ["a.py"], ["I001"])
    assert {"--fix-only", "--no-unsafe-fixes", "--select=F401"} <= {*asked}
    assert "--unsafe-fixes" not in asked


def test_a_rule_of_ruff_is_not_an_option() -> None:
    assert RUFF.rule_pattern.fullmatch("PLR0913")
    assert not any(map(RUFF.rule_pattern.fullmatch, ("ALL", "invalid-syntax", "F401,ALL", "--config", "")))


@pytest.mark.parametrize(
    ("text", "beginnings"),
    [
        pytest.param('[lint]\nextend-safe-fixes = ["E7", "F841"]\n', ("E7", "F841"), id="ruff.toml"),
        pytest.param('extend-safe-fixes = ["F"]\n', ("F",), id="as it was written before"),
        pytest.param('[tool.ruff.lint]\nextend-safe-fixes = ["F"]\n', ("F",), id="pyproject.toml"),
        pytest.param('[tool.ruff]\nextend-safe-fixes = ["F"]\n', ("F",), id="pyproject.toml before"),
        pytest.param('[lint]\nextend-safe-fixes = ["ALL"]\n', ("",), id="all rules"),
        pytest.param('[lint]\nextend-safe-fixes = ["unused-import", 1]\n', ("", ""), id="not a code, so any rule"),
        pytest.param('[lint]\nextend-safe-fixes = "F"\nselect = ["F"]\n', (), id="not a list"),
        pytest.param("not toml", (), id="unreadable"),
    ],
)
def test_rules_that_a_configuration_calls_safe_are_known(text: str, beginnings: tuple[str, ...]) -> None:
    assert RUFF.promoted_rules(text) == beginnings


def test_it_looks_without_changing_anything() -> None:
    assert ESLINT.look_arguments(["no-var"], ["-a.ts"]) == ("--format=json", "--", "-a.ts")


def test_rules_that_were_not_asked_for_are_switched_off() -> None:
    asked = ESLINT.fix_arguments(["no-var"], ["a.ts"], ["prefer-const", "@scope/rule"])
    assert '--rule={"prefer-const": "off"}' in asked
    assert '--rule={"@scope/rule": "off"}' in asked
    assert "--fix-type=problem,suggestion,layout" in asked
    assert asked[-2:] == ("--", "a.ts")


def test_a_rule_of_eslint_is_not_an_option() -> None:
    assert all(map(ESLINT.rule_pattern.fullmatch, ("no-var", "@typescript-eslint/no-explicit-any", "import/order")))
    assert not any(map(ESLINT.rule_pattern.fullmatch, ("--fix", "a b", '"', "")))


def test_a_tool_is_known_by_its_name_in_any_case() -> None:
    eslint = IssueSource("ESLint", "no-var", "m")
    assert find_source(issue(1, sources=(FLAKE8, eslint)), "eslint") == eslint
    assert list_tools([issue(1, sources=(eslint,)), issue(2), issue(3, sources=(FLAKE8,))]) == ("ruff", "eslint")
    assert list_tools([issue(3, sources=(FLAKE8,))]) == ()


def test_what_is_no_rule_of_the_tool_does_not_count() -> None:
    assert find_source(issue(1, sources=(IssueSource("ruff", "invalid-syntax", "m"),)), "ruff") is None
    assert find_source(issue(1, sources=(IssueSource("ruff", "--config", "m"), RUFF_SOURCE)), "ruff") == RUFF_SOURCE
