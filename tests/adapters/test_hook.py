"""Markers and exports on the disk."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters.hook import HookFiles, PullWatches, write_exports
from reknit.core.fix_pr.output.pull_watch import PullWatch
from reknit.core.hook.exports import BUG_STATE, PULL_STATE, is_export
from reknit.core.hook.marker import HookAnswer, Notified
from reknit.core.hook.mode import FixMode, start_bug

ANSWER = HookAnswer(block=True, text="RETRY")


@pytest.fixture
def mode(tmp_path: Path) -> FixMode:
    (tmp_path / "repö sitory").mkdir()
    return FixMode("r-1", str(tmp_path / "repö sitory"), "a" * 40, start_bug("BUG-001", "t.py", 3), 1.0, "w1")


@pytest.fixture
def files(tmp_path: Path) -> HookFiles:
    return HookFiles(tmp_path / "state" / "hooks")


def test_a_marker_is_found_by_the_folder_however_it_is_called(files: HookFiles, mode: FixMode, tmp_path: Path) -> None:
    files.publish(mode, ANSWER, "r-7")
    (tmp_path / "link").symlink_to(mode.repository)
    marker = files.read(str(tmp_path / "link"), "w1")
    assert marker is not None
    assert (marker.status, marker.bug_id, marker.answer, marker.answered) == ("in_progress", "BUG-001", ANSWER, "r-7")
    assert files.read(mode.repository, "w2") is None
    facts = Path(mode.repository).stat()
    assert (tmp_path / "state/hooks" / f"{facts.st_dev}-{facts.st_ino}" / "w1").is_file()


def test_a_check_under_way_says_since_when(files: HookFiles, mode: FixMode) -> None:
    files.publish(replace(mode, check="r-7"))
    marker = files.read(mode.repository, "w1")
    assert marker is not None
    assert (marker.check, marker.since > 0) == ("r-7", True)


def test_what_was_told_is_kept_beside_it_and_goes_with_it(files: HookFiles, mode: FixMode, tmp_path: Path) -> None:
    assert files.read_news_state(mode.repository, "w1") == Notified()
    files.publish(mode)
    files.write_news_state(mode.repository, "w1", Notified("r-7", 3))
    files.publish(replace(mode, owner=""))
    assert files.read_news_state(mode.repository, "w1") == Notified("r-7", 3)
    files.remove(mode.repository, "w1")
    assert (files.read(mode.repository, "w1"), files.read_news_state(mode.repository, "w1")) == (None, Notified())
    assert files.read(mode.repository, "") is not None
    files.remove(mode.repository, "")
    assert not any((tmp_path / "state/hooks").iterdir())


def test_the_export_has_the_state_and_its_owner_where_the_agents_folder_is(files: HookFiles, mode: FixMode) -> None:
    files.publish(mode)
    export = Path(mode.repository, BUG_STATE)
    assert not export.exists()
    export.parent.mkdir()
    files.publish(mode)
    document = json.loads(export.read_text())
    assert (document.pop("owner"), document) == ("w1", json.loads(json.dumps(mode.bug.to_document())))
    assert [path.name for path in export.parent.iterdir()] == ["fix-state.json"]


def test_nothing_is_written_through_a_link(files: HookFiles, mode: FixMode, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    Path(mode.repository, ".claude").symlink_to(tmp_path / "elsewhere")
    files.publish(mode)
    assert not any((tmp_path / "elsewhere").iterdir())


def test_nothing_is_written_through_a_link_that_has_the_name_of_the_new_file(
    files: HookFiles, mode: FixMode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cloned repository may have a link for every number that a process can have."""
    precious, folder = tmp_path / "precious", Path(mode.repository, ".claude")
    precious.write_text("mine")
    folder.mkdir()
    written: list[str] = []

    def look(fresh: Path, path: Path) -> Path:
        written.append(fresh.name)
        return os_replace(fresh, path)

    os_replace = Path.replace
    monkeypatch.setattr(Path, "replace", look)
    files.publish(mode)
    (folder / written[-1]).symlink_to(precious)
    files.publish(mode)
    assert precious.read_text() == "mine"
    assert json.loads((folder / "fix-state.json").read_text())["owner"] == "w1"
    assert is_export(f".claude/{written[-1]}"), "a killed process leaves nothing that a check would judge"


def test_an_export_that_cannot_be_written_stops_neither_the_others_nor_the_work(tmp_path: Path) -> None:
    folder = tmp_path / ".claude"
    (folder / "a").mkdir(parents=True)
    (folder / "old").write_text("of another run")
    write_exports(str(tmp_path), {".claude/a": "1", ".claude/b": "2", ".claude/old": None, ".claude/none": None})
    assert ((folder / "b").read_text(), sorted(path.name for path in folder.iterdir())) == ("2", ["a", "b"])
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    write_exports(str(tmp_path / "loop"), {".claude/b": "3"})


def test_a_repository_that_is_gone_is_no_error(files: HookFiles, mode: FixMode) -> None:
    Path(mode.repository).rmdir()
    files.publish(mode)
    files.write_news_state(mode.repository, "w1", Notified())
    files.remove(mode.repository, "w1")
    assert files.read(mode.repository, "w1") is None


def test_only_the_marker_that_was_told_is_marked(files: HookFiles, mode: FixMode) -> None:
    fixed = replace(mode, bug=replace(mode.bug, status="FIXED"))
    files.publish(fixed, ANSWER, "r-7")
    marker = files.read(mode.repository, "w1")
    assert marker is not None
    files.publish(mode, ANSWER, "r-8")
    files.mark_answered(mode.repository, "w1", marker)
    newer = files.read(mode.repository, "w1")
    assert newer is not None
    assert (newer.answered, newer.is_delivered) == ("r-8", False)
    files.mark_answered(mode.repository, "w1", newer)
    assert files.read(mode.repository, "w1") == replace(newer, is_delivered=True)


def test_a_check_that_ends_after_a_person_ended_its_bug_leaves_the_window_to_the_next_bug(
    files: HookFiles, mode: FixMode
) -> None:
    folder = Path(mode.repository, ".claude")
    folder.mkdir()
    files.publish(replace(mode, check="r-7"))
    ended = replace(mode, check="r-7").give_up()
    files.close(ended)
    exported = json.loads(Path(mode.repository, BUG_STATE).read_text())
    assert (files.read(mode.repository, "w1"), exported["status"]) == (None, "DEFERRED")
    files.publish(replace(mode, id="r-2", bug=start_bug("BUG-002", "t.py", 3)))
    files.publish(ended, ANSWER, "r-7")
    marker = files.read(mode.repository, "w1")
    assert (marker and marker.bug_id, "BUG-002" in Path(mode.repository, BUG_STATE).read_text()) == ("BUG-002", True)


WATCH = PullWatch("r-7f3a", 2)


@pytest.fixture
def watches(tmp_path: Path) -> PullWatches:
    (tmp_path / "shop").mkdir()
    return PullWatches(tmp_path / "state" / "hooks")


def test_each_window_has_its_own(watches: PullWatches, tmp_path: Path) -> None:
    shop = str(tmp_path / "shop")
    assert (watches.read(shop, "w1"), watches.find_all(shop)) == (None, {})
    watches.put(shop, "w1", WATCH)
    watches.put(shop, "w2", PullWatch("r-8"))
    assert (watches.read(shop, "w1"), watches.find_all(shop)) == (WATCH, {"w1": WATCH, "w2": PullWatch("r-8")})
    watches.remove(shop, "w1")
    assert watches.find_all(shop) == {"w2": PullWatch("r-8")}
    watches.remove(shop, "w2")
    assert not any((tmp_path / "state/hooks").iterdir())


def test_a_damaged_marker_is_none(watches: PullWatches, tmp_path: Path) -> None:
    shop = str(tmp_path / "shop")
    watches.put(shop, "w1", WATCH)
    [marker] = (tmp_path / "state/hooks").glob("*/*")
    marker.write_text("in_progress\n")
    assert (watches.read(shop, "w1"), watches.find_all(shop)) == (None, {})


def test_a_watched_repository_that_is_gone_is_no_error(watches: PullWatches, tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")
    watches.remove(gone, "w1")
    assert (watches.read(gone, "w1"), watches.find_all(gone)) == (None, {})


def test_files_are_written_only_where_the_agents_folder_is(watches: PullWatches, tmp_path: Path) -> None:
    state: dict[str, object] = {
        "ending": None, "iteration": 1, "max_iterations": 3, "pr_number": 7, "pr_url": "u", "run": "r-7f3a",
        "check_results": {"ci": {"status": "pass"}}, "history": [],
    }  # fmt: skip
    shop = tmp_path / "shop"
    watches.export(str(shop), "w1", state)
    assert not any(shop.iterdir())
    (shop / ".claude").mkdir()
    watches.export(str(shop), "w1", state)
    assert (shop / PULL_STATE).is_file()
    assert len([*(shop / ".claude").iterdir()]) == 3
