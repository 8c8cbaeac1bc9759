"""What a command's programs need of the host, by table and in a real box."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters import process
from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.box.bubblewrap.prefixes import Host
from reknit.adapters.box.bubblewrap.toolchain import Toolchain, find_places, find_toolchain
from reknit.core.box import BoxView
from tests.adapters.box.in_box import said, write

BOX_HOME = "/home/agent"


def fake(home: Path, *programs: str) -> str:
    for at in programs:
        write({at: "#!/bin/sh\necho $0\n"}, str(home))
        (home / at).chmod(0o755)
    return ":".join(str((home / at).parent) for at in programs)


def needs(home: Path, path: str, *programs: str) -> Toolchain:
    host = Host(path=path, home=str(home), repository=str(home / "repository"))
    return find_toolchain(programs, [], host=host, box_home=BOX_HOME)


def test_caches_show_below_the_private_home_and_credentials_do_not(tmp_path: Path) -> None:
    path = fake(tmp_path, ".cargo/bin/cargo")
    write({".cargo/registry/x": "", ".cargo/credentials.toml": "token", ".rustup/toolchains/x": ""}, str(tmp_path))
    tools = needs(tmp_path, path, "cargo")
    assert tools.show == ()
    assert set(tools.home) == {".cargo/bin", ".rustup/toolchains"}
    assert tools.layers == {".cargo/registry": f"{tmp_path}/.cargo/registry"}
    assert tools.path == (f"{BOX_HOME}/.cargo/bin",)
    assert tools.env == {"CARGO_NET_OFFLINE": "true"}


@pytest.mark.parametrize(
    ("program", "variables", "below_home"),
    [
        ("cargo", {"CARGO_HOME": "{top}/c", "RUSTUP_HOME": "{top}/r"}, {".cargo/registry": "c/registry",
                                                                        ".rustup/toolchains": "r/toolchains"}),
        ("go", {"GOPATH": "{top}/g:/other"}, {"go/pkg/mod": "g/pkg/mod"}),
        ("go", {"GOPATH": "{top}/g", "GOMODCACHE": "{top}/m"}, {"go/pkg/mod": "m"}),
        ("gradle", {"GRADLE_USER_HOME": "{top}/gr"}, {".gradle/caches": "gr/caches"}),
        ("go", {"GOPATH": "relative"}, {}),
    ],
)  # fmt: skip
def test_caches_that_the_user_keeps_elsewhere_are_shown_where_the_tool_looks(
    tmp_path: Path, program: str, variables: dict[str, str], below_home: dict[str, str]
) -> None:
    path = fake(tmp_path, f"bin/{program}")
    for place in below_home.values():
        write({f"{place}/x": ""}, str(tmp_path))
    write({"c/credentials.toml": "token", "gr/gradle.properties": "token"}, str(tmp_path))
    given = {name: value.format(top=tmp_path) for name, value in variables.items()}
    host = Host(path, str(tmp_path / "home"), str(tmp_path / "repository"), given)
    tools = find_toolchain([program], [], host=host, box_home=BOX_HOME)
    assert {**tools.home, **tools.layers} == {rel: f"{tmp_path}/{at}" for rel, at in below_home.items()}


def test_a_moved_cargo_works_in_the_box_without_its_credentials(view: BoxView, tmp_path: Path) -> None:
    script = "#!/bin/sh\ncat ~/.rustup/toolchains/stable; ls -A ~/.cargo\n"
    write({"cargo/bin/cargo": script, "cargo/registry/x": "", "cargo/credentials.toml": "token"}, str(tmp_path))
    (tmp_path / "cargo/bin/cargo").chmod(0o755)
    write({"rustup/toolchains/stable": "stable\n"}, str(tmp_path))
    variables = {"CARGO_HOME": f"{tmp_path}/cargo", "RUSTUP_HOME": f"{tmp_path}/rustup"}
    path = f"{tmp_path}/cargo/bin:{os.environ['PATH']}"
    box = Bubblewrap(path=path, home=str(tmp_path / "home"), variables=variables)
    assert said(replace(view, programs=("cargo",)), "cargo", box=box) == "stable\nbin\nregistry\n"


def test_java_is_the_one_that_java_home_names(tmp_path: Path) -> None:
    fake(tmp_path, "jdk/bin/java", "mvn/bin/mvn")
    host = Host(f"{tmp_path}/mvn/bin", str(tmp_path / "home"), "", {"JAVA_HOME": f"{tmp_path}/jdk"})
    tools = find_toolchain(["mvn"], [], host=host, box_home=BOX_HOME)
    assert set(tools.show) >= {f"{tmp_path}/jdk", f"{tmp_path}/mvn"}
    assert (tools.env["JAVA_HOME"], tools.path) == (f"{tmp_path}/jdk", (f"{tmp_path}/jdk/bin", f"{tmp_path}/mvn/bin"))
    (tmp_path / "jdk/bin/java").unlink()
    assert "JAVA_HOME" not in find_toolchain(["mvn"], [], host=host, box_home=BOX_HOME).env


def test_a_wrapper_in_the_repository_finds_its_caches(tmp_path: Path) -> None:
    write({".gradle/wrapper/dists/x": ""}, str(tmp_path))
    assert set(needs(tmp_path, "/nowhere", "gradle").home) == {".gradle/wrapper"}


def test_on_the_host_a_tool_finds_its_files_with_another_home(tmp_path: Path) -> None:
    for name in (".cargo", "r", "go"):
        (tmp_path / name).mkdir()
    variables = {"RUSTUP_HOME": f"{tmp_path}/r", "JAVA_HOME": "/jdk"}
    found = find_places(["cargo"], str(tmp_path), variables)
    assert found == {"CARGO_HOME": f"{tmp_path}/.cargo", "RUSTUP_HOME": f"{tmp_path}/r"}
    assert find_places(["go"], str(tmp_path), variables) == {"GOPATH": f"{tmp_path}/go"}
    assert find_places(["mvn"], str(tmp_path), variables) == {"JAVA_HOME": "/jdk"}


def test_a_program_on_path_brings_its_folder_an_absolute_one_does_not(tmp_path: Path) -> None:
    path = fake(tmp_path, "sdk/go/bin/go")
    assert needs(tmp_path, path, "go").path == (f"{tmp_path}/sdk/go/bin",)
    assert needs(tmp_path, path, f"{tmp_path}/sdk/go/bin/go").path == ()
    assert needs(tmp_path, path, f"{tmp_path}/sdk/go/bin/go").show == (f"{tmp_path}/sdk/go",)


@pytest.mark.parametrize("name", ["no-such-program", "sh", ""])
def test_what_is_missing_or_always_there_needs_nothing(tmp_path: Path, name: str) -> None:
    assert needs(tmp_path, "/usr/bin:/bin", name) == Toolchain()


def test_a_program_by_a_relative_path_is_the_repositorys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, "repository/bin/test", "other/bin/deploy")
    monkeypatch.chdir(tmp_path / "repository")
    assert needs(tmp_path, "", "bin/test") == needs(tmp_path, "", "../other/bin/deploy") == Toolchain()


def test_the_repositorys_own_programs_show_only_if_they_are_carried(tmp_path: Path) -> None:
    path = fake(tmp_path, "repository/.venv/bin/pytest")
    assert needs(tmp_path, path, "pytest") == Toolchain()


def test_a_program_of_npm_behind_a_link_finds_the_packages_beside_it(view: BoxView, tmp_path: Path) -> None:
    """As `npm config set prefix ~/.npm-global` leaves it: node looks for packages beside the real file."""
    own, lint = tmp_path / "home" / ".npm-global", "lib/node_modules/lint/bin/lint.js"
    words = {"lib/node_modules/words/index.js": "console.log('found')\n"}
    write({lint: "#!/usr/bin/env node\nrequire('words')\n", **words, "secret": "private"}, str(own))
    (own / lint).chmod(0o755)
    (own / "bin").mkdir()
    (own / "bin" / "lint").symlink_to(f"../{lint}")
    box = Bubblewrap(path=f"{own}/bin:{os.environ['PATH']}", home=str(own.parent))
    told = said(replace(view, programs=("lint", "node")), "sh", "-c", f"lint; ls {own}", box=box)
    assert told == "found\nbin\nlib\n"


def test_a_program_below_a_version_manager_runs_in_the_box(view: BoxView, tmp_path: Path) -> None:
    home = tmp_path / "home"
    path = fake(home, ".pyenv/shims/tool")
    box = Bubblewrap(path=f"{path}:{os.environ['PATH']}", home=str(home))
    write({".ssh/id": "private"}, str(home))
    told = said(replace(view, programs=("tool",)), "sh", "-c", f"tool; ls -A {home}", box=box)
    assert told == f"{home}/.pyenv/shims/tool\n.pyenv\n"


@pytest.mark.parametrize("entry", ["env", ".venv"])
def test_an_environment_that_leads_to_a_home_does_not_show_it(view: BoxView, tmp_path: Path, entry: str) -> None:
    home = tmp_path / "home"
    write({".ssh/id": "private", "Documents/bin/x": "private"}, str(home))
    write({f"{entry}/pyvenv.cfg": f"home = {home}/Documents/bin\n", f"{entry}/bin/x": ""}, view.repository)
    Path(view.repository, entry, "bin/python").symlink_to("../../../home")
    box = Bubblewrap(path=os.environ["PATH"], home=str(home))
    told = said(replace(view, carry=(entry,)), "sh", "-c", f"ls {entry}; test ! -e {home}", box=box)
    assert told == "bin\npyvenv.cfg\n"


@pytest.mark.parametrize("entry", ["sub/link", "sub/link/secret", "link"])
def test_an_entry_behind_a_link_of_the_original_is_not_carried(view: BoxView, tmp_path: Path, entry: str) -> None:
    write({"secret": "private"}, str(tmp_path / "outside"))
    for link in ("sub/link", "link"):
        Path(view.repository, link).parent.mkdir(exist_ok=True)
        Path(view.repository, link).symlink_to(tmp_path / "outside")
    assert said(replace(view, carry=(entry,)), "find", ".", "-name", "secret") == ""


def test_a_venv_of_the_python_that_runs_us_works_in_the_box(view: BoxView) -> None:
    """Its interpreter may lie anywhere, for example below a version manager in a home."""
    venv = f"{view.repository}/.venv"
    made = process.run([sys.executable, "-m", "venv", "--without-pip", venv], env={"PATH": os.environ["PATH"]})
    assert made.exit_code == 0, made.stderr
    write({"here.py": "import sys; print(sys.prefix, sys.prefix != sys.base_prefix)\n"}, view.tree)
    told = said(replace(view, carry=(".venv",), programs=("python3",)), "python3", "here.py")
    assert told == f"{venv} True\n"


@pytest.mark.parametrize("elsewhere", [False, True])
def test_downloaded_browsers_are_shown_whatever_drives_them(tmp_path: Path, elsewhere: bool) -> None:
    places = ("p", "q") if elsewhere else (".cache/ms-playwright", ".cache/puppeteer")
    write({f"{place}/browser": "" for place in places}, str(tmp_path))
    variables = {"PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "p"), "PUPPETEER_CACHE_DIR": str(tmp_path / "q")}
    host = Host("", str(tmp_path), str(tmp_path / "repository"), variables if elsewhere else {})
    shown = find_toolchain((), [], host=host, box_home=BOX_HOME).home
    assert shown == {
        ".cache/ms-playwright": f"{tmp_path}/{places[0]}",
        ".cache/puppeteer": f"{tmp_path}/{places[1]}",
    }
    assert set(find_places((), str(tmp_path), host.variables)) == {"PLAYWRIGHT_BROWSERS_PATH", "PUPPETEER_CACHE_DIR"}
