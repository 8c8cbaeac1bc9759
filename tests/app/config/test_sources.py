"""Where settings come from: files and variables, read by exact names."""

import errno
import os
from pathlib import Path

import pytest
from pydantic import BaseModel

from reknit.app.config.load import load
from reknit.app.config.sources import ANY_NAME, find_settings, find_table_model, list_effective_settings, list_settings
from reknit.core.errors import UsageError
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
    with pytest.raises(UsageError) as caught:
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
    assert (problem.message, problem.where) == (f"{name}: not valid JSON (got 'nonsense')", "environment")


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
    with pytest.raises(UsageError, match="not valid TOML") as caught:
        load(tmp_path, {}, {})
    assert caught.value.where == "reknit.toml"


def test_a_table_of_ours_that_is_none_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool]\nreknit = 3")
    with pytest.raises(UsageError, match="table"):
        load(tmp_path, {}, {})


def test_a_config_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="REKNIT_CONFIG"):
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
    with pytest.raises(UsageError, match=f"unknown setting `{name}` in the environment") as caught:
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
    with pytest.raises(UsageError, match="cannot be read: Permission denied") as problem:
        load(tmp_path, {}, {})
    assert problem.value.where == "reknit.toml"


class Agent(BaseModel):
    model: str = ""
    env: dict[str, str] = {}


class Loop(BaseModel):
    attempts: int = 3


class Sample(BaseModel):
    fixer: str = "claude"
    loop: Loop = Loop()
    agents: dict[str, Agent] = {}


def names(table: dict[str, object]) -> list[tuple[str, str, bool]]:
    return [(".".join(one.path), ".".join(one.name), one.field is not None) for one in find_settings(table, Sample)]


def test_all_settings_are_listed_and_a_users_table_has_any_name() -> None:
    assert [name for name, _ in list_settings(Sample)] == [
        ("fixer",),
        ("loop", "attempts"),
        ("agents", ANY_NAME, "model"),
        ("agents", ANY_NAME, "env"),
    ]


def test_what_is_set_is_told_with_its_place_and_its_name() -> None:
    table: dict[str, object] = {"loop": {"attempts": 1}, "agents": {"mine": {"model": "x", "env": {"A": "b"}}}}
    assert names(table) == [
        ("loop.attempts", "loop.attempts", True),
        ("agents.mine.model", "agents.*.model", True),
        ("agents.mine.env", "agents.*.env", True),
    ]


def test_a_name_that_is_no_setting_has_no_field() -> None:
    assert names({"fixr": 1, "loop": {"x": 1}, "agents": {"mine": {"modle": 1}}}) == [
        ("fixr", "fixr", False),
        ("loop.x", "loop.x", False),
        ("agents.mine.modle", "agents.*.modle", False),
    ]


def test_a_value_where_a_table_belongs_is_left_to_validation() -> None:
    assert names({"loop": 3, "agents": {"mine": 3}}) == []


def test_a_configuration_in_force_is_told_whole() -> None:
    config = Sample(agents={"mine": Agent(model="x")})
    assert {".".join(one.path): one.value for one in list_effective_settings(config)} == {
        "fixer": "claude", "loop.attempts": 3, "agents.mine.model": "x", "agents.mine.env": {},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "model"),
    [
        pytest.param((), Sample, id="the whole"),
        pytest.param(("loop",), Loop, id="a table"),
        pytest.param(("agents", "mine"), Agent, id="a table that a user names"),
        pytest.param(("agents",), Agent, id="before its name is said"),
        pytest.param(("fixer",), None, id="a value"),
        pytest.param(("nothing", "deep"), None, id="not there"),
    ],
)
def test_the_table_at_a_path(path: tuple[str, ...], model: type[BaseModel] | None) -> None:
    assert find_table_model(Sample, path) is model
