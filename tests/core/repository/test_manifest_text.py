import pytest

from reknit.core.repository.manifest_text import (
    get_table,
    has_repeated_keys,
    normalize_package_name,
    read_json,
    read_toml,
)


@pytest.mark.parametrize("text", [None, "", "[broken", "{", "[" * 100_000])
def test_what_is_not_valid_is_an_empty_table(text: str | None) -> None:
    assert (read_toml(text), read_json(text)) == ({}, {})


def test_tables_are_found_by_their_path() -> None:
    data = read_toml('[tool.poetry]\nname = "x"\n')
    assert get_table(data, "tool", "poetry") == read_json('{"name": "x"}') == {"name": "x"}
    assert get_table(data, "tool", "poetry", "name") == get_table(data, "gone", "deep") == get_table([]) == {}
    assert read_json("[1]") == {}


def test_one_package_has_several_spellings() -> None:
    assert {normalize_package_name(name) for name in ("my_lib", "my.lib", "My-Lib", "MY__LIB")} == {"my-lib"}


@pytest.mark.parametrize(
    ("text", "is_repeated"),
    [
        pytest.param('{"a": 1, "a": 2}', True, id="at the top"),
        pytest.param('{"b": [{"a": 1, "a": 1}]}', True, id="deep inside"),
        pytest.param('{"a": {"a": 1}}', False, id="of different tables"),
        pytest.param("{", False, id="not JSON"),
        pytest.param(None, False, id="nothing"),
    ],
)
def test_keys_that_stand_twice_are_seen(text: str | None, *, is_repeated: bool) -> None:
    assert has_repeated_keys(text) is is_repeated
