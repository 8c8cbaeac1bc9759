"""Every setting by its name, for tables of fixed names and for tables that a user names."""

import pytest
from pydantic import BaseModel

from reknit.app.config.schema import ANY_NAME, given, in_force, settings, table_at


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
    return [(".".join(one.path), ".".join(one.name), one.field is not None) for one in given(table, Sample)]


def test_all_settings_are_listed_and_a_users_table_has_any_name() -> None:
    assert [name for name, _ in settings(Sample)] == [
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
    assert {".".join(one.path): one.value for one in in_force(config)} == {
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
    assert table_at(Sample, path) is model
