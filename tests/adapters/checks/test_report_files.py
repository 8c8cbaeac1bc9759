import os
from pathlib import Path

import pytest

from reknit.adapters.checks import report_files
from reknit.adapters.checks.report_files import find_reports, read_reports


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
        ("[a].xml", []),
        ("", []),
    ],
)
def test_files_are_found_by_glob(tmp_path: Path, glob: str, found: list[str]) -> None:
    _write(tmp_path, "a.xml", "target/b.xml", "core/target/c.xml", "a.xml.txt", "node_modules/x/d.xml", ".git/e.xml")
    assert [content.decode() for content in read_reports(str(tmp_path), glob)] == found
    assert read_reports(f"{tmp_path}/", glob) == read_reports(str(tmp_path), glob)


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
