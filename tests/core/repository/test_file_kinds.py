"""Routing: which developer a file belongs to."""

import pytest

from reknit.core.repository.file_kinds import (
    BACKEND,
    FRONTEND,
    DeveloperKind,
    is_dotted,
    is_settings,
    is_usual,
    route_file,
)


@pytest.mark.parametrize("extension", [".py", ".go", ".java", ".rb", ".php", ".rs", ".c", ".cpp"])
def test_extensions_of_the_backend(extension: str) -> None:
    assert route_file(f"src/deep/file{extension}") == "backend"
    assert extension in BACKEND


@pytest.mark.parametrize("extension", [".tsx", ".ts", ".jsx", ".js", ".css", ".scss", ".vue", ".svelte"])
def test_extensions_of_the_frontend(extension: str) -> None:
    assert route_file(f"src/deep/file{extension}") == "frontend"
    assert extension in FRONTEND


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        pytest.param("a.tar.TS", "frontend", id="the last extension counts, in any case"),
        pytest.param("types.d.ts", "frontend", id="two extensions"),
        pytest.param(".eslintrc.js", "frontend", id="a hidden file"),
        pytest.param("app.ts/main", "backend", id="a folder's name is no extension"),
        pytest.param("app.ts/main.py", "backend", id="a file in such a folder"),
        pytest.param("Dockerfile", "backend", id="no extension"),
        pytest.param("schema.sql", "backend", id="SQL"),
        pytest.param("deploy.sh", "backend", id="shell"),
        pytest.param("docs/guide.md", "backend", id="docs"),
        pytest.param("ci.yaml", "backend", id="configuration"),
        pytest.param("odd.", "backend", id="an empty extension"),
        pytest.param("", "backend", id="no file"),
    ],
)
def test_a_path_has_a_kind(path: str, kind: DeveloperKind) -> None:
    assert route_file(path) == kind


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        pytest.param("a.mjs", "frontend", id="an own extension, written without its dot"),
        pytest.param("a.HTML", "frontend", id="an own extension, written as a glob"),
        pytest.param("view.blade.php", "frontend", id="the longer extension is stronger than a built-in one"),
        pytest.param("model.php", "backend", id="and says nothing of the shorter one"),
        pytest.param("server.ts", "backend", id="an own extension is stronger than the built-in one"),
        pytest.param("a.tsx", "frontend", id="others stay"),
        pytest.param("a.both", "backend", id="in both lists: backend, which comes first"),
    ],
)
def test_a_configuration_adds_extensions(path: str, kind: DeveloperKind) -> None:
    assert route_file(path, backend=[".ts", "both"], frontend=["mjs", "*.html", ".blade.php", "both"]) == kind


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
