"""Work trees, and the setup that runs in each of them."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.core.errors import UsageError
from reknit.core.runs.spec import WorkspaceSettings, name_attempt_ref
from reknit.workflows.shared.work_folders import close_test_folders, open_attempt_folder, run_tests
from tests.tools.command_line import Answer, CommandLine
from tests.workflows.shared.conftest import Scene

Here = Callable[..., Answer]
SOURCE = "shop/pricing.py"
BROKEN = "return price - percent"
RIGHT = {"replace": {SOURCE: [BROKEN, "return price * (1 - percent / 100)"]}, "cost_usd": 0.1}


def fix(here: Here, shop: Path, *arguments: str) -> Answer:
    return here("fix", "tests", "--format", "json", *arguments, cwd=shop)


def summary(answer: Answer) -> tuple[str, int, list[tuple[str, str | None]]]:
    ending = answer.ending
    return ending["ending"], answer.exit_code, [(each["strategy"], each["proof"]) for each in ending["attempts"]]


def test_a_setup_that_fails_is_unverified(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story(RIGHT, workspace={"setup": "echo no network; exit 3"})
    answer = fix(here, shop)
    assert summary(answer) == ("UNVERIFIED", 5, [])
    assert answer.ending["reason"] == "workspace.setup failed (exit, exit code 3)"


def test_a_setup_that_fails_for_an_attempt_blocks(here: Here, reknit: CommandLine, shop: Path, tmp_path: Path) -> None:
    """It works for the base and not for the attempt: no bug of ours, and nothing an agent could mend."""
    mark = tmp_path / "count"
    setup = f"echo x >> {mark}; test $(wc -l < {mark}) -le 2"
    reknit.tell_story(RIGHT, workspace={"setup": setup})
    answer = fix(here, shop, "--box", "host")
    assert (answer.ending["ending"], answer.exit_code) == ("BLOCKED", 1)
    assert "workspace.setup failed" in answer.ending["reason"]


def test_a_tree_is_new_each_time_and_gone_after_its_tests(scene: Scene) -> None:
    services, spec = scene
    setup = replace(spec, workspace=WorkspaceSettings(setup="test ! -e mark && touch mark"))
    for _ in range(2):
        report = asyncio.run(run_tests(services, setup, "base", spec.base))
        assert (report.status, len(report.passed)) == ("fail", 2)
    beside = Path(services.workspace(spec).folder("beside"))
    assert [path.name for path in beside.parent.iterdir()] == ["beside"]


def test_the_caller_may_remove_the_tree_after_it_has_told_the_result(scene: Scene) -> None:
    services, spec = scene
    rooms = Path(services.workspace(spec).folder("beside")).parent
    asyncio.run(run_tests(services, spec, "base", spec.base, keeps_folders=True))
    assert {path.name for path in rooms.iterdir()} == {"base", "base.out", "beside"}
    for _ in range(2):
        asyncio.run(close_test_folders(services, spec, "base"))
    assert [path.name for path in rooms.iterdir()] == ["beside"]


def test_tests_that_give_no_report_leave_no_tree(scene: Scene) -> None:
    services, spec = scene
    rooms = Path(services.workspace(spec).folder("beside")).parent

    def fail(*_: object, **__: object) -> None:
        raise UsageError("box", "it broke")

    broken = replace(services, check_surroundings=fail)
    with pytest.raises(UsageError, match="it broke"):
        asyncio.run(run_tests(broken, spec, "base", spec.base, keeps_folders=True))
    assert [path.name for path in rooms.iterdir()] == ["beside"]


def test_an_attempt_starts_from_a_commit_that_is_kept(scene: Scene) -> None:
    services, spec = scene
    room = asyncio.run(open_attempt_folder(services, spec, 3, spec.base))
    assert services.workspace(spec).repository.resolve(name_attempt_ref(spec.run_id, 3, "before")) == spec.base
    assert Path(room.tree, "shop/pricing.py").is_file()
    failing = replace(spec, workspace=WorkspaceSettings(setup="echo no network; exit 3"))
    with pytest.raises(UsageError, match="exit code 3") as caught:
        asyncio.run(open_attempt_folder(services, failing, 4, spec.base))
    assert "it printed: no network" in caught.value.help
