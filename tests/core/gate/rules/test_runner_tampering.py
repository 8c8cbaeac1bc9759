import json

import pytest

from reknit.core.gate.judge import judge
from reknit.core.gate.rules.runner_tampering import find_changed_settings, find_runner_tampering
from reknit.core.gate.scope import Scope
from reknit.core.gate.waiver import Waivers, parse_typed
from reknit.core.repository.change import REGULAR, Change, FileChange

SCOPE = Scope((), "api", 20, 1000, "pytest")


def _refused(path: str, before: str | None, after: str | None) -> list[str]:
    file = FileChange(path, None if before is None else before.encode(), None if after is None else after.encode())
    refusals = list(find_runner_tampering(Change((file,)), SCOPE))
    assert all((refusal.rule, refusal.path) == ("runner-tampering", path) for refusal in refusals)
    return [refusal.sentence for refusal in refusals]


@pytest.mark.parametrize(
    ("path", "is_refused"),
    [
        ("pytest.py", True),
        ("json.py", True),
        ("src/_pytest/__init__.py", True),
        ("api/dataclasses.py", True),
        ("api/src/xml/__init__.py", True),
        ("pygments/__init__.py", True),
        ("src/attr.py", True),
        ("typing_extensions.py", True),
        ("pytest_asyncio.py", True),
        ("sitecustomize/__init__.py", True),
        ("shop/pygments.py", False),
        ("attribute.py", False),
        ("src/shop/types.py", False),
        ("shop.py", False),
        ("src/shop/__init__.py", False),
    ],
)
def test_a_new_module_must_not_hide_another(path: str, is_refused: bool) -> None:
    assert bool(_refused(path, None, "x = 1\n")) == is_refused
    assert _refused(path, "x = 1\n", "x = 2\n") == []


@pytest.mark.parametrize(
    "name",
    [
        "pytest", "_pytest", "unittest", "pluggy", "pytest_mock", "hypothesis", "_hypothesis_pytestplugin", "coverage",
        "xdist", "execnet", "py", "iniconfig", "packaging", "exceptiongroup", "tomli", "pygments", "attr", "attrs",
        "typing_extensions", "sortedcontainers", "colorama", "mock", "nose", "nose2", "distutils", "_distutils_hack",
        "pkg_resources", "setuptools", "sitecustomize", "usercustomize",
    ],
)  # fmt: skip
def test_what_a_test_run_imports_is_not_replaced(name: str) -> None:
    assert _refused(f"{name}.py", None, "x = 1\n") == [
        f"{name}.py would shadow a module of Python or of the test runner"
    ]
    assert _refused(f"{name}x9.js", None, "x = 1\n") == []


NPM = {"name": "a", "scripts": {"test": "jest"}, "dependencies": {}}
PYTHON = '[project]\nname = "a"\ndependencies = []\n[tool.pytest.ini_options]\naddopts = "-q"\n'


def settings(path: str, before: str | None, after: str | None) -> list[str]:
    old, new = (None if text is None else text.encode() for text in (before, after))
    return [*find_changed_settings(FileChange(path, old, new))]


@pytest.mark.parametrize("key", ["scripts", "jest", "mocha", "ava", "vitest", "tap", "nyc", "c8"])
def test_what_runs_the_tests_of_a_package_stays(key: str) -> None:
    after = json.dumps({**NPM, key: {"test": "true"}})
    assert settings("web/package.json", json.dumps(NPM), after) == [f"has another `{key}`"]
    assert settings("web/tsconfig.json", json.dumps(NPM), after) == []


@pytest.mark.parametrize("tool", ["pytest", "tox", "nox"])
def test_what_runs_the_tests_of_a_python_project_stays(tool: str) -> None:
    after = f'{PYTHON}[tool.{tool}.more]\na = "--ignore=tests"\n'
    assert settings("pyproject.toml", PYTHON, after) == [f"has another `tool.{tool}`"]


@pytest.mark.parametrize(
    ("scripts", "is_other"),
    [
        pytest.param({"test": "jest", "build": "tsc"}, False, id="one more"),
        pytest.param({"test": "exit 0"}, True, id="another one"),
        pytest.param({}, True, id="removed"),
        pytest.param({"test": "jest", "pretest": "rm -r tests"}, True, id="one that runs before it"),
        pytest.param({"test": "jest", "posttest": "exit 0"}, True, id="one that runs after it"),
        pytest.param("exit 0", True, id="not a table"),
    ],
)
def test_a_script_that_was_there_stays_as_it_is(scripts: object, is_other: bool) -> None:
    found = settings("package.json", json.dumps(NPM), json.dumps({**NPM, "scripts": scripts}))
    assert found == (["has another `scripts`"] if is_other else [])


def test_one_other_script_among_several_is_enough() -> None:
    before, after = ({**NPM, "scripts": {"test": "jest", "build": build}} for build in ("tsc", "exit 0"))
    assert settings("package.json", json.dumps(before), json.dumps(after)) == ["has another `scripts`"]


def test_dependencies_are_another_matter() -> None:
    assert settings("package.json", json.dumps(NPM), json.dumps({**NPM, "dependencies": {"a": "1"}})) == []
    assert settings("pyproject.toml", PYTHON, PYTHON.replace("[]", '["a"]')) == []


def test_a_key_that_is_there_twice_hides_one_of_them() -> None:
    twice = '{"scripts": {"test": "true"}, "scripts": {"test": "jest"}}'
    assert "has a key twice" in settings("package.json", json.dumps(NPM), twice)


def test_a_new_or_removed_manifest_has_nothing_to_compare() -> None:
    assert settings("package.json", None, json.dumps(NPM)) == settings("package.json", json.dumps(NPM), None) == []


def test_a_waiver_for_a_manifest_lets_dependencies_in_and_no_other_test_script() -> None:
    allowed = Waivers(tuple(map(parse_typed, ("protected-config:package.json",))))
    scope = Scope((), "", 20, 100, "npm", waivers=allowed)
    for changed, accepted in (({"dependencies": {"a": "1"}}, True), ({"scripts": {"test": "exit 0"}}, False)):
        before, after = (json.dumps(each).encode() for each in (NPM, {**NPM, **changed}))
        change = Change((FileChange("package.json", before, after, REGULAR, REGULAR),))
        assert judge(change, scope).is_accepted is accepted
