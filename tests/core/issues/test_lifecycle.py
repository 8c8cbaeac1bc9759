from reknit.core.issues.lifecycle import STATUSES, TRANSITIONS, list_statuses_before


def test_the_drawn_ways_are_there_and_no_shortcut_is() -> None:
    drawn = [("OPEN", "IN_PROGRESS"), ("IN_PROGRESS", "RESOLVED"), ("IN_PROGRESS", "FAILED"), ("RESOLVED", "MERGED")]
    assert all(pair in TRANSITIONS for pair in drawn)
    shortcuts = [("OPEN", "RESOLVED"), ("FAILED", "RESOLVED"), ("OPEN", "MERGED")]
    assert not any(pair in TRANSITIONS for pair in shortcuts)
    assert not any((status, status) in TRANSITIONS for status in STATUSES)


def test_only_work_in_progress_is_resolved_and_only_the_resolved_is_merged() -> None:
    assert list_statuses_before("RESOLVED") == ("IN_PROGRESS",)
    assert list_statuses_before("MERGED") == ("RESOLVED",)
    assert set(list_statuses_before("IN_PROGRESS")) == {"OPEN", "FAILED"}


def test_every_status_can_be_reached() -> None:
    reached = {"OPEN"}
    for _ in STATUSES:
        reached |= {new for old, new in TRANSITIONS if old in reached}
    assert reached == set(STATUSES)
