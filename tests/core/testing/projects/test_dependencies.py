import pytest

from reknit.core.testing.projects.dependencies import depends_on

APP_JS = {"package.json": '{"name": "app", "dependencies": {"@acme/lib": "workspace:*"}}'}
APP_PY = {"pyproject.toml": '[project]\nname = "app"\ndependencies = ["My.Lib>=1"]\n'}


@pytest.mark.parametrize(
    ("project", "other", "expected"),
    [
        pytest.param(APP_JS, {"package.json": '{"name": "@acme/lib"}'}, True, id="npm"),
        pytest.param(APP_JS, {"package.json": '{"name": "lib"}'}, True, id="its-name-without-the-scope"),
        pytest.param(APP_JS, {"package.json": '{"name": "@acme/li"}'}, False, id="a-part-of-the-name"),
        pytest.param(APP_JS, {"package.json": '{"name": 1}'}, False, id="no-name"),
        pytest.param(APP_JS, {"package.json": "[}"}, False, id="not-json"),
        pytest.param(APP_PY, {"pyproject.toml": '[project]\nname = "my_lib"\n'}, True, id="pyproject"),
        pytest.param(APP_PY, {"pyproject.toml": '[tool.poetry]\nname = "my-lib"\n'}, True, id="poetry"),
        pytest.param(APP_PY, {"pyproject.toml": "project = 1\n"}, False, id="not-a-table"),
        pytest.param(APP_PY, {"pyproject.toml": "[broken"}, False, id="not-toml"),
        pytest.param(APP_PY, {"setup.cfg": "[metadata]\nname = my-lib\n"}, True, id="setup-cfg"),
        pytest.param(APP_PY, {"setup.py": "setup(name='my-lib')"}, True, id="setup-py"),
        pytest.param(APP_PY, {"setup.py": "setup()"}, False, id="setup-py-without-a-name"),
        pytest.param({"requirements.txt": "-e ../my-lib\n"}, {"setup.py": "setup(name='my-lib')"}, True, id="editable"),
        pytest.param({"Cargo.toml": "[dependencies]\nlib=1"}, {"Cargo.toml": "[package]\nname='lib'"}, True, id="rs"),
        pytest.param({"go.mod": "require example.org/x v0\n"}, {"go.mod": "module example.org/x\n"}, True, id="go"),
        pytest.param({"pom.xml": "<x>lib</x>"}, {"pom.xml": "<artifactId>lib</artifactId>"}, True, id="maven"),
        pytest.param({}, {"package.json": '{"name": "lib"}'}, False, id="nothing-declared"),
    ],
)  # fmt: skip
def test_a_project_names_what_it_depends_on(project: dict[str, str], other: dict[str, str], expected: bool) -> None:
    assert depends_on(project, other) is expected
