"""Where the linters are looked for, and that a missing one is a failure."""

from pathlib import Path

import pytest

from tests.tools import lint_tools


@pytest.mark.parametrize("find", [lint_tools.ruff, lint_tools.mypy, lint_tools.eslint, lint_tools.pyright])
def test_they_are_here(find: object) -> None:
    assert callable(find)
    assert Path(find()).is_file()


def test_a_missing_one_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("REKNIT_TEST_NPM", str(tmp_path))
    with pytest.raises(AssertionError, match="make tools"):
        lint_tools.semgrep(tmp_path)
    with pytest.raises(AssertionError, match="make agents"):
        lint_tools.eslint(tmp_path)
    with pytest.raises(AssertionError, match="make install"):
        lint_tools._beside_python("no-such-linter")


def test_a_named_folder_and_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REKNIT_TEST_NPM", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    on_path = tmp_path / "eslint"
    on_path.write_text("#!/bin/sh\n")
    on_path.chmod(0o755)
    assert lint_tools.eslint(tmp_path / "none") == str(on_path)
    named = tmp_path / "node_modules" / ".bin" / "eslint"
    named.parent.mkdir(parents=True)
    named.touch()
    assert lint_tools.eslint(tmp_path / "none") == str(named)
