"""Routing: which developer a file belongs to."""

import pytest

from reknit.core.repository.routing import BACKEND, FRONTEND, Kind, kind_of


@pytest.mark.parametrize("extension", [".py", ".go", ".java", ".rb", ".php", ".rs", ".c", ".cpp"])
def test_the_seeds_backend(extension: str) -> None:
    assert kind_of(f"src/deep/file{extension}") == "backend"
    assert extension in BACKEND


@pytest.mark.parametrize("extension", [".tsx", ".ts", ".jsx", ".js", ".css", ".scss", ".vue", ".svelte"])
def test_the_seeds_frontend(extension: str) -> None:
    assert kind_of(f"src/deep/file{extension}") == "frontend"
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
def test_a_path_has_a_kind(path: str, kind: Kind) -> None:
    assert kind_of(path) == kind


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
def test_a_configuration_adds_extensions(path: str, kind: Kind) -> None:
    assert kind_of(path, backend=[".ts", "both"], frontend=["mjs", "*.html", ".blade.php", "both"]) == kind
