"""`reknit config` and `reknit init`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools.command_line import Answer

Here = Callable[..., Answer]


def test_the_effective_configuration_is_shown_whole(here: Here, shop: Path) -> None:
    shown = json.loads(here("config", "show", cwd=shop).out)
    assert (shown["fixer"], shown["loop"]["attempts"], shown["box"]) == ("scripted", 3, "bubblewrap")


def test_a_configuration_is_validated_with_file_and_line(here: Here, shop: Path) -> None:
    assert here("config", "validate", cwd=shop) == Answer(0, "the configuration is valid\n", "")
    (shop / "reknit.toml").write_text("[loop]\nattempts = 0\n")
    wrong = here("config", "validate", cwd=shop)
    assert wrong.exit_code == 2
    assert "  --> reknit.toml:2\n" in wrong.err


def test_what_a_run_would_refuse_is_not_valid(here: Here, shop: Path) -> None:
    (shop / "reknit.toml").write_text('[checks.tests]\nrun = "make | tee log"\nreport = "../x.xml"\n')
    wrong = here("config", "validate", cwd=shop)
    assert (wrong.exit_code, "reknit.toml:2: checks.tests.run: runs without a shell" in wrong.err) == (2, True)
    assert "reknit.toml:3: checks.tests.report: must name files below the repository" in wrong.err


@pytest.mark.parametrize(
    ("folders", "said"),
    [
        (["nowhere"], "projects: git tracks no files in the folder 'nowhere'"),
        (["shop"], "projects: no tests were found in 'shop'"),
        (["tests", "tests"], "projects: the folder 'tests' is listed twice"),
    ],
)
def test_projects_that_a_run_would_refuse(here: Here, shop: Path, folders: list[str], said: str) -> None:
    (shop / "reknit.toml").write_text("".join(f'[[projects]]\nfolder = "{folder}"\n' for folder in folders))
    wrong = here("config", "validate", cwd=shop)
    assert (wrong.exit_code, said in wrong.err) == (2, True)


def test_the_files_of_projects_are_validated_too(here: Here, shop: Path) -> None:
    for name in ("back", "front"):
        (shop / name).mkdir()
        (shop / name / "reknit.toml").write_text('[checks.tests]\nrun = "make > log"\n')
    wrong = here("config", "validate", cwd=shop)
    assert wrong.exit_code == 2
    assert all(
        f"{name}/reknit.toml:2: checks.tests.run: runs without a shell" in wrong.err for name in ("back", "front")
    )


def test_editors_get_a_schema(here: Here, shop: Path) -> None:
    schema = json.loads(here("config", "schema", cwd=shop).out)
    assert set(schema["properties"]) >= {"fixer", "box", "loop", "checks", "workspace", "agents"}
