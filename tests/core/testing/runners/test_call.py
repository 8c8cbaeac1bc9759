from reknit.core.testing.runners.call import RunnerCall, without


def test_options_are_taken_out_with_their_values() -> None:
    words = ("--a", "--b", "x", "--c=1", "--b=y", "file", "--ab", "--b")
    assert without(words, ("--a", "--c"), ("--b",)) == ("file", "--ab")


def test_a_call_is_shown_as_it_was_typed() -> None:
    assert RunnerCall(("npx", "jest"), ("a b",)).typed == "npx jest 'a b'"
