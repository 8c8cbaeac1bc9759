"""Agent files: shipped, replaced one by one by the repository's own, and refused where they are no plain text."""

import os
from pathlib import Path

import pytest

from reknit.adapters.files.regular_files import LARGEST_BYTES
from reknit.app.start.instructions.agent_files import (
    AGENT_FOLDER,
    combine_file_problems,
    locate_problems,
    read_agent_files,
)
from reknit.core.agents.instructions import NAMES
from reknit.core.errors import UsageError
from reknit.core.planning.variants.variant_file import VariantProblem


def put(root: Path, name: str, content: str | bytes) -> Path:
    path = root / AGENT_FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refused(root: Path) -> UsageError:
    with pytest.raises(UsageError) as caught:
        read_agent_files(root)
    assert (caught.value.name, caught.value.exit_code) == ("agent-file", 2)
    return caught.value


def test_every_file_is_shipped() -> None:
    files = read_agent_files(None)
    assert tuple(name for name, _ in files) == NAMES
    assert all(text.startswith("# ") and len(text) > 400 for _, text in files)


def test_a_repository_without_its_own_gets_those(tmp_path: Path) -> None:
    assert read_agent_files(tmp_path) == read_agent_files(None)


def test_its_own_take_the_place_of_one_and_leave_the_others(tmp_path: Path) -> None:
    put(tmp_path, "dev_be.md", "---\nname: dev_be\n---\n# We use tabs\n")
    assert read_agent_files(tmp_path) == tuple(
        (name, "# We use tabs" if name == "dev_be" else text) for name, text in read_agent_files(None)
    )


def test_an_empty_one_takes_it_away(tmp_path: Path) -> None:
    put(tmp_path, "engineering_principles.md", "")
    assert dict(read_agent_files(tmp_path))["engineering_principles"] == ""


def test_what_is_not_for_agents_may_lie_there_too(tmp_path: Path) -> None:
    put(tmp_path, "README.md", "how we write these")
    put(tmp_path, "notes.txt", "x")
    assert read_agent_files(tmp_path) == read_agent_files(None)


def test_hidden_characters_and_secrets_stay_out(tmp_path: Path) -> None:
    put(tmp_path, "fixer.md", "be\u200b good\x1b[31m ghp_" + "a" * 36)
    assert dict(read_agent_files(tmp_path))["fixer"] == "be good [GitHub token redacted]"


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
    assert problem.message == f"no agent file is called {name!r}"
    assert problem.where == f"{AGENT_FOLDER}/{name}"
    assert problem.help.startswith(hint)


def test_the_size_has_a_limit(tmp_path: Path) -> None:
    put(tmp_path, "fixer.md", "x" * LARGEST_BYTES)
    assert len(dict(read_agent_files(tmp_path))["fixer"]) == LARGEST_BYTES
    put(tmp_path, "fixer.md", "x" * (LARGEST_BYTES + 1))
    assert refused(tmp_path).message == "it is larger than 64 KB"


def test_it_must_be_text(tmp_path: Path) -> None:
    put(tmp_path, "fixer.md", b"caf\xe9")
    assert refused(tmp_path).message == "it is not UTF-8 text"


@pytest.mark.parametrize(
    "link",
    [
        pytest.param(f"{AGENT_FOLDER}/fixer.md", id="the file"),
        pytest.param(AGENT_FOLDER, id="the folder"),
        pytest.param(".reknit", id="its parent"),
    ],
)
def test_a_link_is_not_followed(tmp_path: Path, link: str) -> None:
    root, outside = tmp_path / "repo", tmp_path / "outside"
    target = put(outside, "fixer.md", "secret words")
    place = root / link
    place.parent.mkdir(parents=True)
    place.symlink_to(outside / link)
    assert refused(root).message == "it is a symlink, or is reached through one"
    assert target.read_text() == "secret words"


def test_nor_is_one_that_stays_inside_where_secrets_may_lie(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PASSWORD=hunter2")
    (tmp_path / AGENT_FOLDER).mkdir(parents=True)
    (tmp_path / AGENT_FOLDER / "fixer.md").symlink_to("../../.env")
    assert refused(tmp_path).message == "it is a symlink, or is reached through one"


@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_only_a_file_is_read(tmp_path: Path, kind: str) -> None:
    path = put(tmp_path, "fixer.md", "")
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    assert refused(tmp_path).message == "it is not a file"


def test_a_problem_has_its_file_and_its_line_if_it_is_on_one() -> None:
    problems = (VariantProblem(3, "`base` is a text", "write a number"), VariantProblem(0, "it is empty"))
    found = locate_problems("variant-file", "a.toml", problems)
    assert [(each.name, each.where, each.message, each.help) for each in found] == [
        ("variant-file", "a.toml:3", "`base` is a text", "write a number"),
        ("variant-file", "a.toml", "it is empty", ""),
    ]


def test_several_problems_are_one_error_with_a_line_each_and_one_is_itself() -> None:
    one = UsageError("variant-file", "first\nmore", where="a.toml:1", help="correct it")
    other = UsageError("variant-file", "second", where="b.toml", help="remove it")
    assert combine_file_problems("variant-file", "variant files", [one]) is one
    assert combine_file_problems("variant-file", "variant files", [one, other]).message.splitlines() == [
        "the variant files have 2 problems:",
        "  a.toml:1: first",
        "    more; correct it",
        "  b.toml: second; remove it",
    ]
