import pytest

from reknit.core.gate.rules.file_kinds import (
    find_mode_changes,
    find_nothing_changed,
    find_symlinks,
    find_unsafe_entries,
)
from reknit.core.gate.scope import Scope
from reknit.core.repository.change import EXECUTABLE, GITLINK, REGULAR, SYMLINK, Change, FileChange

SCOPE = Scope((), "", 20, 1000, "pytest")


@pytest.mark.parametrize(
    ("change", "is_refused"),
    [
        pytest.param(Change(()), True, id="no-file"),
        pytest.param(Change((FileChange("a", b"x", b"x", REGULAR, REGULAR),)), True, id="same-content"),
        pytest.param(Change((FileChange("a", b"x", b"y", REGULAR, REGULAR),)), False, id="other-content"),
        pytest.param(Change((FileChange("a", b"x", b"x", REGULAR, EXECUTABLE),)), False, id="other-mode"),
        pytest.param(Change((), (("pipe", "a named pipe"),)), False, id="something-unreadable"),
    ],
)
def test_an_empty_change_is_refused(change: Change, is_refused: bool) -> None:
    assert [(each.rule, each.path) for each in find_nothing_changed(change, SCOPE)] == [
        ("nothing-changed", "")
    ] * is_refused


def test_every_unsafe_entry_is_refused_with_its_reason() -> None:
    refusals = list(find_unsafe_entries(Change((), (("a", "a named pipe"), ("b", "too large"))), SCOPE))
    assert [(refusal.rule, refusal.path) for refusal in refusals] == [("unsafe-entry", "a"), ("unsafe-entry", "b")]
    assert refusals[0].sentence == "a cannot be part of a fix: a named pipe"
    assert list(find_unsafe_entries(Change(()), SCOPE)) == []


@pytest.mark.parametrize(
    ("before", "after", "rules"),
    [
        pytest.param(REGULAR, REGULAR, [], id="edited"),
        pytest.param(0, REGULAR, [], id="added"),
        pytest.param(REGULAR, 0, [], id="removed"),
        pytest.param(EXECUTABLE, EXECUTABLE, [], id="an-executable-edited"),
        pytest.param(EXECUTABLE, 0, [], id="an-executable-removed"),
        pytest.param(0, 0, [], id="modes-not-told"),
        pytest.param(0, SYMLINK, ["no-symlink"], id="link-added"),
        pytest.param(SYMLINK, 0, ["no-symlink"], id="link-removed"),
        pytest.param(REGULAR, SYMLINK, ["no-symlink"], id="file-became-a-link"),
        pytest.param(0, EXECUTABLE, ["no-mode-change"], id="executable-added"),
        pytest.param(REGULAR, EXECUTABLE, ["no-mode-change"], id="made-executable"),
        pytest.param(EXECUTABLE, REGULAR, ["no-mode-change"], id="made-plain"),
        pytest.param(0, GITLINK, ["unsafe-entry", "no-mode-change"], id="submodule-added"),
        pytest.param(GITLINK, 0, ["unsafe-entry"], id="submodule-removed"),
        pytest.param(GITLINK, GITLINK, ["unsafe-entry"], id="submodule-changed"),
        pytest.param(0, 0o100600, ["unsafe-entry", "no-mode-change"], id="unknown-mode"),
    ],
)
def test_links_and_modes(before: int, after: int, rules: list[str]) -> None:
    change = Change((FileChange("a", b"x", b"y", before, after),))
    assert [
        refusal.rule
        for rule in (find_unsafe_entries, find_symlinks, find_mode_changes)
        for refusal in rule(change, SCOPE)
    ] == rules
