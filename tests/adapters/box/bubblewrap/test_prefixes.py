"""How much of a host a program needs: tables over small made-up hosts."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters.box.bubblewrap.prefixes import (
    MANAGERS,
    Host,
    find_logins,
    find_prefixes,
    find_venv_prefixes,
    is_below,
    is_venv_name,
    remove_nested,
)


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


def python(prefix: str, name: str = "python3") -> str:
    """An installation: an interpreter and its library."""
    Path(prefix, "lib/python3.12").mkdir(parents=True)
    return program(f"{prefix}/bin/{name}")


def test_packages_that_are_linked_from_another_project_are_not_shown(host: Host) -> None:
    Path(host.home, "other").mkdir()
    eslint = program(f"{host.home}/web/node_modules/eslint/bin/eslint.js")
    Path(host.home, "web", "node_modules", "mine").symlink_to("../../other")
    assert find_prefixes(eslint, host) == {f"{host.home}/web/node_modules"}


@pytest.fixture
def venv(host: Host) -> Path:
    """In the repository, on no Python yet."""
    made = Path(host.repository, ".venv")
    (made / "bin").mkdir(parents=True)
    (made / "pyvenv.cfg").write_text("home = /usr/bin\n")
    return made


@pytest.mark.parametrize(
    ("at", "needs"),
    [
        pytest.param("sdk/go1/bin/go", "sdk/go1", id="a-prefix-of-its-own"),
        pytest.param("miniconda3/bin/python", "miniconda3", id="a-prefix-directly-below-home"),
        pytest.param(".pyenv/versions/3.12/bin/python", ".pyenv/versions/3.12", id="a-version-of-a-manager"),
        pytest.param("tools/asdf/shims/ruby", "tools/asdf/shims", id="shims-of-a-manager-we-do-not-know"),
        pytest.param(".sdkman/sbin/tool", ".sdkman/sbin/tool", id="nothing-beside-a-manager's-other-programs"),
        pytest.param("bin/tool", "bin/tool", id="never-the-home"),
        pytest.param("web/node_modules/eslint/bin/eslint.js", "web/node_modules", id="packages-that-npm-put-beside-it"),
        pytest.param("web/node_modules/.bin/eslint", "web/node_modules", id="and-not-only-its-link"),
        pytest.param("work/repository/node_modules/a/bin/a.js", "work/repository/node_modules/a", id="not-the-carried"),
        pytest.param(".local/bin/tool", ".local/bin/tool", id="never-dot-local"),
        pytest.param(".cargo/bin/tool", ".cargo/bin/tool", id="never-dot-cargo"),
        pytest.param(".config/x/bin/tool", ".config/x/bin/tool", id="nothing-of-dot-config"),
        pytest.param("go/bin/tool", "go/bin/tool", id="never-the-go-workspace"),
        pytest.param("work/bin/tool", "work/bin/tool", id="never-a-parent-of-the-repository"),
        pytest.param("tools/single", "tools/single", id="a-program-without-a-prefix"),
    ],
)
def test_what_a_program_needs(host: Host, at: str, needs: str) -> None:
    assert remove_nested(find_prefixes(program(f"{host.home}/{at}"), host)) == (f"{host.home}/{needs}",)


PLANTED = ("login", ".npmrc", "config.toml", "credentials/credentials.toml", "sibling/login", "plugins/a/.git/config")
PROGRAMS = (
    *("bin/python3", "sbin/python3", "shims/python3", "libexec/python3"),
    *("versions/3.12/bin/python3", "versions/node/v20/bin/python3", "installs/python/3.12/bin/python3"),
    *("python/cpython-3.12/bin/python3", "tools/ruff/bin/python3", "candidates/java/21/bin/python3"),
    *("tools/image/node/20/bin/python3", "install/global/node_modules/a/bin/python3"),
)


@pytest.mark.parametrize("is_link", [False, True], ids=["in-home", "in-home-by-a-link"])
@pytest.mark.parametrize("manager", MANAGERS)
def test_no_manager_shows_what_is_beside_its_programs(host: Host, venv: Path, manager: str, *, is_link: bool) -> None:
    root = Path(host.home, manager)
    if is_link:
        Path(host.home, "data").mkdir()
        root.parent.mkdir(parents=True, exist_ok=True)
        root.symlink_to(Path(host.home, "data"))
    logins = [program(f"{root}/{name}") for name in PLANTED]
    for name in PROGRAMS:
        shown = remove_nested(find_prefixes(program(f"{root}/{name}"), host))
        (venv / "pyvenv.cfg").write_text(f"home = {root / name}/..\n")
        named = remove_nested(find_venv_prefixes(venv, host))
        for paths in (shown, named):
            assert any(is_below(f"{root}/{name}", path) for path in paths), name
            for login in logins:
                assert not any(
                    is_below(spelled, path) for path in paths for spelled in (login, os.path.realpath(login))
                )
        assert all(Path(path).is_file() for path in named), "none of them is a Python installation"


@pytest.mark.parametrize(
    "name",
    [
        "versions/node/v20/etc/npmrc", "versions/3.12/pip.conf", "installs/nodejs/20/etc/npmrc", ".condarc",
        "installs/rust/1/credentials.toml", "versions/3/etc/gemrc", "envs/other/pip.conf", "candidates/x/1/.netrc",
        "envs/other/etc/conda/activate.d/env_vars.sh", "installs/go/1/.git-credentials", "envs/a/.pypirc",
    ],
)  # fmt: skip
@pytest.mark.parametrize("root", [*MANAGERS, "miniconda3", "sdk/node"])
def test_settings_with_logins_are_found_in_what_is_shown(host: Host, root: str, name: str) -> None:
    prefix = f"{host.home}/{root}"
    login = program(f"{prefix}/{name}")
    for other in ("bin/aws-credentials", "lib/node_modules/a/.npmrc", "versions/1/README", "etc/pip.conf.d/a"):
        program(f"{prefix}/{other}")
    Path(prefix, "pip.ini").symlink_to("/etc/passwd")
    assert [*find_logins(prefix)] == [login]
    assert [*find_logins(login)] == [*find_logins("/usr")] == []


@pytest.mark.parametrize("manager", MANAGERS)
def test_a_shim_brings_its_manager_and_the_versions(host: Host, manager: str) -> None:
    parts = ("installs/ruby/3/bin/ruby", "libexec/manager", "version", "versions/3/bin/ruby")
    for part in parts:
        program(f"{host.home}/{manager}/{part}")
    shown = find_prefixes(program(f"{host.home}/{manager}/shims/ruby"), host)
    assert all(any(is_below(f"{host.home}/{manager}/{part}", path) for path in shown) for part in parts)


def test_every_link_on_the_way_is_needed(host: Host) -> None:
    real = program(f"{host.home}/sdk/node/bin/node")
    middle, first = Path(host.home, "current"), Path(host.home, ".local/bin/node")
    middle.symlink_to(real)
    first.parent.mkdir(parents=True)
    first.symlink_to("../../current")
    assert find_prefixes(str(first), host) == {str(first), str(middle), f"{host.home}/sdk/node"}


def test_a_prefix_that_keeps_parts_elsewhere_brings_them_but_never_a_home(host: Host) -> None:
    go = program(f"{host.home}/sdk/go/bin/go")
    Path(host.home, "lib/go-source").mkdir(parents=True)
    Path(host.home, "sdk/go/src").symlink_to(Path(host.home, "lib/go-source"))
    Path(host.home, "sdk/go/evil").symlink_to(host.home)
    Path(host.home, "sdk/go/keys").symlink_to(Path(host.home, ".ssh"))
    assert find_prefixes(go, host) == {f"{host.home}/sdk/go", f"{host.home}/lib/go-source"}


def test_a_venv_stands_on_the_python_it_names_and_links_to(host: Host, venv: Path) -> None:
    named = python(f"{host.home}/sdk/python-a")
    linked = python(f"{host.home}/miniconda3", "python")
    (venv / "pyvenv.cfg").write_text(f"home = {Path(named).parent}\nversion = 3.12\n")
    (venv / "bin/python").symlink_to(linked)
    assert find_venv_prefixes(venv, host) == {f"{host.home}/sdk/python-a", f"{host.home}/miniconda3"}


def test_a_venv_of_a_version_manager_brings_that_version_alone(host: Host, venv: Path) -> None:
    first = Path(host.home, ".local/bin/python3")
    first.parent.mkdir(parents=True)
    version = f"{host.home}/.local/share/uv/python/cpython-3.12"
    first.symlink_to(python(version, "python3.12"))
    (venv / "bin/python").symlink_to(first)
    assert remove_nested(find_venv_prefixes(venv, host)) == (str(first), version)


@pytest.mark.parametrize("target", ["", "Documents", ".ssh/id", ".pyenv", "Documents/bin/python3", "loop"])
def test_a_venv_whose_python_is_none_shows_nothing(host: Host, venv: Path, target: str) -> None:
    for name in (".ssh/id", "Documents/bin/python3", ".pyenv/version"):
        Path(host.home, name).parent.mkdir(parents=True, exist_ok=True)
        Path(host.home, name).write_text("secret, and no program")
    Path(host.home, "loop").symlink_to("loop")
    (venv / "bin/python").symlink_to(Path(host.home, target))
    assert remove_nested(find_venv_prefixes(venv, host)) == ()


@pytest.mark.parametrize("home", ["{home}", "{home}/Documents/bin", "{home}/.pyenv/../Documents/bin", "bin", ""])
def test_a_venv_that_names_a_folder_without_a_python_shows_nothing(host: Host, venv: Path, home: str) -> None:
    Path(host.home, "Documents/bin").mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text(f"home = {home.format(home=host.home)}\n")
    assert remove_nested(find_venv_prefixes(venv, host)) == ()


def test_a_script_by_the_name_of_python_shows_itself_alone(host: Host, venv: Path) -> None:
    script = program(f"{host.home}/Documents/bin/python3")
    (venv / "pyvenv.cfg").write_text(f"home = {Path(script).parent}\n")
    assert find_venv_prefixes(venv, host) == {script}


@pytest.mark.parametrize("way", ["{home}/bin", "/proc/self/root{home}/bin", "{home}/../alias/bin"])
def test_a_home_that_is_a_python_installation_is_still_a_home(host: Host, venv: Path, way: str) -> None:
    own = python(host.home)
    Path(host.home).parent.joinpath("alias").symlink_to(host.home)
    (venv / "pyvenv.cfg").write_text(f"home = {way.format(home=host.home)}\n")
    found = remove_nested(find_venv_prefixes(venv, host))
    assert own in found
    assert all(Path(path).is_file() and not path.startswith("/proc/") for path in found)


def test_another_venv_is_not_the_python_of_a_venv(host: Host, venv: Path) -> None:
    """It holds the packages, perhaps the code, of another project."""
    Path(host.home, "other/.venv/bin").mkdir(parents=True)
    Path(host.home, "other/.venv/lib/python3.12").mkdir(parents=True)
    link = Path(host.home, "other/.venv/bin/python")
    link.symlink_to(python(f"{host.home}/sdk/python"))
    (venv / "bin/python").symlink_to(link)
    assert remove_nested(find_venv_prefixes(venv, host)) == (str(link), f"{host.home}/sdk/python")


def test_a_link_of_the_repository_on_the_way_is_not_followed_for_its_folder(host: Host, venv: Path) -> None:
    python(f"{host.home}/sdk/python")
    Path(host.repository, "x").symlink_to(f"{host.home}/sdk/python")
    (venv / "bin/python").symlink_to("../../x/bin/python3")
    assert remove_nested(find_venv_prefixes(venv, host)) == (f"{host.home}/sdk/python",)


def test_a_config_that_is_no_file_is_not_waited_for(host: Host, venv: Path) -> None:
    (venv / "pyvenv.cfg").unlink()
    os.mkfifo(venv / "pyvenv.cfg")
    assert find_venv_prefixes(venv, host) == set()


@pytest.mark.parametrize(("path", "is_one"), [(".venv", True), ("api/venv", True), ("env", False), ("venv/x", False)])
def test_environments_are_known_by_name(path: str, *, is_one: bool) -> None:
    assert is_venv_name(path) is is_one


def test_a_repository_inside_a_version_manager_is_not_shown_with_it(host: Host) -> None:
    inside = replace(host, repository=f"{host.home}/.pyenv/plugins/mine")
    Path(inside.repository).mkdir(parents=True)
    shim = program(f"{host.home}/.pyenv/shims/python")
    assert remove_nested(find_prefixes(shim, inside)) == (f"{host.home}/.pyenv/shims",)
    at_shims = replace(host, repository=f"{host.home}/.pyenv/shims/mine")
    assert find_prefixes(shim, at_shims) == {shim}


def test_a_program_of_another_venv_brings_that_venv_and_its_python(host: Host) -> None:
    base = python(f"{host.home}/sdk/python")
    pytest_of_it = program(f"{host.home}/envs/test/bin/pytest")
    Path(host.home, "envs/test/pyvenv.cfg").write_text(f"home = {Path(base).parent}\n")
    assert find_prefixes(pytest_of_it, host) >= {f"{host.home}/envs/test", f"{host.home}/sdk/python"}


def test_a_folder_without_a_config_is_no_venv(host: Host) -> None:
    assert find_venv_prefixes(Path(host.home), host) == set()


def test_the_widest_hide_what_lies_below_what_is_always_there_and_what_is_not(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    paths = {str(tmp_path / "a"), str(tmp_path / "a" / "b"), "/usr/bin", str(tmp_path / "gone")}
    assert remove_nested(paths) == (str(tmp_path / "a"),)
