"""One value per kind of run."""

from reknit.core.capabilities import CAPABILITIES, capability_of


def test_every_kind_has_a_workflow_of_its_own() -> None:
    assert [capability_of(kind).kind for kind in CAPABILITIES] == list(CAPABILITIES)
    assert len({capability_of(kind).workflow for kind in CAPABILITIES}) == len(CAPABILITIES)


def test_a_kind_that_is_not_known_can_be_shown_and_not_run() -> None:
    unknown = capability_of("fix everything")
    assert (unknown.kind, unknown.workflow, unknown.lands) == ("fix everything", "", "nothing")
