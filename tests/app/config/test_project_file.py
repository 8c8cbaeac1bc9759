from pathlib import Path

import pytest

from reknit.app.config.load import load
from reknit.app.config.project_file import has_own_python, is_set_up, list_setups, read_project_settings, select_setups
from reknit.app.config.project_sections import ProjectSection
from reknit.core.errors import UsageError
from reknit.core.setup.layers import Setup
from reknit.core.testing.command import TestCommand


def written(repository: Path, text: str) -> Path:
    (repository / "web").mkdir()
    (repository / "web" / "reknit.toml").write_text(text)
    return repository


def test_it_says_how_the_tests_of_its_project_are_run(tmp_path: Path) -> None:
    tests = read_project_settings(
        written(tmp_path, '[checks.tests]\nrun = "sh t.sh"\nreport = "r/*.xml"\n'), "web"
    ).tests
    assert (tests.run, tests.report) == ("sh t.sh", "r/*.xml")


@pytest.mark.parametrize("folder", ["", "web", "gone"])
def test_without_one_nothing_is_set(tmp_path: Path, folder: str) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "reknit.toml").write_text('[checks.tests]\nrun = "the top file is not the file of a project"\n')
    assert read_project_settings(tmp_path, folder) == ProjectSection()


@pytest.mark.parametrize(
    ("text", "what", "where"),
    [
        ("[loop]\nattempts = 1\n", "`loop` cannot be set for one project", "web/reknit.toml:1"),
        ('box = "host"\n', "`box` cannot be set for one project", "web/reknit.toml:1"),
        ("[checks.ci]\nreruns = 0\n", "`checks.ci` cannot be set for one project", "web/reknit.toml:1"),
        ('[checks.tests]\nRun = "x"\n', "unknown setting `checks.tests.Run`", "web/reknit.toml:2"),
        ("[checks.tests]\nrun = 1\n", "checks.tests.run: Input should be a valid string", "web/reknit.toml:2"),
        ("[checks", "not valid TOML", "web/reknit.toml"),
        (
            '[checks.tests]\nrun = "/srv/other/bin/pytest"\n',
            "`checks.tests.run` in a repository's file may not name '/srv/other/bin/pytest'",
            "web/reknit.toml:2",
        ),
    ],
)
def test_the_rest_is_refused(tmp_path: Path, text: str, what: str, where: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_project_settings(written(tmp_path, text), "web")
    assert caught.value.message.startswith(what)
    assert caught.value.where == where


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
    found = list_setups(config, ("api/reknit.toml", "web/reknit.toml"), tmp_path)
    top, api, web = Setup("", "make tools"), Setup("api", "uv sync"), Setup("web", "npm ci")
    assert found == (top, api, web)
    assert select_setups(found, [command_in("api/inner")]) == (top, api)
    assert not has_own_python(found, command_in("web"))
    assert has_own_python(found, command_in("api"))
    assert not is_set_up((api,), command_in("web"))
    on_host = load(tmp_path, {"box": "host"}, {"HOME": str(tmp_path)})
    assert list_setups(on_host, (), tmp_path) == ()
