"""The criteria that are checked right after a task."""

from reknit.core.planning.targets import VariantTarget

TARGET = VariantTarget("grey", "tidy", "f", "", "", ("run: x",), due=(("Add a", (0, 2)), ("Add b", (1,))))


def test_criteria_are_due_after_their_tasks() -> None:
    assert TARGET.list_due(["Add a"]) == (0, 2)
    assert TARGET.list_due(["Add b", "Add a", "other"]) == (0, 2, 1)
    assert TARGET.list_due(["other"]) == ()
