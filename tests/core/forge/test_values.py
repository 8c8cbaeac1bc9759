"""What a forge answers, as values."""

from reknit.core.forge.values import ForgeError, ForgeFailure


def test_an_error_of_a_forge_says_its_kind_and_carries_the_failure() -> None:
    failure = ForgeFailure("limited", "secondary rate limit", until=7.0)
    error = ForgeError(failure)
    assert (str(error), error.failure) == ("limited: secondary rate limit", failure)
