"""Changes as content."""

from reknit.core.repository.change import Change, FileChange


def test_text_is_read_leniently_and_a_missing_side_is_empty() -> None:
    file = FileChange("a.py", None, b"caf\xe9")
    assert (file.text_before, file.text_after) == ("", "caf\N{REPLACEMENT CHARACTER}")


def test_a_change_names_its_paths() -> None:
    assert Change((FileChange("a", b"", b""), FileChange("b", b"", None))).paths == ("a", "b")
