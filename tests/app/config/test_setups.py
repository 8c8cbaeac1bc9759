"""Which set-ups a run needs."""

from pathlib import Path

from reknit.app.config.load import load
from reknit.app.config.setups import all_setups, has_own_python, is_set_up, setups_for
from reknit.core.setup.values import Setup
from reknit.core.testing.command import TestCommand

TOML = """\
setup = "make tools"
[[projects]]
folder = "web"
setup = "npm ci"
[[projects]]
folder = "api"
"""


def command_in(folder: str) -> TestCommand:
    return TestCommand("pytest", ("python", "-m", "pytest"), "junit", folder=folder)


def test_of_the_top_of_projects_and_of_their_own_files(tmp_path: Path) -> None:
    for folder, text in {"": TOML, "api": 'setup = "uv sync"\n', "web": 'setup = "weaker"\n'}.items():
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "reknit.toml").write_text(text)
    config = load(tmp_path, {}, {"HOME": str(tmp_path)})
    found = all_setups(config, ("api/reknit.toml", "web/reknit.toml"), tmp_path)
    top, api, web = Setup("", "make tools"), Setup("api", "uv sync"), Setup("web", "npm ci")
    assert found == (top, api, web)
    assert setups_for(found, [command_in("api/inner")]) == (top, api)
    assert not has_own_python(found, command_in("web"))
    assert has_own_python(found, command_in("api"))
    assert not is_set_up((api,), command_in("web"))
    on_host = load(tmp_path, {"box": "host"}, {"HOME": str(tmp_path)})
    assert all_setups(on_host, (), tmp_path) == ()
