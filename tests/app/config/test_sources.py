"""Where settings come from: files and variables, read by exact names."""

import errno
import os
from pathlib import Path

import pytest

from reknit.app.config.load import load
from reknit.core.errors import UsageProblem
from tests.app.config.files import read, refused, write


def test_the_users_file_is_found_in_its_usual_place(tmp_path: Path) -> None:
    write(tmp_path / "home/.config/reknit/config.toml", 'fixer = "scripted"')
    assert load(None, {}, {}).fixer == "scripted"


@pytest.mark.parametrize("name", ["reknit.toml", "pyproject.toml"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x = " + "[" * 3000 + "]" * 3000, id="lists"),
        pytest.param("x = " + "{a=" * 3000 + "1" + "}" * 3000, id="tables"),
        pytest.param("[tool.reknit.loop]\nx" + ".a" * 3000 + " = 1", id="dotted keys"),
        pytest.param("[tool.reknit.loop" + ".a" * 3000 + "]", id="the name of a table"),
        pytest.param("x = " + "1" * 5000, id="a number without end"),
    ],
)
def test_a_file_that_would_break_a_reader_is_the_users_to_mend(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageProblem) as caught:
        load(tmp_path, {}, {})
    assert (caught.value.name, caught.value.where) == ("config", name)


def test_a_tool_that_is_no_table_says_nothing(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "tool = 3")
    assert load(tmp_path, {}, {}).fixer == "claude"


def test_pyproject_counts_only_where_no_reknit_toml_is(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.reknit.loop]\nattempts = 5")
    assert load(tmp_path, {}, {}).loop.attempts == 5
    write(tmp_path / "reknit.toml", "[loop]\nattempts = 6")
    assert load(tmp_path, {}, {}).loop.attempts == 6


def test_a_pyproject_without_our_table_says_nothing(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.other]\nx = 1")
    assert load(tmp_path, {}, {}).model_dump() == load(None, {}, {}).model_dump()


@pytest.mark.parametrize("name", ["REKNIT_LOOP", "REKNIT_AGENTS", "REKNIT_FALLBACK"])
def test_a_variable_that_is_no_json_is_named(tmp_path: Path, name: str) -> None:
    problem = refused(tmp_path, variables={name: "nonsense"})
    assert (problem.what, problem.where) == (f"{name}: not valid JSON (got 'nonsense')", "environment")


@pytest.mark.parametrize(
    ("name", "text", "path", "value"),
    [
        ("REKNIT_BOX", "host", ("box",), "host"),
        ("REKNIT_FALLBACK", '["codex"]', ("fallback",), ("codex",)),
        ("REKNIT_LOOP", '{"attempts": 2}', ("loop", "attempts"), 2),
        ("REKNIT_CHECKS__CI__REQUIRED_ONLY", "true", ("checks", "ci", "required_only"), True),
        ("REKNIT_WORKSPACE__CARRY", "auto", ("workspace", "carry"), "auto"),
        ("REKNIT_WORKSPACE__CARRY", '[".venv"]', ("workspace", "carry"), (".venv",)),
        ("REKNIT_AGENTS__MINE__ENV", '{"A": "b"}', ("agents", "mine", "env"), {"A": "b"}),
        ("REKNIT_AGENTS__MINE__STORY", '["x"]', ("agents", "mine", "story"), '["x"]'),
    ],
)
def test_a_variable_sets_every_kind_of_setting(
    tmp_path: Path, name: str, text: str, path: tuple[str, ...], value: object
) -> None:
    found: object = read(tmp_path, variables={name: text}).model_dump()
    for key in path:
        assert isinstance(found, dict)
        found = found[key]
    assert found == value


def test_a_single_setting_is_more_precise_than_its_table(tmp_path: Path) -> None:
    variables = {"REKNIT_LOOP__ATTEMPTS": "2", "REKNIT_LOOP": '{"attempts": 3, "waits": 4}'}
    loop = read(tmp_path, variables=variables).loop
    assert (loop.attempts, loop.waits) == (2, 4)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"fixer = ", id="broken TOML"),
        pytest.param(b'fixer = "caf\xe9"', id="not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "reknit.toml").write_bytes(content)
    with pytest.raises(UsageProblem, match="not valid TOML") as caught:
        load(tmp_path, {}, {})
    assert caught.value.where == "reknit.toml"


def test_a_table_of_ours_that_is_none_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool]\nreknit = 3")
    with pytest.raises(UsageProblem, match="table"):
        load(tmp_path, {}, {})


def test_a_config_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="REKNIT_CONFIG"):
        load(None, {}, {"REKNIT_CONFIG": str(tmp_path / "typo.toml")})


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("REKNIT_FIXR", "REKNIT_FIXER"),
        ("REKNIT_LOOP__ATTEMTS", "REKNIT_LOOP__ATTEMPTS"),
        ("reknit_box", "REKNIT_BOX"),
        ("REKNIT_Box", "REKNIT_BOX"),
        ("REKNIT_LOOP__attempts", "REKNIT_LOOP__ATTEMPTS"),
    ],
)
def test_a_variable_that_sets_nothing_is_an_error(tmp_path: Path, name: str, near: str) -> None:
    with pytest.raises(UsageProblem, match=f"unknown setting `{name}` in the environment") as caught:
        load(tmp_path, {}, {name: "claude", "REKNIT_STATE": "x", "REKNIT_LOOP__WAITS": "2"})
    assert caught.value.help == f"did you mean `{near}`?"


def test_a_file_without_the_right_to_read_it_is_the_users_to_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may read everything, so the refusal of the system is played."""

    def refused(*_: object, **__: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    (tmp_path / "reknit.toml").write_text("fixer = 'claude'\n")
    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(UsageProblem, match="cannot be read: Permission denied") as problem:
        load(tmp_path, {}, {})
    assert problem.value.where == "reknit.toml"
