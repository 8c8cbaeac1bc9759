"""What a person reads about a set-up."""

import pytest

from reknit.core.box import EndReason
from reknit.core.setup.layers import Setup, SetupFailed
from reknit.core.setup.run_text import (
    explain_failure,
    format_failure,
    format_lost_layer,
    format_ready,
    format_store_problem,
    format_too_large,
    format_too_many,
    format_unknown_commit,
)

NPM = Setup("web", "npm ci")


@pytest.mark.parametrize(
    ("reason", "refused", "problems", "expected"),
    [
        ("exit", ["evil.example"], [], "it asked for evil.example, which is not a registry of yours"),
        ("exit", ["a.example", "b.example"], [], "it asked for a.example and 1 more, which is not a registry of yours"),
        ("exit", [], ["r.example: refused"], "a registry did not answer: r.example: refused"),
        ("exit", [], [], "exit code 3"),
        ("wall", [], [], "it took too long"),
    ],
)
def test_why_it_failed(reason: EndReason, refused: list[str], problems: list[str], expected: str) -> None:
    assert explain_failure(reason, 3, refused, problems) == expected


def test_the_last_lines_are_shown() -> None:
    failed = SetupFailed(NPM, "exit code 1", "one\ntwo\nthree\nfour\n")
    assert format_failure(failed) == "the set-up `cd web && npm ci` failed: exit code 1; it printed: two / three / four"
    assert format_failure(SetupFailed(NPM, "exit code 1")) == "the set-up `cd web && npm ci` failed: exit code 1"


def test_what_is_gone_can_be_installed_later() -> None:
    text = format_lost_layer(SetupFailed(NPM, "exit code 1"), "r-1")
    assert text.startswith("what was installed is gone, and the set-up `cd web && npm ci` failed: exit code 1;")
    assert text.endswith("; `reknit resume r-1` tries again")


def test_what_was_done() -> None:
    assert format_ready([NPM], 3.21) == "`cd web && npm ci` in 3.2 s"
    assert format_ready([NPM], 0.0) == "`cd web && npm ci`: kept from an earlier run"
    changed = format_ready([NPM], 0.0, ["web/package.json"])
    assert changed.endswith("run; with the files of the base, not those of the pull request: web/package.json")
    without = format_ready([NPM], 3.21, (), ["cdn.example", "b.example"])
    assert (
        without == "`cd web && npm ci` in 3.2 s; it was refused what is not a registry of yours: cdn.example, b.example"
    )
    assert format_unknown_commit([NPM], "0123456789").startswith(
        "`cd web && npm ci` was not run: its commit 0123456 cannot"
    )
    assert format_too_large(2_400_000).startswith("what it installed is 2 MB larger")
    assert format_too_many(201) == "it installed into 201 folders, and 200 at most can be kept"
    assert (
        format_store_problem("No space left on device")
        == "what it installed could not be kept: No space left on device"
    )
