"""What a path alone says about the kind of a file. The long tables: tests/core/gate/rules/file_names.py."""

import pytest

from reknit.core.repository.usual_files import is_dotted, is_settings, is_usual


@pytest.mark.parametrize(
    ("path", "is_expected"),
    [
        pytest.param("src/a.PY", True, id="source in any case"),
        pytest.param("a.b/c", False, id="an ending of a folder"),
        pytest.param("py", False, id="an ending alone"),
        pytest.param(".py", False, id="a hidden name"),
        pytest.param(".a/b.py", False, id="source in a hidden folder"),
        pytest.param("src/.a.py", False, id="hidden source"),
        pytest.param("a.vcxproj", False, id="an unknown kind"),
        pytest.param("License", True, id="what people read"),
        pytest.param("a/LICENCE-MIT", True, id="with a name behind it"),
        pytest.param("LICENSE.vcxproj", False, id="with an ending behind it"),
        pytest.param("a/.gitkeep", True, id="what keeps a folder"),
        pytest.param("public/.well-known/assetlinks", True, id="what a web server shows"),
        pytest.param("public/.well-known/.a", False, id="hidden among that"),
        pytest.param(".changeset/cats.md", True, id="a note of a release"),
        pytest.param(".changeset/config.json", False, id="settings of a release"),
        pytest.param("newsfragments/1.anything", True, id="a note of any kind"),
        pytest.param("newsfragments/.a", False, id="hidden among notes"),
    ],
)
def test_usual_kinds(path: str, is_expected: bool) -> None:
    assert is_usual(path) is is_expected


def test_a_hidden_part_anywhere() -> None:
    assert [path for path in ("a/b.c", ".a", "a/.b/c", "a/b/.c") if is_dotted(path)] == [".a", "a/.b/c", "a/b/.c"]


def test_settings_are_known_by_their_format() -> None:
    names = ("a.yml", "A.YAML", "a.toml", "a.ini", "a.cfg", "a.conf", "a.properties")
    others = ("a.json", "yml", "openapi.yaml", "x/Schema-v2.yml", "a.py")
    assert [name for name in (*names, *others) if is_settings(name)] == [*names]
