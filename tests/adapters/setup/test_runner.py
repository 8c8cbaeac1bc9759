"""A set-up in a real box: what it may reach, what is kept of it, and what is said when it fails."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.setup.layer_store import LayerStore
from reknit.adapters.setup.runner import SetupRunner
from reknit.core.box import BoxView, Command
from reknit.core.setup.layers import MAX_FOLDERS, Setup, SetupFailed
from reknit.ports.box import SetupOrder
from tests.tools.package_registry import Registry

Run = Callable[..., SetupFailed | None]
LOOK = "import urllib.request, sys\nprint(urllib.request.urlopen(sys.argv[1], timeout=20).read().decode())"
FETCH = f'python3 -c "{LOOK.replace(chr(10), "; ")}"'


@pytest.fixture
def runner(tmp_path: Path, registry: Registry) -> SetupRunner:
    environment = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin", "PIP_CONFIG_FILE": "/dev/null"}
    environment["PIP_INDEX_URL"] = registry.address.replace("http://", "http://me:canary@")
    return SetupRunner(LayerStore(tmp_path / "layers", 1_000_000), environment)


def run(
    runner: SetupRunner, tmp_path: Path, command: str, files: Mapping[str, str] | None = None
) -> SetupFailed | None:
    tree, outbox = tmp_path / "tree", tmp_path / "out"
    for folder in (tree, outbox, tmp_path / "repository"):
        folder.mkdir(exist_ok=True)
    for path, text in (files or {}).items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    view = BoxView(str(tmp_path / "repository"), str(tree), copied=("mine",))
    order = SetupOrder(Setup("", command), "key", view, {"kept/node_modules"}, str(outbox), 60.0)
    build = runner.build("key")
    assert build is not None
    try:
        return asyncio.run(build.run(order, Bubblewrap()))
    finally:
        build.close()


def test_only_dependency_folders_are_kept(runner: SetupRunner, tmp_path: Path) -> None:
    made = (
        "mkdir -p .venv/bin node_modules/a/node_modules web/node_modules kept/node_modules .cargo dist"
        " && touch conftest.py sitecustomize.py .cargo/config.toml .venv/bin/x node_modules/a/node_modules/b"
        " && ln -s /etc linked && mkdir -p $CARGO_HOME/registry && touch $CARGO_HOME/credentials.toml && test ! -e mine"
    )
    assert run(runner, tmp_path, made, {"kept/node_modules/x": "", "mine/x": ""}) is None
    layer = runner.hold("key", "me")
    assert layer is not None
    assert [place for place, _ in layer.folders] == [".venv", "node_modules", "web/node_modules", "~/.cargo/registry"]
    assert Path(dict(layer.folders)["node_modules"], "a/node_modules/b").exists()
    assert list((tmp_path / "layers").rglob("conftest.py")) == []
    assert list((tmp_path / "layers").rglob("credentials.toml")) == []
    assert runner.build("key") is None


@pytest.mark.parametrize("made", ["ln -s {host} $CARGO_HOME", "mkdir $CARGO_HOME; ln -s {host} $CARGO_HOME/git"])
def test_a_cache_that_is_reached_through_a_link_is_not_kept(runner: SetupRunner, tmp_path: Path, made: str) -> None:
    """Later boxes would show a folder of the host, and it would be moved away from where it is."""
    (tmp_path / "home" / "git").mkdir(parents=True)
    (tmp_path / "home" / "git" / "secret").touch()
    assert run(runner, tmp_path, made.format(host=tmp_path / "home")) is None
    layer = runner.hold("key", "me")
    assert layer is not None
    assert layer.folders == ()
    assert (tmp_path / "home" / "git" / "secret").exists()


DEEP = """import os
os.mkdir("FOLDER")
os.chdir("FOLDER")
for _ in range(30):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
open("x", "w").close()
"""


@pytest.mark.parametrize("folder", ["node_modules", "other"])
def test_a_path_that_is_too_long_is_a_failure_of_the_set_up(runner: SetupRunner, tmp_path: Path, folder: str) -> None:
    failed = run(runner, tmp_path, "python3 deep.py", {"deep.py": DEEP.replace("FOLDER", folder)})
    assert failed is not None
    assert failed.why == "what it installed could not be kept: File name too long"
    assert runner.hold("key", "me") is None


def test_the_packages_of_a_large_workspace_are_all_kept_or_the_set_up_fails(
    runner: SetupRunner, tmp_path: Path
) -> None:
    make = "for n in $(seq {count}); do mkdir -p pack$n/node_modules/x; done"
    failed = run(runner, tmp_path, make.format(count=MAX_FOLDERS + 1))
    assert failed is not None
    assert failed.why == f"it installed into {MAX_FOLDERS + 1} folders, and {MAX_FOLDERS} at most can be kept"
    assert run(runner, tmp_path, f"rm -r pack{MAX_FOLDERS + 1}") is None
    layer = runner.hold("key", "me")
    assert layer is not None
    (tmp_path / "fresh").mkdir()
    view = BoxView(str(tmp_path / "repository"), str(tmp_path / "fresh"), layers=layer.folders)
    ended = asyncio.run(Bubblewrap().run(view, Command(("sh", "-c", "ls -d pack*/node_modules/x | wc -l"))))
    assert int(ended.stdout) == MAX_FOLDERS, ended.stderr


def test_later_boxes_see_the_layer_and_cannot_change_it(runner: SetupRunner, tmp_path: Path) -> None:
    assert run(runner, tmp_path, "mkdir -p .venv/bin $CARGO_HOME/registry && echo one > .venv/bin/x") is None
    layer = runner.hold("key", "me")
    assert layer is not None
    (tmp_path / "fresh").mkdir()
    view = BoxView(str(tmp_path / "repository"), str(tmp_path / "fresh"), layers=layer.folders)
    script = "cat .venv/bin/x; ls -d ~/.cargo/registry; echo two > .venv/bin/x; rm -r .venv/bin; echo $PATH; ls .venv"
    for _ in range(2):
        ended = asyncio.run(Bubblewrap().run(view, Command(("sh", "-c", script))))
        assert ended.stdout.decode().splitlines()[:2] == ["one", f"{ended.home}/.cargo/registry"], ended.stderr
        assert f"{tmp_path}/repository/.venv/bin:" in ended.stdout.decode()
    runner.release("me")


def test_the_registry_answers_and_no_login_is_in_the_box(
    runner: SetupRunner, tmp_path: Path, registry: Registry
) -> None:
    script = f"{FETCH} {registry.address}/a > seen; env > env; cat /proc/*/cmdline > lines; cat ~/.* > home 2>&1; true"
    assert run(runner, tmp_path, f"pip --version > /dev/null 2>&1; {script}") is None
    tree = tmp_path / "tree"
    assert (tree / "seen").read_text() == "content of a\n"
    assert registry.asked == [("/a", "Basic bWU6Y2FuYXJ5")]
    for path in tree.iterdir():
        assert not any(word in path.read_bytes() for word in (b"canary", b"bWU6Y2FuYXJ5"))


def test_another_host_is_refused_and_named(runner: SetupRunner, tmp_path: Path, registry: Registry) -> None:
    failed = run(runner, tmp_path, f"pip --version; {FETCH} http://evil.example/x")
    assert failed is not None
    assert failed.refused == ("evil.example",)
    assert failed.why == "it asked for evil.example, which is not a registry of yours"
    assert "403" in failed.output_tail
    assert runner.hold("key", "me") is None
    assert registry.asked == []


def test_a_host_that_it_can_do_without_is_named_too(runner: SetupRunner, tmp_path: Path) -> None:
    assert run(runner, tmp_path, f"pip --version; {FETCH} http://cdn.example/browser || true") is None
    layer = runner.hold("key", "me")
    assert layer is not None
    assert layer.refused == ("cdn.example",)


def test_without_the_proxy_there_is_no_network(runner: SetupRunner, tmp_path: Path, registry: Registry) -> None:
    failed = run(runner, tmp_path, f"unset http_proxy HTTP_PROXY; pip --version; {FETCH} {registry.address}/a")
    assert failed is not None
    assert (failed.why, failed.refused, registry.asked) == ("exit code 1", (), [])


def test_another_program_makes_another_toolchain(runner: SetupRunner) -> None:
    assert [text.partition(" ")[0] for text in runner.toolchain(Setup("", "python3 -m pip"))] == ["python3", "pip"]
    assert runner.toolchain(Setup("", "pdm install")) == ["pdm missing"]
