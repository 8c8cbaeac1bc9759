from dataclasses import replace

import pytest

from reknit.core.gate.rules.protected_files import find_protected_config, find_protected_tests
from reknit.core.gate.scope import BaseFacts, Scope
from reknit.core.repository.change import Change, FileChange

SCOPE = Scope(("checks/check_login.py", "lib/odd.x", "root.py"), "", 20, 1000, "pytest")
OLD, NEW = b"x = 1\n", b"x = 2\n"

TESTS = """
    tests/test_a.py test_a.py pkg/a_test.py app/tests.py TESTS/TEST_A.PY tests/helpers.py
    tests/data/x.json src/a.test.ts src/a.spec.jsx src/__tests__/a.js src/__mocks__/fs.js
    web/a.test.mjs cypress/login.js pkg/a_test.go pkg/testdata/in.txt tests/api.rs src/tests.rs
    src/parse_test.rs src/test/java/Helper.java app/UserTest.java app/UserTests.kt
    app/UserIT.java app/TestUser.java a/UserSpec.groovy spec/user_spec.rb
    src/__snapshots__/a.snap src/a.snap tests/snapshots/x.txt src/out.golden x.approved.txt
    checks/check_login.py
    test.js test.mjs test-foo.js foo-test.js src/foo_test.ts foo-spec.js lib/test_a.rb test_foo.c
    foo_test.cc src/foo_unittest.cc foo_tests.cpp t/basic.t t/lib/Helper.pm a.bats login.feature
    FooTests.fs Foo.Tests/Helper.cs src/androidTest/java/Helper.kt src/testFixtures/java/H.java
    unit_tests/helpers.py integration-tests/run.py my_tests/x.txt integration_test/app.dart
    spec/support/x.rb specs/a.js backend/spec/support/x.rb testing/helpers.py features/steps/a.py
    features/environment.py api/features/step_definitions/a.js fixtures/expected.json
    fixtures/input.js src/pkg/fixtures/a.yaml data/expected/out.txt baselines/a.png
"""
LIKE_TESTS = """
    src/a.py src/latest.py src/Latest.java src/KeySpec.java src/contest.go src/testing/tools.py
    src/attest.rs src/protest.ts docs/spec/api.yaml src/snapshots/take.py src/submit.java
    src/golden/ratio.py src/testing_utils.py src/specs/openapi.py pkg/specs/parse.py
    src/features/support/chat.tsx features/cart/total.ts src/fixtures/models.py src/fastest.js
    src/protest/a.py src/contests/a.py src/t/words.py src/expected/value.go src/latest.c
    numpy/testing/tools.py
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
    setupJest.js test-setup.ts testSetup.js jest-setup.ts vitest.init.ts .taprc Package.swift
    BUILD uv.toml poetry.toml config/environments/test.rb test.sh run-tests.sh run_tests.py
    runtests.py tools/test_runner rails_helper.rb appsettings.Test.json cucumber.yml
    src/sitecustomize/__init__.py usercustomize/x.py
"""
LIKE_CONFIGURATION = """
    src/config.py src/package.py src/makefile.py src/lock.py src/env.py README.md
    docs/agents-guide.md src/setup_tools.py src/claude.py src/path.py src/build.py
    src/tsconfig.ts go/mod.go github/api.py src/build/a.py src/run_test.go tests/test_runner.py
    tests/test_setup.py tests/test_init.py src/config/environments/live.rb src/contest.sh
"""


@pytest.mark.parametrize(
    "path",
    TESTS.split(),
)
@pytest.mark.parametrize(("after", "verb"), [(NEW, "changed"), (None, "deleted")])
def test_existing_tests_are_not_the_agents_to_change(path: str, after: bytes | None, verb: str) -> None:
    [refusal] = find_protected_tests(Change((FileChange(path, OLD, after),)), SCOPE)
    assert (refusal.rule, refusal.path) == ("protected-test", path)
    assert f"the fix {verb} " in refusal.sentence
    assert path in refusal.sentence


@pytest.mark.parametrize(
    "path",
    LIKE_TESTS.split(),
)
def test_source_that_sounds_like_a_test_may_change(path: str) -> None:
    assert list(find_protected_tests(Change((FileChange(path, OLD, NEW),)), SCOPE)) == []


@pytest.mark.parametrize(
    "path",
    ["tests/test_new.py", "src/new_test.go", "test/new-test.js", "src/a.test.ts", "app/NewTest.java", "test_new.py"],
)
def test_a_new_test_file_is_welcome(path: str) -> None:
    assert list(find_protected_tests(Change((FileChange(path, None, NEW),)), SCOPE)) == []


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
    [refusal] = find_protected_tests(Change((FileChange(path, None, NEW),)), SCOPE)
    assert f"the fix added {path}" in refusal.sentence


@pytest.mark.parametrize("path", ["lib/odd.x", "root.py"])
def test_a_file_in_which_the_report_saw_a_test_stays_in_any_language(path: str) -> None:
    [refusal] = find_protected_tests(Change((FileChange(path, OLD, NEW),)), SCOPE)
    assert refusal.sentence == f"the fix changed the test file {path}; change the source instead"


def test_what_the_test_command_starts_stays() -> None:
    scope = replace(SCOPE, started_files=("ci/all.pl",))
    [refusal] = find_protected_tests(
        Change((FileChange("ci/all.pl", OLD, NEW), FileChange("ci/b.pl", OLD, NEW))), scope
    )
    assert refusal.sentence == "the fix changed ci/all.pl, which the test command starts; change the source instead"


@pytest.mark.parametrize(
    ("path", "before", "is_refused"),
    [
        pytest.param("checks/helper.py", OLD, True, id="a-helper-in-a-folder-of-tests"),
        pytest.param("checks/deep/expect.txt", OLD, True, id="below-it"),
        pytest.param("checks/helper/__init__.py", None, True, id="a-package-that-hides-a-helper"),
        pytest.param("checks/test_new.py", None, False, id="a-further-test"),
        pytest.param("other/checks/helper.py", OLD, False, id="another-folder-of-that-name"),
        pytest.param("helper.py", OLD, False, id="beside-tests-at-the-top"),
        pytest.param("core/db.py", OLD, False, id="in-a-folder-that-is-not-called-so"),
        pytest.param("pkg/spec/parse.go", OLD, False, id="go-source-beside-its-tests"),
        pytest.param("web/checks/form.ts", OLD, False, id="typescript-source-beside-its-tests"),
    ],
)
def test_what_stands_beside_tests_helps_them(path: str, before: bytes | None, is_refused: bool) -> None:
    found = ("root.py", "core/db_cases.py", "pkg/spec/parse_test.go", "web/checks/form.test.ts")
    scope = replace(SCOPE, findings_files=(*SCOPE.findings_files, *found))
    assert bool(list(find_protected_tests(Change((FileChange(path, before, NEW),)), scope))) == is_refused


@pytest.mark.parametrize(
    "path",
    CONFIGURATION.split(),
)
def test_configuration_stays(path: str) -> None:
    [refusal] = find_protected_config(Change((FileChange(path, OLD, NEW),)), SCOPE)
    assert (refusal.rule, refusal.path) == ("protected-config", path)
    assert f"the fix changed {path}" in refusal.sentence


@pytest.mark.parametrize(
    "path",
    LIKE_CONFIGURATION.split(),
)
def test_source_that_sounds_like_configuration_may_change(path: str) -> None:
    assert list(find_protected_config(Change((FileChange(path, OLD, NEW),)), SCOPE)) == []


SHOP = b'{"name": "shop", "main": "lib/indx.js", "scripts": {"test": "node --test"}}'


@pytest.mark.parametrize(
    ("before", "after", "is_refused"),
    [
        pytest.param(SHOP, SHOP.replace(b"indx", b"index"), False, id="where the package begins"),
        pytest.param(SHOP, SHOP.replace(b'"scripts"', b'"exports": {".": "./lib/a.js"}, "scripts"'), True, id="more"),
        pytest.param(SHOP, SHOP.replace(b"node --test", b"true"), True, id="how it is tested"),
        pytest.param(SHOP, SHOP.replace(b"indx", b"index").replace(b"node --test", b"true"), True, id="both"),
        pytest.param(
            SHOP, SHOP.replace(b"indx", b"index").replace(b'"scripts"', b'"scripts": {}, "scripts"'), True, id="twice"
        ),
        pytest.param(SHOP, b'{"main": "lib/index.js"', True, id="no longer JSON"),
        pytest.param(b"{", b'{"main": "lib/index.js"}', True, id="was not JSON"),
        pytest.param(SHOP, SHOP + b"\n", True, id="nothing that counts"),
        pytest.param(None, SHOP, True, id="a new one"),
        pytest.param(SHOP, None, True, id="deleted"),
    ],
)
def test_of_package_json_only_the_entry_points_may_change(
    before: bytes | None, after: bytes | None, is_refused: bool
) -> None:
    change = Change((FileChange("web/package.json", before, after),))
    assert bool(list(find_protected_config(change, SCOPE))) == is_refused


@pytest.mark.parametrize(
    ("key", "is_refused"), [("main", False), ("module", False), ("types", False), ("typings", False), ("bin", True)]
)
def test_the_entry_points_of_a_package(key: str, is_refused: bool) -> None:
    before = SHOP.replace(b'"main"', f'"{key}"'.encode())
    change = Change((FileChange("package.json", before, before.replace(b"indx", b"index")),))
    assert bool(list(find_protected_config(change, SCOPE))) == is_refused


@pytest.mark.parametrize(
    ("path", "before", "is_refused"),
    [
        pytest.param("shop/ab_test.py", b"def bucket(user):\n    return user % 3\n", False, id="a-product-named-test"),
        pytest.param("shop/tests.py", b"import unittest\n", True, id="tests-beside-source"),
        pytest.param("shop/fixtures/euro.json", b"[]\n", False, id="data-of-the-product"),
        pytest.param("spec/openapi.json", b"{}\n", False, id="a-specification"),
        pytest.param("spec/user_spec.rb", b"x\n", True, id="a-language-that-is-not-read"),
        pytest.param("tests/helpers.py", b"x = 1\n", True, id="a-folder-of-tests"),
        pytest.param("tests/fixtures/a.json", b"[]\n", True, id="data-among-tests"),
        pytest.param("src/__snapshots__/a.snap", b"x\n", True, id="a-snapshot"),
        pytest.param("root.py", b"x = 1\n", True, id="a-test-was-seen-in-it"),
        pytest.param("checks/data.txt", b"x\n", True, id="beside-tests-that-were-seen"),
    ],
)
def test_a_name_alone_protects_nothing_that_base_shows_to_be_product(
    path: str, before: bytes, is_refused: bool
) -> None:
    change = Change((FileChange(path, before, b"other\n"),))
    known = replace(SCOPE, facts=BaseFacts())
    assert bool(list(find_protected_tests(change, known))) is is_refused


def test_a_new_test_brings_what_it_needs() -> None:
    known = replace(SCOPE, facts=BaseFacts(folders=frozenset({"tests"})))
    test = FileChange("tests/test_new.py", None, b"def test_new(): pass\n")
    for path in ("tests/data/new.json", "src/__snapshots__/test_new.snap"):
        file = FileChange(path, None, b"{}\n")
        assert list(find_protected_tests(Change((file, test)), known)) == []
        assert len(list(find_protected_tests(Change((file,)), known))) == 1
