"""A hint names what it knows."""

from reknit.core.forge.webhook import WebhookEvent


def test_a_hint_may_name_no_commit_and_no_pull_request() -> None:
    assert WebhookEvent("d-1", "dev/app") == WebhookEvent(
        delivery="d-1", slug="dev/app", sha="", number=0, home="", merged_from=""
    )
