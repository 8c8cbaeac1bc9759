"""The environments of poetry, pdm, pipenv, hatch and conda: this project's own, and nobody else's."""

from pathlib import Path

import pytest

from reknit.app.start.pythons import environment
from reknit.core.languages.python import environments as names
from tests.app.start.pythons.made_python import installation, venv

POETRY = '[tool.poetry]\nname = "shop"\n'
HATCH = '[project]\nname = "shop"\n[tool.hatch.envs.default]\nskip-install = true\n'


class Scene:
    def __init__(self, top: Path) -> None:
        self.home, self.project = top / "home", top / "home" / "work" / "shop"
        self.project.mkdir(parents=True)
        self.base = installation(top / "sdk")
        self.environment = {"HOME": str(self.home)}

    def write(self, name: str, text: str) -> None:
        (self.project / name).write_text(text)

    def venv(self, rel: str) -> str:
        return venv(self.home / rel, self.base)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path.resolve())


def test_poetry_uses_the_chosen_version_or_the_newest(scene: Scene) -> None:
    scene.write("pyproject.toml", POETRY)
    name = names.build_poetry_name(POETRY, str(scene.project))
    assert environment.find_poetry(scene.project, scene.environment) == ""
    made = {minor: scene.venv(f".cache/pypoetry/virtualenvs/{name}-py3.{minor}") for minor in (9, 11, 10)}
    assert environment.find_poetry(scene.project, scene.environment) == made[11]
    (scene.home / ".cache/pypoetry/virtualenvs/envs.toml").write_text(f'[{name}]\nminor = "3.10"\npatch = "3.10.1"\n')
    assert environment.find_poetry(scene.project, scene.environment) == made[10]
    (scene.home / ".cache/pypoetry/virtualenvs/envs.toml").write_text("broken [")
    assert environment.find_poetry(scene.project, scene.environment) == made[11]


@pytest.mark.parametrize(
    ("variables", "place"),
    [
        ({"POETRY_VIRTUALENVS_PATH": "{home}/envs"}, "envs"),
        ({"POETRY_CACHE_DIR": "{home}/cache"}, "cache/virtualenvs"),
        ({"XDG_CACHE_HOME": "{home}/xdg"}, "xdg/pypoetry/virtualenvs"),
        ({"XDG_CONFIG_HOME": "{home}/settings"}, "from-settings"),
    ],
)
def test_poetrys_folder_may_be_elsewhere(scene: Scene, variables: dict[str, str], place: str) -> None:
    scene.write("pyproject.toml", POETRY)
    (scene.home / "settings/pypoetry").mkdir(parents=True)
    (scene.home / "settings/pypoetry/config.toml").write_text('[virtualenvs]\npath = "~/from-settings"\n')
    made = scene.venv(f"{place}/{names.build_poetry_name(POETRY, str(scene.project))}-py3.11")
    given = {name: value.format(home=scene.home) for name, value in variables.items()}
    assert environment.find_poetry(scene.project, scene.environment) == ""
    assert environment.find_poetry(scene.project, scene.environment | given) == made


def test_pdm_is_believed_for_its_own_environments_and_plain_pythons(scene: Scene) -> None:
    own = scene.venv(f".local/share/pdm/venvs/{names.build_pdm_prefix(str(scene.project))}3.11")
    theirs = scene.venv(f".local/share/pdm/venvs/{names.build_pdm_prefix(str(scene.home / 'work/theirs'))}3.11")
    inside = venv(scene.project / "env", scene.base)
    other = scene.venv("work/other/.venv")
    script = scene.home / "Documents/bin/python3"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    accepted = [own, inside, str(scene.base)]
    refused = [theirs, other, str(script), "/etc/passwd", f"{own}/../python", "bin/python", ""]
    for named in (*accepted, *refused):
        scene.write(".pdm-python", f"{named}\n")
        assert environment.find_pdm(scene.project, scene.environment) == (named if named in accepted else ""), named


def test_pipenv(scene: Scene) -> None:
    name = names.build_pipenv_name(f"{scene.project}/Pipfile")
    made, elsewhere = scene.venv(f".local/share/virtualenvs/{name}"), scene.venv(f"envs/{name}")
    assert environment.find_pipenv(scene.project, scene.environment) == ""
    scene.write("Pipfile", "[packages]\n")
    assert environment.find_pipenv(scene.project, scene.environment) == made
    moved = scene.environment | {"WORKON_HOME": str(scene.home / "envs")}
    assert environment.find_pipenv(scene.project, moved) == elsewhere


def test_hatch_has_an_environment_per_purpose_and_that_of_the_tests_comes_first(scene: Scene) -> None:
    assert list(environment.find_hatch(scene.project, scene.environment)) == []
    scene.write("pyproject.toml", HATCH)
    place = f".local/share/hatch/env/virtual/{names.build_hatch_path(HATCH, str(scene.project))}"
    docs, own, new, old = (
        scene.venv(f"{place}/{name}") for name in ("docs", "shop", "hatch-test.py3.12", "hatch-test.py3.9")
    )
    assert list(environment.find_hatch(scene.project, scene.environment)) == [new, old, own, docs]


def test_conda_by_its_file_and_the_active_one(scene: Scene) -> None:
    scene.write("environment.yml", "name: shop\n")
    place = scene.home / "miniforge3/envs/shop"
    made = str(installation(place, name="python"))
    assert environment.find_conda(scene.project, scene.environment) == "", "no conda environment"
    (place / "conda-meta").mkdir()
    assert environment.find_conda(scene.project, scene.environment) == made
    scene.write("environment.yml", "dependencies: []\n")
    assert environment.find_conda(scene.project, scene.environment) == ""
    active = scene.environment | {"CONDA_PREFIX": str(place), "CONDA_DEFAULT_ENV": "shop"}
    assert environment.find_active_conda(active) == made
    assert environment.find_active_conda(active | {"CONDA_DEFAULT_ENV": "base"}) == ""
    assert environment.find_active_conda({}) == ""
