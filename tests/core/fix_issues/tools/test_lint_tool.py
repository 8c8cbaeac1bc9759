"""How a tool is found: the project's own copy first, in the nearest folder with its configuration."""

import subprocess
from pathlib import Path

import pytest

from reknit.core.fix_issues.tools.eslint import ESLINT
from reknit.core.fix_issues.tools.lint_tool import MOST_SETTINGS, NOT_THERE, command, folder_of, settings_of
from reknit.core.fix_issues.tools.ruff import RUFF

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
    assert folder_of(ESLINT, path, TRACKED) == folder


def test_ruff_starts_in_the_root() -> None:
    assert folder_of(RUFF, "web/a.py", TRACKED) == ""


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
    argv = command(ESLINT, "a/b", ("x y", "--"))
    assert run(inner, argv, path).returncode == NOT_THERE
    program(path / "eslint", "3.0")
    assert run(inner, argv, path).stdout == "3.0 x y --\n"
    program(tmp_path / "node_modules/.bin/eslint", "2.0")
    assert run(inner, argv, path).stdout == "2.0 x y --\n"
    program(inner / "node_modules/.bin/eslint", "1.0")
    said = run(inner, argv, path)
    assert (said.stdout, said.stderr) == ("1.0 x y --\n", "v1.0\n")


def test_ruff_is_the_one_on_the_path(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "ruff", "9.1")
    assert run(tmp_path, command(RUFF, "", ("check",)), tmp_path / "bin").stdout == "9.1 check\n"


def test_files_that_may_call_fixes_safe_are_found_nearest_first() -> None:
    tracked = ("app/a.py", "z/pyproject.toml", "app/.ruff.toml", "pyproject.toml", "conf/ruff-base.toml", "poetry.toml")
    assert settings_of(RUFF, ["app/a.py"], tracked) == [
        "pyproject.toml", "app/.ruff.toml", "conf/ruff-base.toml", "z/pyproject.toml"
    ]  # fmt: skip
    assert settings_of(ESLINT, ["app/a.py"], tracked) == []
    assert ESLINT.called_safe("") == ()
    many = [f"p{number}/pyproject.toml" for number in range(MOST_SETTINGS + 5)]
    assert len(settings_of(RUFF, ["p204/a.py"], many)) == MOST_SETTINGS
    assert settings_of(RUFF, ["p204/a.py"], many)[0] == "p204/pyproject.toml"
