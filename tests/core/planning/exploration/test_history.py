"""Commits and the size of a branch, from what git prints."""

from reknit.core.planning.context import CommitLine
from reknit.core.planning.exploration.history import commits_of, size_of

ID = "0123456789abcdef0123456789abcdef01234567"


def test_a_commit_has_a_short_id_a_subject_an_author_and_a_day_in_utc() -> None:
    log = f"{ID}\0Jö\x001700000000\0fix: \x1b[31mx\0\n{ID}\0\x00999999999999\0\0\n{ID}\0A\x00-86400\0\0\n".encode()
    assert commits_of(log + b"garbage") == (
        CommitLine("0123456789ab", "fix: x", "Jö", "2023-11-14"),
        CommitLine("0123456789ab", "", "", ""),
        CommitLine("0123456789ab", "", "A", "1969-12-31"),
    )


def test_no_commit_is_none() -> None:
    assert commits_of(b"") == ()


def test_a_binary_file_counts_without_lines() -> None:
    assert size_of(b"3\t4\ta.py\x00-\t-\tb.png\x0010\t0\tc\td\0") == (3, 17)
    assert size_of(b"") == (0, 0)
