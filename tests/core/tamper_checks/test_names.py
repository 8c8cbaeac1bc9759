"""Names of what the checks add: random, ordinary, and the same for the same seed."""

from reknit.core.tamper_checks.names import Names


def test_the_seed_decides() -> None:
    one, same, other = Names("one"), Names("one"), Names("other")
    assert [one.word("file"), one.nonce, one.choice("form", 1000)] == [
        same.word("file"),
        same.nonce,
        same.choice("form", 1000),
    ]
    assert one.nonce != other.nonce
    assert {one.word(str(use)) for use in range(20)} != {other.word(str(use)) for use in range(20)}


def test_each_use_has_a_word_of_its_own() -> None:
    words = [Names("s").word(str(use)) for use in range(40)]
    assert len(set(words)) == 40
    unlucky = [seed for seed in range(200) if len({Names(str(seed)).word(str(use)) for use in range(15)}) < 15]
    assert len(unlucky) < 3
    assert all(word.isalpha() and word.islower() and "test" not in word for word in words)


def test_a_title_is_the_word_capitalized() -> None:
    assert Names("s").title("x") == Names("s").word("x").capitalize()


def test_the_nonce_is_long_enough_not_to_be_guessed() -> None:
    assert len(Names("s").nonce) == 32


def test_a_choice_is_one_of_the_forms() -> None:
    assert {Names(str(seed)).choice("form", 3) for seed in range(50)} == {0, 1, 2}
