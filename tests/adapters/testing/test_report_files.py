import contextlib
import os
from pathlib import Path

import pytest

from reknit.adapters.files.folders import make_fresh
from reknit.adapters.testing import report_files
from reknit.adapters.testing.report_files import DEEPEST, find_reports, read_reports
from tests.tools.work import quickly


def _write(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)


@pytest.mark.parametrize(
    ("glob", "found"),
    [
        ("*.xml", ["a.xml"]),
        ("a.x?l", ["a.xml"]),
        ("**/target/*.xml", ["core/target/c.xml", "target/b.xml"]),
        ("**/*.xml", ["a.xml", "core/target/c.xml", "target/b.xml"]),
        ("target/b.xml", ["target/b.xml"]),
        ("**/**/**/target/**/*.xml", ["core/target/c.xml", "target/b.xml"]),
        ("*/target/*.xml", ["core/target/c.xml"]),
        ("core/**/c.xml", ["core/target/c.xml"]),
        ("c*e/**/t*t/**/**/c.xml", ["core/target/c.xml"]),
        ("target/**", ["target/b.xml"]),
        ("**/**", ["a.xml", "a.xml.txt", "core/target/c.xml", "target/b.xml"]),
        ("**/core", []),
        ("[a].xml", []),
        ("[ab].xml", []),
        ("", []),
    ],
)
def test_files_are_found_by_glob(tmp_path: Path, glob: str, found: list[str]) -> None:
    _write(tmp_path, "a.xml", "target/b.xml", "core/target/c.xml", "a.xml.txt", "node_modules/x/d.xml", ".git/e.xml")
    assert [content.decode() for content in read_reports(str(tmp_path), glob)] == found
    assert read_reports(f"{tmp_path}/", glob) == read_reports(str(tmp_path), glob)


@pytest.mark.parametrize(
    "glob", [pytest.param("**/" * 20 + "x.xml", id="folders"), pytest.param("*a" * 40 + "x.xml", id="one-name")]
)
def test_a_glob_with_many_stars_takes_no_time(tmp_path: Path, glob: str) -> None:
    _write(tmp_path, "a/" * 40 + "y.xml", "a" * 200 + ".xml")
    with quickly():
        assert read_reports(str(tmp_path), glob) == ()


def test_folders_nested_without_end_are_entered_to_a_bound(tmp_path: Path) -> None:
    _write(tmp_path, "d/" * DEEPEST + "seen.xml", "d/" * (DEEPEST + 1) + "unseen.xml")
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1200):  # deeper than Python recurses
        with contextlib.suppress(FileExistsError):
            os.mkdir("d", dir_fd=here)
        here, above = os.open("d", os.O_RDONLY, dir_fd=here), here
        os.close(above)
    os.close(here)
    try:
        found = read_reports(str(tmp_path), "**/*.xml")
    finally:
        make_fresh(tmp_path)  # pytest, too, removes by recursion
    assert [content.decode() for content in found] == ["d/" * DEEPEST + "seen.xml"]


def test_only_so_many_files_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_files, "MAX_ENTRIES", 3)
    _write(tmp_path, "1.xml", "2", "3")
    assert len(read_reports(str(tmp_path), "*.xml")) == len(find_reports(str(tmp_path), "*.xml")) == 1
    _write(tmp_path, "4")
    with pytest.raises(ValueError, match="more than 3 files"):
        read_reports(str(tmp_path), "*.xml")
    assert find_reports(str(tmp_path), "*.xml") == frozenset()


def test_only_regular_files_are_read_and_no_link_is_followed(tmp_path: Path) -> None:
    tree, outside = tmp_path / "tree", tmp_path / "outside"
    _write(outside, "secret.xml")
    _write(tree, "real.xml", "folder.xml/x")
    (tree / "link.xml").symlink_to(outside / "secret.xml")
    (tree / "linked").symlink_to(outside)
    os.mkfifo(tree / "pipe.xml")
    assert read_reports(str(tree), "**/*.xml") == (b"real.xml",)


def test_what_was_there_before_the_run_is_not_its_report(tmp_path: Path) -> None:
    _write(tmp_path, "old.xml", "rewritten.xml")
    old = find_reports(str(tmp_path), "*.xml")
    (tmp_path / "rewritten.xml").unlink()
    (tmp_path / "rewritten.xml").write_text("again and longer")
    _write(tmp_path, "new.xml")
    assert read_reports(str(tmp_path), "*.xml", but=old) == (b"new.xml", b"again and longer")


@pytest.mark.parametrize("sizes", [[11], [6, 5]])
def test_reports_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sizes: list[int]) -> None:
    monkeypatch.setattr(report_files, "LARGEST_REPORTS", 10)
    for number, size in enumerate(sizes):
        (tmp_path / f"{number}.xml").write_bytes(b"x" * size)
    with pytest.raises(ValueError, match="larger than"):
        read_reports(str(tmp_path), "*.xml")
    (tmp_path / "0.xml").write_bytes(b"x" * 5)
    assert sum(map(len, read_reports(str(tmp_path), "0.xml"))) == 5
