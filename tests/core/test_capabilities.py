"""One value per kind of run."""

from reknit.core.capabilities import CAPABILITIES, find_capability


def test_every_kind_has_a_capability_of_its_own() -> None:
    assert [find_capability(kind).kind for kind in CAPABILITIES] == list(CAPABILITIES)


def test_a_kind_that_is_not_known_can_be_shown_and_not_run() -> None:
    unknown = find_capability("fix everything")
    assert (unknown.kind, unknown.lands) == ("fix everything", "nothing")
