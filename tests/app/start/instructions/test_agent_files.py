"""Agent files: shipped, replaced one by one by the repository's own, and refused where they are no plain text."""

import os
from pathlib import Path

import pytest

from reknit.adapters.files.instruction_file import LARGEST_BYTES
from reknit.app.start.instructions.agent_files import FOLDER, agent_files
from reknit.core.agents.instructions import NAMES
from reknit.core.errors import UsageProblem


def put(root: Path, name: str, content: str | bytes) -> Path:
    path = root / FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refused(root: Path) -> UsageProblem:
    with pytest.raises(UsageProblem) as caught:
        agent_files(root)
    assert (caught.value.name, caught.value.exit_code) == ("agent-file", 2)
    return caught.value


def test_every_file_is_shipped() -> None:
    files = agent_files(None)
    assert tuple(name for name, _ in files) == NAMES
    assert all(text.startswith("# ") and len(text) > 400 for _, text in files)


def test_a_repository_without_its_own_gets_those(tmp_path: Path) -> None:
    assert agent_files(tmp_path) == agent_files(None)


def test_its_own_take_the_place_of_one_and_leave_the_others(tmp_path: Path) -> None:
    put(tmp_path, "dev_be.md", "---\nname: dev_be\n---\n# We use tabs\n")
    assert agent_files(tmp_path) == tuple(
        (name, "# We use tabs" if name == "dev_be" else text) for name, text in agent_files(None)
    )


def test_an_empty_one_takes_it_away(tmp_path: Path) -> None:
    put(tmp_path, "engineering_principles.md", "")
    assert dict(agent_files(tmp_path))["engineering_principles"] == ""


def test_what_is_not_for_agents_may_lie_there_too(tmp_path: Path) -> None:
    put(tmp_path, "README.md", "how we write these")
    put(tmp_path, "notes.txt", "x")
    assert agent_files(tmp_path) == agent_files(None)


def test_hidden_characters_and_secrets_stay_out(tmp_path: Path) -> None:
    put(tmp_path, "fixer.md", "be\u200b good\x1b[31m ghp_" + "a" * 36)
    assert dict(agent_files(tmp_path))["fixer"] == "be good [GitHub token redacted]"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        pytest.param("Fixer.md", "did you mean `fixer.md`? known: fixer, dev_be,", id="another case"),
        pytest.param("dev_backend.md", "did you mean `dev_be.md`? known: fixer,", id="nearly"),
        pytest.param("zzz.md", "known: fixer, dev_be, dev_fe, engineering_principles, fix_challenger,", id="no idea"),
    ],
)
def test_an_unknown_name_is_told_the_known_ones(tmp_path: Path, name: str, hint: str) -> None:
    put(tmp_path, name, "x")
    problem = refused(tmp_path)
    assert problem.what == f"no agent file is called {name!r}"
    assert problem.where == f"{FOLDER}/{name}"
    assert problem.help.startswith(hint)


def test_the_size_has_a_limit(tmp_path: Path) -> None:
    put(tmp_path, "fixer.md", "x" * LARGEST_BYTES)
    assert len(dict(agent_files(tmp_path))["fixer"]) == LARGEST_BYTES
    put(tmp_path, "fixer.md", "x" * (LARGEST_BYTES + 1))
    assert refused(tmp_path).what == "it is larger than 64 KB"


def test_it_must_be_text(tmp_path: Path) -> None:
    put(tmp_path, "fixer.md", b"caf\xe9")
    assert refused(tmp_path).what == "it is not UTF-8 text"


@pytest.mark.parametrize(
    "link",
    [
        pytest.param(f"{FOLDER}/fixer.md", id="the file"),
        pytest.param(FOLDER, id="the folder"),
        pytest.param(".reknit", id="its parent"),
    ],
)
def test_a_link_is_not_followed(tmp_path: Path, link: str) -> None:
    root, outside = tmp_path / "repo", tmp_path / "outside"
    target = put(outside, "fixer.md", "secret words")
    place = root / link
    place.parent.mkdir(parents=True)
    place.symlink_to(outside / link)
    assert refused(root).what == "it is a symlink, or is reached through one"
    assert target.read_text() == "secret words"


def test_nor_is_one_that_stays_inside_where_secrets_may_lie(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PASSWORD=hunter2")
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / FOLDER / "fixer.md").symlink_to("../../.env")
    assert refused(tmp_path).what == "it is a symlink, or is reached through one"


@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_only_a_file_is_read(tmp_path: Path, kind: str) -> None:
    path = put(tmp_path, "fixer.md", "")
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    assert refused(tmp_path).what == "it is not a file"
