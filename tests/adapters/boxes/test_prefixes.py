"""How much of a host a program needs: tables over small made-up hosts."""

from pathlib import Path

import pytest

from reknit.adapters.boxes.prefixes import Host, prefixes_of, prefixes_of_venv, widest


@pytest.fixture
def host(tmp_path: Path) -> Host:
    home = tmp_path / "home" / "me"
    home.mkdir(parents=True)
    return Host(path="", home=str(home), repository=str(tmp_path / "home" / "me" / "work" / "repository"))


def program(path: str) -> str:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text("#!/bin/sh\n")
    Path(path).chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("at", "needs"),
    [
        pytest.param("sdk/go1/bin/go", "sdk/go1", id="a-prefix-of-its-own"),
        pytest.param("miniconda3/bin/python", "miniconda3", id="a-prefix-directly-below-home"),
        pytest.param(".pyenv/versions/3.12/bin/python", ".pyenv", id="a-version-manager-as-a-whole"),
        pytest.param(".pyenv/shims/python", ".pyenv", id="its-shims-too"),
        pytest.param("tools/asdf/shims/ruby", "tools/asdf", id="shims-of-a-manager-we-do-not-know"),
        pytest.param(".local/share/uv/python/cpython-3.12/bin/python3", ".local/share/uv", id="uv"),
        pytest.param("bin/tool", "bin/tool", id="never-the-home"),
        pytest.param(".local/bin/tool", ".local/bin/tool", id="never-dot-local"),
        pytest.param(".cargo/bin/tool", ".cargo/bin/tool", id="never-dot-cargo"),
        pytest.param(".config/x/bin/tool", ".config/x/bin/tool", id="nothing-of-dot-config"),
        pytest.param("go/bin/tool", "go/bin/tool", id="never-the-go-workspace"),
        pytest.param("work/bin/tool", "work/bin/tool", id="never-a-parent-of-the-repository"),
        pytest.param("tools/single", "tools/single", id="a-program-without-a-prefix"),
    ],
)
def test_what_a_program_needs(host: Host, at: str, needs: str) -> None:
    assert prefixes_of(program(f"{host.home}/{at}"), host) == {f"{host.home}/{needs}"}


def test_every_link_on_the_way_is_needed(host: Host) -> None:
    real = program(f"{host.home}/sdk/node/bin/node")
    middle, first = Path(host.home, "current"), Path(host.home, ".local/bin/node")
    middle.symlink_to(real)
    first.parent.mkdir(parents=True)
    first.symlink_to("../../current")
    assert prefixes_of(str(first), host) == {str(first), str(middle), f"{host.home}/sdk/node"}


def test_a_prefix_that_keeps_parts_elsewhere_brings_them_but_never_a_home(host: Host) -> None:
    go = program(f"{host.home}/sdk/go/bin/go")
    Path(host.home, "lib/go-source").mkdir(parents=True)
    Path(host.home, "sdk/go/src").symlink_to(Path(host.home, "lib/go-source"))
    Path(host.home, "sdk/go/evil").symlink_to(host.home)
    Path(host.home, "sdk/go/keys").symlink_to(Path(host.home, ".ssh"))
    assert prefixes_of(go, host) == {f"{host.home}/sdk/go", f"{host.home}/lib/go-source"}


def test_a_venv_stands_on_the_python_it_names_and_links_to(host: Host) -> None:
    named = program(f"{host.home}/sdk/python-a/bin/python3")
    linked = program(f"{host.home}/sdk/python-b/bin/python")
    venv = Path(host.home, "work/repository/.venv")
    (venv / "bin").mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text(f"home = {Path(named).parent}\nversion = 3.12\n")
    (venv / "bin/python").symlink_to(linked)
    assert prefixes_of_venv(venv, host) == {f"{host.home}/sdk/python-a", f"{host.home}/sdk/python-b"}


def test_a_program_of_another_venv_brings_that_venv_and_its_python(host: Host) -> None:
    python = program(f"{host.home}/sdk/python/bin/python3")
    pytest_of_it = program(f"{host.home}/envs/test/bin/pytest")
    Path(host.home, "envs/test/pyvenv.cfg").write_text(f"home = {Path(python).parent}\n")
    assert prefixes_of(pytest_of_it, host) >= {f"{host.home}/envs/test", f"{host.home}/sdk/python"}


def test_a_folder_without_a_config_is_no_venv(host: Host) -> None:
    assert prefixes_of_venv(Path(host.home), host) == set()


def test_the_widest_hide_what_lies_below_what_is_always_there_and_what_is_not(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    paths = {str(tmp_path / "a"), str(tmp_path / "a" / "b"), "/usr/bin", str(tmp_path / "gone")}
    assert widest(paths) == (str(tmp_path / "a"),)
