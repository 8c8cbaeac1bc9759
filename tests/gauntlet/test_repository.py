"""Repositories of cases."""

from pathlib import Path

from gauntlet.repository import commit_files, extract, git


def test_what_is_committed_is_read_back_at_that_commit(tmp_path: Path) -> None:
    repository, tree = tmp_path / "shop", tmp_path / "tree"
    repository.mkdir()
    files = {".gitignore": b"*.log\n", "a/b.py": "größe\r\n".encode("latin-1"), "kept.log": b"x"}
    commit_files(repository, files)
    (repository / "a" / "b.py").write_bytes(b"changed")
    tree.mkdir()
    extract(repository, "HEAD", tree)
    assert {path.relative_to(tree).as_posix(): path.read_bytes() for path in tree.rglob("*") if path.is_file()} == files
    assert git(repository, "log", "--format=%s").strip() == b"The shop"
