import pytest

from reknit.core.issues.formats.bounds import bounded, counted, digits, estimate, path_text, rule_name


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (None, ""),
        ("plain", "plain"),
        ("0123456789x", "0123456789"),
        ("a\nb", "a\nb"),
        ("\n\na\n", "a"),
        ("a\tb", "a\tb"),
        ("a\x1b[31mb\x00", "ab"),
        ("é\u200b", "é"),
        ("\u2066" * 30 + "a", ""),
    ],
)
def test_bounded(text: str | None, cut: str) -> None:
    assert bounded(text, 10) == cut


def test_the_first_name_that_is_one() -> None:
    assert rule_name(None, " ", "\x00", " R1 ", "R2") == "R1"
    assert rule_name() == "unnamed"


@pytest.mark.parametrize(
    ("path", "kept"),
    [(None, ""), ("a b/ü.py", "a b/ü.py"), ("x" * 1000, "x" * 1000), ("x" * 1001, ""), ("a\0", ""), ("ü\u202e", "")],
)
def test_a_path_is_kept_whole_or_not_at_all(path: str | None, kept: str) -> None:
    assert path_text(path) == kept


def test_numbers() -> None:
    assert [counted(number) for number in (None, -1, 0, 1, 2**31 - 1, 2**31)] == [0, 0, 0, 1, 2**31 - 1, 0]
    texts = (None, "", "7", "-7", "x", "²", "٣", "9999999999", "9" * 5000)
    assert [digits(text) for text in texts] == [0, 0, 7, 0, 0, 0, 0, 0, 0]
    assert [estimate(value, 5) for value in (1, 5, 0, 6, True, "3", None, 2.0)] == [1, 5, 0, 0, 0, 0, 0, 0]
