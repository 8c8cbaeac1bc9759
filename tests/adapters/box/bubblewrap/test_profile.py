"""What a box shows and carries, and its environment."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters.box.bubblewrap.mounts import Mounts
from reknit.adapters.box.bubblewrap.profile import add_home_files, build_environment, list_carried
from reknit.adapters.box.bubblewrap.toolchain import Toolchain
from reknit.core.box import BoxView, Command
from reknit.core.box_names import make_box_names
from reknit.core.errors import InternalError, UsageError
from tests.adapters.box.in_box import in_box, said, write

NAMES = make_box_names("any")


def test_carried_entries_that_are_gone_are_skipped(view: BoxView) -> None:
    assert said(replace(view, carry=("gone", "../outside", "/etc/shadow", "")), "ls", "-A") == ""


def test_a_link_planted_in_the_tree_does_not_lead_a_mount_out_of_it(view: BoxView, tmp_path: Path) -> None:
    write({"gen/made.py": "1\n"}, view.repository)
    (tmp_path / "victim").mkdir()
    Path(view.tree, "gen").symlink_to(f"/oldroot{tmp_path}/victim")
    assert in_box(replace(view, carry=("gen/made.py",)), "true").exit_code == 0
    assert os.listdir(tmp_path / "victim") == []


def test_a_socket_of_the_host_is_never_carried(view: BoxView) -> None:
    os.mkfifo(Path(view.repository, "daemon"))
    assert said(replace(view, carry=("daemon",)), "ls", "-A") == ""


@pytest.mark.parametrize("path", ["/", "relative", "//", "/usr/.."])
def test_the_whole_machine_cannot_be_shown(view: BoxView, path: str) -> None:
    with pytest.raises(UsageError, match="cannot show"):
        in_box(replace(view, show=(path,)), "true")


def test_only_a_carried_environment_is_on_the_path(view: BoxView) -> None:
    write({".venv/bin/python": "", "venv/bin/python": ""}, view.repository)
    env = build_environment(
        replace(view, carry=("venv",)), Command(("true",)), Toolchain(path=("/opt/py/bin",)), "http://g", NAMES
    )
    assert env["PATH"] == f"{view.repository}/venv/bin:/opt/py/bin:/usr/local/bin:/usr/bin:/bin"


def test_the_chosen_interpreters_folder_comes_before_all_if_the_box_shows_it(view: BoxView) -> None:
    write({".venv/bin/python": "", "api/.tox/py/bin/python": ""}, view.repository)
    carries = replace(view, carry=(".venv", "api/.tox/py"))
    own, usual = f"{view.repository}/.venv/bin", "/usr/local/bin:/usr/bin:/bin"
    rows = {
        "/opt/py/bin/python3.12": f"/opt/py/bin:{own}:{usual}",
        f"{view.repository}/api/.tox/py/bin/python": f"{view.repository}/api/.tox/py/bin:{own}:{usual}",
        f"{view.repository}/.venv/bin/python": f"{own}:{usual}",
        f"{view.repository}/other/bin/python": f"{own}:{usual}",
        "/usr/bin/python3": f"{own}:{usual}",
        "/opt/go/bin/go": f"{own}:{usual}",
        "python": f"{own}:{usual}",
    }
    for program, path in rows.items():
        env = build_environment(
            replace(carries, programs=(program,)), Command(("true",)), Toolchain(), "http://g", NAMES
        )
        assert env["PATH"] == path, program


def test_a_command_learns_the_gateways_address_and_may_change_its_own_settings(view: BoxView) -> None:
    command = Command(("true",), env={"BASE_URL": "{gateway}/v1", "TERM": "xterm"})
    env = build_environment(view, command, Toolchain(env={"GOPROXY": "off"}), "http://127.0.0.1:1", NAMES)
    assert (env["BASE_URL"], env["TERM"], env["GOPROXY"]) == ("http://127.0.0.1:1/v1", "xterm", "off")
    assert "REKNIT_STATE" not in env


@pytest.mark.parametrize("path", ["/etc/x", "../x", "a/../../x"])
def test_a_file_for_home_stays_below_it(path: str) -> None:
    with pytest.raises(InternalError, match="not a path below HOME"):
        add_home_files(Mounts(), {path: b""}, "/home/x")


def test_a_file_is_not_carried_over_a_folder(view: BoxView) -> None:
    write({"data": "a file"}, view.repository)
    write({"data/x": "in a folder"}, view.tree)
    assert list_carried(replace(view, carry=("data",))) == []
