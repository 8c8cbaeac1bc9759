import pytest

from reknit.core.change import Change, FileChange
from reknit.core.gate.protected import is_test, protected_config, protected_tests
from reknit.core.gate.scope import Scope

SCOPE = Scope(("checks/check_login.py", "src/doc.py", "lib/odd.t"), "", 20, 1000, "pytest")
OLD, NEW = b"x = 1\n", b"x = 2\n"

TESTS = """
    tests/test_a.py test_a.py pkg/a_test.py app/tests.py TESTS/TEST_A.PY tests/helpers.py
    tests/data/x.json src/a.test.ts src/a.spec.jsx src/__tests__/a.js src/__mocks__/fs.js
    web/a.test.mjs cypress/login.js pkg/a_test.go pkg/testdata/in.txt tests/api.rs src/tests.rs
    src/parse_test.rs src/test/java/Helper.java app/UserTest.java app/UserTests.kt
    app/UserIT.java app/TestUser.java a/UserSpec.groovy spec/user_spec.rb
    src/__snapshots__/a.snap src/a.snap tests/snapshots/x.txt src/out.golden x.approved.txt
    checks/check_login.py
"""
LIKE_TESTS = """
    src/a.py src/latest.py src/Latest.java src/KeySpec.java src/contest.go src/testing/tools.py
    src/attest.rs src/protest.ts docs/spec/api.yaml src/snapshots/take.py src/submit.java
    src/golden/ratio.py lib/odd.t
"""
CONFIGURATION = """
    conftest.py src/pkg/conftest.py pytest.ini .pytest.toml tox.ini setup.cfg setup.py
    pyproject.toml noxfile.py sitecustomize.py src/usercustomize.py x.pth .coveragerc mypy.ini
    .flake8 ruff.toml .pylintrc requirements-dev.txt uv.lock poetry.lock Pipfile.lock
    evil.egg-info/entry_points.txt a.dist-info/METADATA package.json web/package.json
    package-lock.json pnpm-lock.yaml yarn.lock bun.lockb jest.config.ts vitest.config.mts
    vite.config.js vitest.workspace.ts tsconfig.json tsconfig.build.json .eslintrc
    .eslintrc.json eslint.config.js .eslintignore .mocharc.yml .nycrc .babelrc babel.config.js
    .npmrc src/setupTests.ts go.mod go.sum go.work .golangci.yml Cargo.toml Cargo.lock build.rs
    .cargo/config.toml clippy.toml pom.xml build.gradle build.gradle.kts settings.gradle gradlew
    .mvn/jvm.config Gemfile.lock Gemfile phpunit.xml.dist App.csproj CMakeLists.txt Makefile
    makefile rules.mk justfile Dockerfile Jenkinsfile .github/workflows/ci.yml
    .GitHub/workflows/ci.yml .gitlab-ci.yml .circleci/config.yml .travis.yml codecov.yml
    .gitattributes .gitmodules .gitignore sub/.git sub/.git/config .pre-commit-config.yaml
    .husky/pre-commit .claude/settings.json .mcp.json .cursor/rules .vscode/tasks.json
    .idea/x.xml .envrc .env .env.local CODEOWNERS docs/CODEOWNERS AGENTS.md claude.md
    sub/GEMINI.md CLAUDE.local.md reknit.toml .reknit/x
"""
LIKE_CONFIGURATION = """
    src/config.py src/package.py src/makefile.py src/lock.py src/env.py README.md
    docs/agents-guide.md src/setup_tools.py src/claude.py src/path.py src/build.py
    src/tsconfig.ts go/mod.go github/api.py
"""


@pytest.mark.parametrize(
    "path",
    TESTS.split(),
)
@pytest.mark.parametrize(("after", "verb"), [(NEW, "changed"), (None, "deleted")])
def test_existing_tests_are_not_the_agents_to_change(path: str, after: bytes | None, verb: str) -> None:
    [refusal] = protected_tests(Change((FileChange(path, OLD, after),)), SCOPE)
    assert (refusal.rule, refusal.path) == ("protected-test", path)
    assert f"the fix {verb} " in refusal.sentence
    assert path in refusal.sentence


@pytest.mark.parametrize(
    "path",
    LIKE_TESTS.split(),
)
def test_source_that_sounds_like_a_test_may_change(path: str) -> None:
    assert list(protected_tests(Change((FileChange(path, OLD, NEW),)), SCOPE)) == []


@pytest.mark.parametrize(
    "path", ["tests/test_new.py", "src/new_test.go", "src/a.test.ts", "app/NewTest.java", "test_new.py"]
)
def test_a_new_test_file_is_welcome(path: str) -> None:
    assert list(protected_tests(Change((FileChange(path, None, NEW),)), SCOPE)) == []


@pytest.mark.parametrize(
    "path",
    [
        "tests/__init__.py",
        "tests/helper.py",
        "src/__mocks__/fs.js",
        "pkg/testdata/a_test.go",
        "tests/__snapshots__/a.snap",
    ],
)
def test_nothing_else_is_added_among_the_tests(path: str) -> None:
    [refusal] = protected_tests(Change((FileChange(path, None, NEW),)), SCOPE)
    assert f"the fix added {path}" in refusal.sentence


def test_a_failing_doctest_is_repaired_in_its_own_file() -> None:
    before = b'def f():\n    """\n    >>> f()\n    1\n    """\n'
    assert list(protected_tests(Change((FileChange("src/doc.py", before, before + b"    return 1\n"),)), SCOPE)) == []


@pytest.mark.parametrize(
    "path",
    CONFIGURATION.split(),
)
def test_configuration_stays(path: str) -> None:
    [refusal] = protected_config(Change((FileChange(path, OLD, NEW),)), SCOPE)
    assert (refusal.rule, refusal.path) == ("protected-config", path)
    assert f"the fix changed {path}" in refusal.sentence


@pytest.mark.parametrize(
    "path",
    LIKE_CONFIGURATION.split(),
)
def test_source_that_sounds_like_configuration_may_change(path: str) -> None:
    assert list(protected_config(Change((FileChange(path, OLD, NEW),)), SCOPE)) == []


def test_a_test_is_known_by_its_path() -> None:
    paths = ["tests/helper.py", "src/a_test.go", "src/a.snap", "src/a.py"]
    assert [path for path in paths if is_test(path)] == paths[:3]
