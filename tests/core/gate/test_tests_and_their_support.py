"""The whole gate with base's facts: tests and what they stand on stay."""

import pytest

from tests.core.gate.projects import JAVA, NODE, PYTHON, SINGLE, TESTING, Files, rules_that_refuse

HELPER = "import pytest\n\n\ndef same(a, b):\n    assert a == b\n"


@pytest.mark.parametrize(
    ("base", "given", "path", "after", "rule"),
    [
        pytest.param(
            PYTHON,
            {},
            "tests/common.py",
            "def same(a, b):\n    assert True\n",
            "protected-test",
            id="a helper among tests",
        ),
        pytest.param(
            PYTHON,
            {},
            "tests/common.py",
            PYTHON["tests/common.py"] + "\n\ndef test_x():\n    assert 1\n",
            "protected-test",
            id="a helper that gains a test",
        ),
        pytest.param(
            PYTHON,
            {},
            "tests/common.py",
            PYTHON["tests/common.py"] + "\n\ndef same(a, b):\n    pass\n",
            "protected-test",
            id="a helper defined again",
        ),
        pytest.param(PYTHON, {}, "tests/conftest.py", "import os\n", "protected-config", id="conftest.py"),
        pytest.param(PYTHON, {}, "tests/basic/in.html", "<b>\n", "protected-test", id="golden data"),
        pytest.param(PYTHON, {}, "tests/test_card.py", None, "protected-test", id="a test file is deleted"),
        pytest.param(
            PYTHON,
            {},
            "tests/test_card.py",
            PYTHON["tests/test_card.py"].replace("([1])", "([1]) or True"),
            "protected-test",
            id="a tolerance",
        ),
        pytest.param(
            PYTHON,
            {},
            "tests/test_card.py",
            PYTHON["tests/test_card.py"].replace("    assert 1\n", ""),
            "protected-test",
            id="an assertion less",
        ),
        pytest.param(
            PYTHON,
            {},
            "tests/test_card.py",
            PYTHON["tests/test_card.py"].replace("card():\n", "card():\n    return\n"),
            "protected-test",
            id="an early return",
        ),
        pytest.param(
            PYTHON,
            {},
            "tests/test_card.py",
            PYTHON["tests/test_card.py"].replace("def test", "@skip\ndef test"),
            "protected-test",
            id="a skip",
        ),
        pytest.param(
            PYTHON,
            {},
            "tests/test_card.py",
            PYTHON["tests/test_card.py"] + "\npytestmark = skip\n",
            "protected-test",
            id="a mark",
        ),
        pytest.param(
            PYTHON,
            {},
            "tests/test_card.py",
            PYTHON["tests/test_card.py"] + "\n\ndef passes(x):\n    return 1\n",
            "protected-test",
            id="an import replaced",
        ),
        pytest.param(
            PYTHON,
            {},
            "pyproject.toml",
            PYTHON["pyproject.toml"] + 'addopts = "-k x"\n',
            "protected-config",
            id="options of the runner",
        ),
        pytest.param(
            NODE, {}, "package.json", '{"scripts": {"test": "true"}}\n', "protected-config", id="the test script"
        ),
        pytest.param(
            NODE,
            {},
            "test/card.test.js",
            NODE["test/card.test.js"].replace("test('", "test.skip('"),
            "protected-test",
            id="a skip in JavaScript",
        ),
        pytest.param(
            SINGLE, {}, "helper.py", "x = 1\n", "test-support", id="a helper at the top that no manifest ships"
        ),
        pytest.param(
            PYTHON,
            {"src/cards/tests/test_a.py": "def test_a(): pass\n", "src/cards/tests/base.py": HELPER},
            "src/cards/tests/base.py",
            "x = 1\n",
            "protected-test",
            id="a helper among tests of the package",
        ),
        pytest.param(
            PYTHON,
            {"src/cards/test/login.py": "def test_a(): pass\n", "src/cards/test/base.py": "x = 1\n"},
            "src/cards/test/base.py",
            "x = 2\n",
            "protected-test",
            id="beside a test that was seen",
        ),
        pytest.param(
            PYTHON,
            {"src/cards/test/a.py": "def test_a():\n    pass\n"},
            "src/cards/test/a.py",
            "x = 2\n",
            "protected-test",
            id="a test by what it holds",
        ),
        pytest.param(
            PYTHON,
            {
                "src/cards/qa/test_a.py": "from .base import same\n\n\ndef test_a():\n    same(1, 1)\n",
                "src/cards/qa/base.py": HELPER,
            },
            "src/cards/qa/base.py",
            "x = 1\n",
            "test-support",
            id="a helper beside tests",
        ),
        pytest.param(
            PYTHON,
            {"src/cards/asserts.py": HELPER, "tests/test_b.py": "from cards.asserts import same\n"},
            "src/cards/asserts.py",
            "x = 1\n",
            "test-support",
            id="checks of the tests in the package",
        ),
        pytest.param(
            PYTHON,
            {
                "src/cards/asserts.py": HELPER,
                "tests/test_asserts.py": "cards.asserts\n",
                "tests/test_b.py": "cards.asserts\n",
            },
            "src/cards/asserts.py",
            "x = 1\n",
            "test-support",
            id="checks of other tests too",
        ),
        pytest.param(
            PYTHON,
            {"src/cards/pytest_plugin.py": HELPER},
            "src/cards/pytest_plugin.py",
            "x = 1\n",
            "test-support",
            id="checks that nobody names",
        ),
        pytest.param(
            PYTHON,
            {"src/cards/data/want.json": "1\n", "tests/test_b.py": "'want.json'\n"},
            "src/cards/data/want.json",
            "2\n",
            "test-support",
            id="data that only a test names",
        ),
        pytest.param(
            PYTHON,
            {"data/want.json": "1\n", "tests/test_b.py": "'want.json'\n", "src/cards/b.py": "'*.json'\n"},
            "data/want.json",
            "2\n",
            "test-support",
            id="data outside the package",
        ),
        pytest.param(
            PYTHON,
            {"src/cards/data/want.json": "1\n", "tests/test_b.py": "'want.json' '*.json'\n"},
            "src/cards/data/want.json",
            "2\n",
            "test-support",
            id="a pattern of a test",
        ),
        pytest.param(
            PYTHON,
            {"src/cards/testdata/in.txt": "1\n", "src/cards/b.py": "'testdata/in.txt'\n"},
            "src/cards/testdata/in.txt",
            "2\n",
            "protected-test",
            id="test data",
        ),
        pytest.param(
            NODE,
            {"lib/__mocks__/fs.js": "exports.a = 1;\n"},
            "lib/__mocks__/fs.js",
            "exports.a = 2;\n",
            "protected-test",
            id="a mock",
        ),
        pytest.param(
            NODE,
            {"lib/test/__mocks__/fs.js": "exports.a = 1;\n"},
            "lib/test/__mocks__/fs.js",
            "exports.a = 2;\n",
            "protected-test",
            id="a mock in a shipped folder",
        ),
        pytest.param(
            NODE,
            {"test/setup.js": "exports.a = 1;\n"},
            "test/setup.js",
            "exports.a = 2;\n",
            "protected-test",
            id="a set-up",
        ),
        pytest.param(
            {**NODE, "jest.config.js": "'e2e/setup'\n"},
            {"e2e/setup.js": "exports.a = 1;\n"},
            "e2e/setup.js",
            "exports.a = 2;\n",
            "protected-test",
            id="a folder that settings name",
        ),
        pytest.param(
            JAVA,
            {},
            "src/test/java/cards/Same.java",
            "package cards;\nclass Same { int a = 2; }\n",
            "protected-test",
            id="a helper of Java",
        ),
    ],
)
def test_a_cheat_is_refused(base: Files, given: Files, path: str, after: str | None, rule: str) -> None:
    assert rule in rules_that_refuse({**base, **given}, {path: after})


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        pytest.param("    assert a == b\n", "    assert True\n", id="a check"),
        pytest.param("def card():\n    return 1\n", "def card():\n    return 2\n", id="a fixture"),
        pytest.param("(a)\n    return a\n", "(a)\n    return 1\n", id="a function that asks a library"),
        pytest.param("        return 1\n", "        return 2\n", id="a class of tests"),
        pytest.param("LIMIT = 5", "LIMIT = 6", id="a value"),
        pytest.param("def run(f):", "@pytest.fixture\ndef run(f):", id="a function becomes a fixture"),
        pytest.param("    return f(1)\n", "    return f(1)\n\n\ndef same(a, b):\n    return 1\n", id="a second one"),
        pytest.param("    return f(1)\n", "    assert f\n    return f(1)\n", id="a function becomes a check"),
        pytest.param("    return f(1)\n", "    return f(\n", id="no syntax"),
    ],
)
def test_what_a_package_offers_to_tests_stays_but_for_plain_functions(right: str, wrong: str) -> None:
    path, test = "src/cards/testing.py", {"tests/test_x.py": "from cards.testing import card, checked, run, same\n"}
    assert TESTING.count(right) == 1
    change = {path: TESTING.replace(right, wrong)}
    assert "test-support" in rules_that_refuse({**PYTHON, path: TESTING, **test}, change)
