from pathlib import Path

import pytest

from reknit.app.config.project_file import project_settings
from reknit.app.config.project_sections import ProjectSection
from reknit.core.errors import UsageProblem


def written(repository: Path, text: str) -> Path:
    (repository / "web").mkdir()
    (repository / "web" / "reknit.toml").write_text(text)
    return repository


def test_it_says_how_the_tests_of_its_project_are_run(tmp_path: Path) -> None:
    tests = project_settings(written(tmp_path, '[checks.tests]\nrun = "sh t.sh"\nreport = "r/*.xml"\n'), "web").tests
    assert (tests.run, tests.report) == ("sh t.sh", "r/*.xml")


@pytest.mark.parametrize("folder", ["", "web", "gone"])
def test_without_one_nothing_is_set(tmp_path: Path, folder: str) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "reknit.toml").write_text('[checks.tests]\nrun = "the top file is not the file of a project"\n')
    assert project_settings(tmp_path, folder) == ProjectSection()


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
    with pytest.raises(UsageProblem) as caught:
        project_settings(written(tmp_path, text), "web")
    assert caught.value.what.startswith(what)
    assert caught.value.where == where
