"""Titles: whether the next file they name is one that the task creates."""

import pytest

from reknit.core.planning.validation.creation import Creation


@pytest.mark.parametrize(
    ("prose", "is_new"),
    [
        ("Add", True),
        ("Adds", True),
        ("Adding the", True),
        ("create a new", True),
        ("Created", True),
        ("Scaffold", True),
        ("Backfill", True),
        ("Write", True),
        ("Writing", True),
        ("Introduce", True),
        ("Generate the missing", True),
        ("Bootstrap", True),
        ("Draft a", True),
        ("Document the pool in a new", True),
        ("Fix the bug, then add", True),
        ("Add a test for the pool in", True),
        ("Write tests under", True),
        ("Add a page called", True),
        ("Add the plan as", True),
        ("Move the parser to", True),
        ("Split the module into", True),
        ("Extract helpers into", True),
        ("Copy the table to", True),
        ("Rename it to", True),
        ("Implement", True),
        ("Provide a", True),
        ("", False),
        ("Fix", False),
        ("Refresh", False),
        ("Update", False),
        ("Move", False),
        ("Rename", False),
        ("Add tests for", False),
        ("Add a section to", False),
        ("Add logging in", False),
        ("Add an entry on", False),
        ("Add types from", False),
        ("Add a guide, update", False),
        ("Fix a typo in", False),
        ("Address findings in", False),
        ("Additional work at", False),
        ("Split", False),
        ("Turn it into", False),
        ("Extract the parser from", False),
        ("Remove the script under", False),
        ("Overwrite", False),
        ("newer", False),
        ("Configure", False),
        ("Set up hooks with", False),
    ],
)
def test_the_words_before_a_file_say_whether_it_may_be_new(prose: str, is_new: bool) -> None:
    reader = Creation()
    reader.read(prose)
    assert reader.is_next_new is is_new


def test_what_was_said_before_the_first_file_holds_for_the_second() -> None:
    reader = Creation()
    for prose, is_new in (
        ("Add ", True),
        (" and ", True),
        (" for ", False),
        ("; fix ", False),
        (", then write ", True),
    ):
        reader.read(prose)
        assert reader.is_next_new is is_new


def test_configuring_is_told_apart_and_ends_with_the_next_verb() -> None:
    reader = Creation()
    for prose, configures in (("Enable CodeQL via", True), ("and", True), ("then fix", False), ("set up it in", True)):
        reader.read(prose)
        assert reader.configures is configures
