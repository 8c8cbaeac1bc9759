"""Names of files beside a test file."""

import pytest

from reknit.core.tamper_checks.javascript.file_names import collected_beside, language_of, source_file_beside


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("src/price.test.ts", "src/word.test.ts"),
        ("test/price.js", "test/word.js"),
        ("price-list_test.mjs", "word_test.mjs"),
        ("test/test-price.js", "test/test-word.js"),
        ("a/my.price.spec.tsx", "a/word.spec.tsx"),
        ("test.js", "word.test.js"),
        ("a/spec.test.js", "a/word.spec.test.js"),
    ],
)
def test_a_runner_collects_both_or_none(file: str, expected: str) -> None:
    assert collected_beside(file, "word") == expected


def test_a_source_file_has_no_word_of_tests_in_its_name() -> None:
    assert source_file_beside("src/price.test.ts", "word") == "src/word.ts"


@pytest.mark.parametrize(
    ("file", "language"),
    [("a.test.js", "javascript"), ("a.test.mts", "typescript"), ("a.tsx", "tsx"), ("a.jsx", "javascript")],
)
def test_the_language_is_that_of_the_ending(file: str, language: str) -> None:
    assert language_of(file) == language
