"""The projects of a repository and their test commands, as set or as found."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters.git.landing import commit_all
from reknit.app.installation import Installation, find_installation
from reknit.app.start.fix_tests import plan_fix_tests
from reknit.app.start.projects import MAX_PROJECTS
from reknit.core.errors import UsageError
from reknit.core.fix_tests.task import FixTests
from tests.app.start.pythons.made_python import install, venv
from tests.app.start.pythons.made_python import installation as python_installation


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    return find_installation({"REKNIT_STATE": str(tmp_path / "state"), "PATH": path, "HOME": str(tmp_path / "home")})


def test_a_test_command_for_a_shell_is_refused(installation: Installation, shop: Path) -> None:
    (shop / "reknit.toml").write_text('fixer = "scripted"\n[checks.tests]\nrun = "pytest && true"\n')
    with pytest.raises(UsageError, match="without a shell"):
        plan_fix_tests(installation, shop, (), {})


def test_tests_are_found_where_none_are_set(installation: Installation, shop: Path) -> None:
    (shop / "reknit.toml").unlink()
    commit_all(str(shop), "no file")
    assert plan_fix_tests(installation, shop, (), {}).spec.tests.runner == "pytest"


def write(repository: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_text(text)


PYTEST = "[tool.pytest.ini_options]\n"
MONOREPO = {
    "reknit.toml": 'fixer = "scripted"\n',
    "back/pyproject.toml": PYTEST,
    "front/pyproject.toml": PYTEST,
    "front/tests/test_a.py": "",
}


def folders(installation: Installation, folder: Path, *named: str) -> list[str]:
    return [project.folder for project in plan_fix_tests(installation, folder, named, {}).spec.projects]


@pytest.fixture
def monorepo(shop: Path) -> Path:
    for path in (shop / "run_tests.py", shop / "tests" / "test_pricing.py"):
        path.unlink()
    write(shop, MONOREPO)
    commit_all(str(shop), "projects")
    return shop


def test_every_project_is_run_from_the_top_and_one_from_its_folder(installation: Installation, monorepo: Path) -> None:
    assert folders(installation, monorepo) == ["back", "front"]
    assert folders(installation, monorepo / "front" / "tests") == ["front"]
    assert folders(installation, monorepo / "front", "tests/test_a.py::t") == ["front"]
    spec = plan_fix_tests(installation, monorepo / "front", ["tests/test_a.py::t"], {}).spec
    assert spec.task == FixTests(named_tests=("front/tests/test_a.py::t",))
    assert folders(installation, monorepo, "front/tests/test_a.py::t") == ["front"]


def test_the_file_of_a_project_says_how_its_tests_are_run(installation: Installation, monorepo: Path) -> None:
    write(monorepo, {"front/reknit.toml": '[checks.tests]\nrun = "sh t.sh"\n'})
    write(monorepo, {"lib/reknit.toml": '[checks.tests]\nrun = "make"\n'})
    projects = plan_fix_tests(installation, monorepo, (), {}).spec.projects
    assert [(tests.folder, tests.argv[:2], tests.manifest) for tests in projects[1:]] == [
        ("front", ("sh", "t.sh"), "front/reknit.toml"),
        ("lib", ("make",), "lib/reknit.toml"),
    ]
    write(monorepo, {"lib/reknit.toml": '[checks.tests]\nrun = "make > log"\n'})
    with pytest.raises(UsageError, match=r"checks\.tests\.run: runs without a shell") as problem:
        plan_fix_tests(installation, monorepo, (), {})
    assert problem.value.where == "lib/reknit.toml:2"


def test_projects_that_are_listed_are_the_only_ones(installation: Installation, monorepo: Path) -> None:
    listed = '[[projects]]\nfolder = "front"\n[[projects]]\nfolder = "lib"\ntests.run = "make check"\n'
    write(monorepo, {"reknit.toml": f'fixer = "scripted"\n{listed}', "lib/Makefile": "", "docs/index.md": ""})
    commit_all(str(monorepo), "two more folders")
    projects = plan_fix_tests(installation, monorepo, (), {}).spec.projects
    assert [(tests.folder, tests.runner) for tests in projects] == [("front", "pytest"), ("lib", "command")]
    write(monorepo, {"reknit.toml": 'fixer = "scripted"\n[[projects]]\nfolder = "docs"\n'})
    with pytest.raises(UsageError, match="no tests were found in 'docs'"):
        plan_fix_tests(installation, monorepo, (), {})


def test_more_projects_than_a_run_can_look_at_are_refused(installation: Installation, monorepo: Path) -> None:
    write(monorepo, {f"p{number}/pyproject.toml": PYTEST for number in range(MAX_PROJECTS)})
    commit_all(str(monorepo), "many")
    with pytest.raises(UsageError, match=f"{MAX_PROJECTS + 2} projects have tests"):
        plan_fix_tests(installation, monorepo, (), {})
    assert folders(installation, monorepo / "p3") == ["p3"]


def test_a_project_that_lacks_something_is_left_out_and_said(installation: Installation, monorepo: Path) -> None:
    write(monorepo, {"web/package.json": '{"devDependencies": {"vitest": "3"}}', "web/package-lock.json": "{}"})
    commit_all(str(monorepo), "web")
    plan = plan_fix_tests(installation, monorepo, (), {})
    assert [tests.folder for tests in plan.spec.projects] == ["back", "front"]
    assert plan.notes[0].endswith("was not run: node_modules is missing; `cd web && npm ci`")
    with pytest.raises(UsageError, match="web: node_modules is missing") as caught:
        plan_fix_tests(installation, monorepo / "web", (), {})
    assert caught.value.help == 'cd web && npm ci; or, in web/reknit.toml, let reknit do it: setup = "npm ci"'


def test_a_python_without_pytest_runs_unittest(installation: Installation, shop: Path) -> None:
    (shop / "reknit.toml").write_text('fixer = "scripted"\n')
    commit_all(str(shop), "no command")
    bare = replace(installation, environment={**installation.environment, "PATH": "/usr/bin:/bin"})
    tests = plan_fix_tests(bare, shop, (), {}).spec.tests
    assert (tests.runner, tests.argv[0]) == ("unittest", "/usr/bin/python3")
    tests = plan_fix_tests(installation, shop, (), {}).spec.tests
    assert (tests.runner, tests.argv[0]) == ("pytest", str(Path(sys.executable).parent / "python3"))


def test_the_source_comes_before_its_copy_in_the_environment(
    installation: Installation, shop: Path, tmp_path: Path
) -> None:
    (shop / "reknit.toml").write_text('fixer = "scripted"\n')
    write(shop, {"src/pricing/__init__.py": "", ".gitignore": ".tox/\n"})
    venv(shop / ".tox" / "py311", python_installation(tmp_path / "sdk"), "pytest")
    commit_all(str(shop), "src")
    assert plan_fix_tests(installation, shop, (), {}).spec.tests.env == ()
    install(shop / ".tox" / "py311", "pricing")
    assert plan_fix_tests(installation, shop, (), {}).spec.tests.env == (("PYTHONPATH", "src"),)
    (shop / "reknit.toml").write_text('fixer = "scripted"\n[checks.tests]\nrun = "PYTHONPATH=lib python -m pytest"\n')
    assert plan_fix_tests(installation, shop, (), {}).spec.tests.env == (("PYTHONPATH", "lib"),)


def test_a_configuration_among_the_examples_is_no_project(installation: Installation, monorepo: Path) -> None:
    write(monorepo, {"docs/example/reknit.toml": 'fixer = "claude"\n'})
    assert folders(installation, monorepo) == ["back", "front"]


def test_it_is_said_that_other_projects_are_not_run(installation: Installation, monorepo: Path) -> None:
    assert (
        "only back, of 2 projects; from the top folder: all"
        in plan_fix_tests(installation, monorepo / "back", (), {}).notes
    )
    assert not any("projects" in note for note in plan_fix_tests(installation, monorepo, (), {}).notes)


def test_a_named_browser_test_is_run_by_playwright_beside_another_runner(
    installation: Installation, monorepo: Path
) -> None:
    package = '{"scripts": {"test": "ng test"}, "devDependencies": {"@playwright/test": "1"}}'
    write(monorepo, {"web/package.json": package, "web/playwright.config.ts": "export default { testDir: 'e2e' };\n"})
    commit_all(str(monorepo), "a web page")
    (monorepo / "web/node_modules/@playwright/test").mkdir(parents=True)
    page = {"web/e2e/new.spec.ts": "", "web/ui.spec.ts": 'import { test } from "@playwright/test";\n'}
    write(monorepo, {**page, "web/src/unit.spec.ts": ""})
    assert folders(installation, monorepo) == ["back", "front", "web"]
    for name in ("web/e2e/new.spec.ts", "web/ui.spec.ts", "web/e2e"):
        plan = plan_fix_tests(installation, monorepo, [name], {}, dirty=True)
        assert [(each.folder, each.runner) for each in plan.spec.projects] == [("web", "playwright")]
    with pytest.raises(UsageError, match="judged by its exit code"):
        plan_fix_tests(installation, monorepo, ["web/src/unit.spec.ts"], {}, dirty=True)
