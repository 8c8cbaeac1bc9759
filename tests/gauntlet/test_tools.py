"""Programs of the corpus's projects: found, filled in, and linked."""

from pathlib import Path

import pytest

from gauntlet import tools
from gauntlet.case import Base


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(tools.VARIABLE, str(tmp_path))
    return tmp_path


def test_what_is_missing_is_named(folder: Path) -> None:
    base = Base("x", "python", {}, needs=("pytest", "vitest", "sh", "no-such-program"))
    assert tools.missing(base) == ("pytest", "vitest", "no-such-program")
    (folder / "python" / "bin").mkdir(parents=True)
    (folder / "python" / "bin" / "python").touch()
    (folder / "node" / "node_modules" / "vitest").mkdir(parents=True)
    assert tools.missing(base) == ("no-such-program",)


def test_the_interpreter_is_filled_in(folder: Path) -> None:
    assert tools.filled_in_all(["{python}", "-c"]) == [f"{folder}/python/bin/python", "-c"]
    assert tools.filled_in_files({"run.sh": b"{python}\n"}) == {"run.sh": f"{folder}/python/bin/python\n".encode()}


def test_packages_are_linked_only_where_they_are_needed(folder: Path, tmp_path: Path) -> None:
    package = folder / "node" / "node_modules" / "vitest" / "package.json"
    package.parent.mkdir(parents=True)
    package.write_text("{}")
    for needs, count in (((), 0), (("vitest",), 1)):
        tree = tmp_path / f"tree{count}"
        tree.mkdir()
        tools.link_packages(Base("x", "typescript", {}, needs=needs), tree)
        assert len([*tree.rglob("package.json")]) == count
    assert package.stat().st_nlink == 2
