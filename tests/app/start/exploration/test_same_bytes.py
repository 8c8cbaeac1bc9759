"""The same commit and date give the same bytes: again, in another folder, time zone and locale, and in other orders."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.explored_repository import FILES, as_json, cloned, committed, explored, git, write

MORE = {**FILES, "docs/größe.md": "---\nstatus: current\n---\n", "docs/Z.md": "z", "docs/a.md": "a", "x.İ": ""}
PROJECT = Path(__file__).parents[4]
CODE = """
import sys
from pathlib import Path
from tests.tools.explored_repository import as_json, explored
sys.stdout.buffer.write(as_json(explored(Path(sys.argv[1]), Path(sys.argv[2]))).encode())
"""


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    root = committed(tmp_path / "origin", MORE)
    git(root, "switch", "--quiet", "--create", "topic")
    (root / "src" / "a.py").write_text("A = 2\n")
    git(root, "commit", "--quiet", "--all", "--message=fix: größer", at=1_790_090_000)
    git(root, "switch", "--quiet", "main")
    return root


def clone(origin: Path, folder: Path) -> Path:
    """On a branch, with a change and a new file."""
    made = cloned(origin, folder, branch="topic")
    (made / "src" / "b.py").write_text("B = 2\n")
    (made / "new").mkdir()
    (made / "new" / "c.py").write_text("C = 1\n")
    return made


def test_a_second_run_gives_the_same_bytes(origin: Path, tmp_path: Path) -> None:
    here = clone(origin, tmp_path / "clone")
    text = as_json(explored(here))
    assert as_json(explored(here)) == text
    assert "größer" in text
    assert '"BranchFiles": 1' in text, "the branch is compared with main"


def test_another_folder_gives_the_same_bytes_and_is_not_named(origin: Path, tmp_path: Path) -> None:
    one, other = clone(origin, tmp_path / "clone"), clone(origin, tmp_path / "elsewhere" / "ä b" / "other")
    text = as_json(explored(one, tmp_path))
    assert as_json(explored(other, tmp_path)) == text
    assert as_json(explored(other / "docs" / "guides", tmp_path)) == text, "from a folder in it"
    assert str(tmp_path) not in text


def test_files_made_in_another_order_give_the_same_bytes(tmp_path: Path) -> None:
    texts = []
    for name, order in (("a", sorted(MORE)), ("b", sorted(MORE, reverse=True))):
        root = tmp_path / name
        root.mkdir()
        git(root, "init", "--quiet", "--initial-branch=main")
        for path in order:
            write(root, {path: MORE[path]})
            git(root, "add", "--force", path)
        git(root, "commit", "--quiet", "--message=one")
        texts.append(as_json(explored(root, tmp_path)))
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "1"}, id="Tokyo"),
        pytest.param({"TZ": "America/Los_Angeles", "LANG": "tr_TR.UTF-8", "PYTHONHASHSEED": "2"}, id="Los Angeles"),
        pytest.param(
            {"TZ": "UTC+14", "LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONHASHSEED": "3"},
            id="no UTF-8",
        ),
    ],
)
def test_another_time_zone_and_locale_give_the_same_bytes(
    origin: Path, tmp_path: Path, settings: dict[str, str]
) -> None:
    here = clone(origin, tmp_path / "clone")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": f"{PROJECT}:{PROJECT / 'src'}"}
    argv = [sys.executable, "-c", CODE, str(here), str(tmp_path)]
    done = subprocess.run(argv, env=environment | settings, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode() == as_json(explored(here, tmp_path))
