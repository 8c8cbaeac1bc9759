"""A pull request of someone who is not a member does not choose what is installed, nor what installs it."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.tools.github import GitHub
from tests.tools.pull_play import Played, plan, play_spec
from tests.tools.pull_scene import BRANCH, FIX_TEST, PASSED, SLUG, PullScene, changed, shop_files

BOXED = {"box": "bubblewrap"}
INSTALL = "mkdir -p node_modules && cat package.json package-lock.json tools/who > node_modules/mark"
BASE = {
    "package.json": '{"base": 1}\n',
    "package-lock.json": '{"base": 2}\n',
    "tools/install.sh": INSTALL,
    "tools/who": "base\n",
}
HEAD = {
    "package.json": '{"stranger": 1}\n',
    "package-lock.json": '{"stranger": 2}\n',
    "tools/install.sh": f"{INSTALL}; echo stranger >> node_modules/mark",
    "tools/who": "stranger\n",
    "tools/new.sh": "mkdir -p node_modules && echo stranger > node_modules/mark",
}


def opened(hub: GitHub, tmp_path: Path) -> PullScene:
    files = {**shop_files(), **BASE}
    settings = files["reknit.toml"]
    files["reknit.toml"] = f'setup = "sh tools/install.sh"\n{settings}'
    changes = {**changed(lint=False), **HEAD, "reknit.toml": f'setup = "sh tools/new.sh"\n{settings}'}
    return PullScene(tmp_path, hub, files=files, changes=changes, fixes=[FIX_TEST], reviews=[PASSED])


def of_eve(hub: GitHub, scene: PullScene, *, label: bool) -> int:
    hub.close_pull(SLUG, scene.number)
    number = hub.open_pull(SLUG, head=BRANCH, author="eve", association="NONE")
    if label:
        hub.label(SLUG, number, f"reknit:{hub.head(SLUG, BRANCH)}")
    return number


def installed(scene: PullScene) -> list[str]:
    layers = Path(scene.command.environment["REKNIT_STATE"], "layers")
    return [path.read_text() for path in layers.rglob("mark")]


def note_of(played: Played) -> str:
    return played.told("set_up")[0].text


@pytest.mark.parametrize("label", [True, False], ids=["allowed-by-a-label", "only-read"])
def test_a_strangers_set_up_manifests_and_scripts_are_not_used(hub: GitHub, tmp_path: Path, label: bool) -> None:
    scene = opened(hub, tmp_path)
    spec = plan(scene, of_eve(hub, scene, label=label), BOXED)
    assert [setup.command for setup in spec.setups.commands] == ["sh tools/install.sh"]
    assert spec.setups.base == hub.head(SLUG, "main")
    played = play_spec(scene, spec)
    assert installed(scene) == ['{"base": 1}\n{"base": 2}\nbase\n']
    assert played.ending == ("CLEAN" if label else "BLOCKED"), played.run.reason
    assert "with the files of the base, not those of the pull request: package-lock.json, package.json," in note_of(
        played
    )


def test_a_members_are(hub: GitHub, tmp_path: Path) -> None:
    scene = opened(hub, tmp_path)
    played = play_spec(scene, plan(scene, None, BOXED))
    assert (played.ending, installed(scene)) == ("CLEAN", ["stranger\n"])
    assert note_of(played).startswith("`sh tools/new.sh` in ")


def test_a_base_that_cannot_be_fetched_blocks_the_run(hub: GitHub, tmp_path: Path) -> None:
    scene = opened(hub, tmp_path)
    spec = plan(scene, of_eve(hub, scene, label=True), BOXED)
    spec = replace(spec, setups=replace(spec.setups, base="0" * 39 + "1"))
    played = play_spec(scene, spec)
    assert (played.ending, played.cause, played.fixes) == ("BLOCKED", "environment", [])
    assert "its commit 0000000 cannot be fetched any more; start the run again" in played.run.reason
