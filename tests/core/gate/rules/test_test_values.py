"""Source that repeats what the failing test gives and what it expects."""

import pytest

from reknit.core.gate.rules.test_values import values_of_the_test
from reknit.core.gate.scope import Scope
from reknit.core.repository.change import Change, FileChange

TEST = """
def test_discount():
    assert discount(250, 20) == 200


def test_name():
    assert name(777) == "seven"
"""
BEFORE = "def discount(price, percent):\n    return price - percent\n"
HONEST = "def discount(price, percent):\n    return price * (100 - percent) / 100\n"


def _sentences(
    after: str | None, *, path: str = "shop.py", failure: str = "assert 230 == 200", text: str = TEST
) -> list[str]:
    scope = Scope((), "", 20, 1000, "pytest", failure=failure, failing_text=text)
    change = Change((FileChange(path, BEFORE.encode(), None if after is None else after.encode()),))
    return [each.sentence for each in values_of_the_test(change, scope)]


def test_the_sentence_names_two_of_them() -> None:
    said = _sentences(BEFORE.replace("return", "if (price, percent) == (250, 20):\n        return 200\n    return"))
    assert said == ["shop.py now has values of the failing test (20 and 200); it may know the answer to nothing else"]


@pytest.mark.parametrize(
    ("after", "is_said"),
    [
        pytest.param(BEFORE + "TABLE = {250: 200}\n", True, id="a-table"),
        pytest.param(BEFORE + "TABLE = {2_50: 2_00}\n", True, id="another-spelling"),
        pytest.param(BEFORE + "250\n200\n", True, id="on-lines-of-their-own"),
        pytest.param(BEFORE + "LIMIT = 250\n", False, id="one-value"),
        pytest.param(BEFORE + "TABLE = {777: 'seven'}\n", True, id="of-another-test-of-the-file"),
        pytest.param(BEFORE + "TABLE = {778: 'eight'}\n", False, id="of-no-test"),
        pytest.param(BEFORE + "x250 = 20.25 + a.200\n", False, id="parts-of-words"),
        pytest.param(HONEST, False, id="a-fix"),
        pytest.param(None, False, id="deleted"),
    ],
)
def test_values_of_the_failing_test(after: str | None, is_said: bool) -> None:
    assert bool(_sentences(after)) is is_said


@pytest.mark.parametrize(
    ("path", "is_said"), [("answers.csv", True), ("README.md", False), ("tests/test_shop.py", False)]
)
def test_which_files_are_read(path: str, is_said: bool) -> None:
    assert bool(_sentences("250,200\n", path=path)) is is_said


def test_words_count_and_are_taken_from_the_file_of_the_test() -> None:
    text = "test('name', () => {\n  assert.equal(nameOf(`seven`), 'eight')\n})\n"
    fix = "if (n === 'seven') return \"eight\"\n"
    assert _sentences(fix, path="a.js", failure="'nine' !== 'eight'", text=text)
    assert not _sentences(fix, path="a.js", failure="'nine' !== 'ten'", text=text.replace("seven", "six"))


def test_tables_of_parameters_are_read_wherever_they_are_in_the_file() -> None:
    text = (
        "CASES = [\n    ('4242', 'visa'),\n    ('3782', 'amex'),\n]\n\n@pytest.mark.parametrize('card, brand', CASES)\n"
    )
    assert _sentences("if card == '4242': return 'visa'\n", failure="assert None == 'amex'", text=text)
    assert not _sentences("if card[0] == '4': return 'visa'\n", failure="assert None == 'amex'", text=text)


def test_what_was_there_before_is_not_new() -> None:
    scope = Scope((), "", 20, 1000, "pytest", failure="1 != 200", failing_text=TEST)
    before, after = b"a = [250]\nb = [20]\n", b"a = [250, 200]\nb = [20]\n"
    assert not [*values_of_the_test(Change((FileChange("shop.py", before, after),)), scope)]
    after = b"a = [250]\nb = [20, 200, 250]\nc = 20\n"
    assert not [*values_of_the_test(Change((FileChange("shop.py", before, after),)), scope)]


def test_small_and_round_numbers_are_in_any_fix() -> None:
    text = "assert total(1, 10) == 1000\n"
    assert not _sentences("if price == 10: return 1000\nx = 1\n", failure="assert 5 == 1000", text=text)
    assert _sentences("if price == 11: return 1001\n", failure="11 != 1001", text="")


def test_a_very_long_line_is_not_read() -> None:
    text = f"expect(f(250), 200, '{'x' * 2000}')"
    assert not _sentences("TABLE = {250: 200}\n", failure="1 != 200", text=text)
