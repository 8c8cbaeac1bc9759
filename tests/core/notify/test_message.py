"""The message about an ended run has counts, money and a command, and nothing from the repository but its name."""

import json
from dataclasses import replace

from reknit.core.notify.message import build_notification, report_failed_notification
from tests.tools.pull_samples import RUN

ENDED = replace(
    RUN, id="r-1", kind="fix tests", repository="/home/me/shop", ending="PARTIAL", reason="SECRET-REASON", ended_at=9.0,
    detail={"fixed": ["SECRET-1", "SECRET-2"], "left": ["SECRET-3"], "reason": "SECRET"}, spent_usd=0.3, held_usd=0.1,
    budget_usd=5.0,
)  # fmt: skip


def test_the_message_says_how_it_ended_what_it_cost_and_which_command_shows_more() -> None:
    message = build_notification(ENDED)
    assert message.title == "reknit fix tests: PARTIAL in shop"
    cut_off = "$0.30 of $5.00 spent; up to $0.10 more may have been billed for requests that were cut off"
    assert message.text == f"2 fixed, 1 left; {cut_off}; `reknit show r-1`"
    assert message.document == {
        "schema": 1, "event": "run_ended", "run": "r-1", "kind": "fix tests", "repository": "shop",
        "ending": "PARTIAL", "needs_person": False, "fixed": 2, "left": 1, "spent_usd": 0.3, "reserved_usd": 0.1,
        "budget_usd": 5.0, "command": "reknit show r-1",
    }  # fmt: skip


def test_a_blocked_run_needs_a_person() -> None:
    message = build_notification(replace(ENDED, ending="BLOCKED", detail={"fixed": 3}))
    assert message.text.startswith("a person is needed; 0 fixed, 0 left; ")
    assert message.document["needs_person"] is True


def test_no_text_of_a_finding_is_in_any_form_of_it() -> None:
    message = build_notification(ENDED)
    assert "SECRET" not in json.dumps([message.title, message.text, message.document, message.slack_document])


def test_a_hostile_name_of_a_repository_cannot_write_markup() -> None:
    message = build_notification(replace(ENDED, repository="/x/<!channel>&\x1b[31m\n\u202e"))
    assert "&lt;!channel&gt;&amp;" in message.slack_document["text"]
    assert not {"\x1b", "\u202e", "\n"} & set(message.title)


def test_a_message_that_did_not_arrive_is_told() -> None:
    event = report_failed_notification("slack", "it answered 404")
    assert (event.kind, event.text, event.data) == ("notify_failed", "slack: it answered 404", {"channel": "slack"})
