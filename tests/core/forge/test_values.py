"""What a forge answers, as values."""

from reknit.core.forge.values import ForgeError, ForgeFailure, WebhookEvent


def test_an_error_of_a_forge_says_its_kind_and_carries_the_failure() -> None:
    failure = ForgeFailure("limited", "secondary rate limit", until=7.0)
    error = ForgeError(failure)
    assert (str(error), error.failure) == ("limited: secondary rate limit", failure)


def test_a_hint_may_name_no_commit_and_no_pull_request() -> None:
    assert WebhookEvent("d-1", "dev/app") == WebhookEvent(
        delivery="d-1", slug="dev/app", sha="", number=0, home="", merged_from=""
    )
