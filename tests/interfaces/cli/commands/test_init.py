"""`reknit init`."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from reknit.adapters.git.landing import commit_all
from reknit.core.hook.exports import EXPORTS
from tests.tools.command_line import Answer

Here = Callable[..., Answer]


def test_init_writes_what_it_found_and_the_file_holds(here: Here, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    folder.mkdir()
    (folder / "test_a.py").write_text("def test_a(): pass\n")
    commit_all(str(folder), "first")
    answer = here("init", cwd=folder)
    assert (answer.exit_code, answer.out.splitlines()[0]) == (0, "wrote reknit.toml:")
    text = (folder / "reknit.toml").read_text()
    assert "# tests: found in test_a.py: python -m pytest" in text
    assert here("config", "validate", cwd=folder).exit_code == 0


def test_init_never_replaces_a_file(here: Here, shop: Path) -> None:
    before = (shop / "reknit.toml").read_text()
    refused = here("init", cwd=shop)
    assert (refused.exit_code, (shop / "reknit.toml").read_text()) == (2, before)
    assert refused.err.startswith("error[init]: reknit.toml already exists\n  help: ")


def test_the_files_of_windows_are_offered_to_be_ignored_where_an_agent_has_its_folder(here: Here, shop: Path) -> None:
    (shop / "reknit.toml").unlink()
    (shop / ".claude").mkdir()
    [line] = [line for line in here("init", cwd=shop).out.splitlines() if line.startswith("  ignore")]
    command = line[line.index("printf") :]
    subprocess.run(["sh", "-c", command], cwd=shop, check=True)
    ignored = subprocess.run(["git", "check-ignore", *EXPORTS], cwd=shop, capture_output=True, text=True, check=True)
    assert ignored.stdout.split() == [*EXPORTS]
