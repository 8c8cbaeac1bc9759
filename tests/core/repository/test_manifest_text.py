import pytest

from reknit.core.repository.manifest_text import normalized, read_json, read_toml, table


@pytest.mark.parametrize("text", [None, "", "[broken", "{", "[" * 100_000])
def test_what_is_not_valid_is_an_empty_table(text: str | None) -> None:
    assert (read_toml(text), read_json(text)) == ({}, {})


def test_tables_are_found_by_their_path() -> None:
    data = read_toml('[tool.poetry]\nname = "x"\n')
    assert table(data, "tool", "poetry") == read_json('{"name": "x"}') == {"name": "x"}
    assert table(data, "tool", "poetry", "name") == table(data, "gone", "deep") == table([]) == {}
    assert read_json("[1]") == {}


def test_one_package_has_several_spellings() -> None:
    assert {normalized(name) for name in ("my_lib", "my.lib", "My-Lib", "MY__LIB")} == {"my-lib"}
