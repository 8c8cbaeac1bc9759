"""The whole gate with base's facts: product is product whatever it is called, and what tests stand on stays."""

import pytest

from reknit.core.gate.base_facts import BaseFacts, facts_of
from reknit.core.gate.judge import judge
from reknit.core.gate.mention_words import words_to_ask
from reknit.core.gate.scope import Scope
from reknit.core.gate.shipped import manifests_to_read
from reknit.core.gate.test_evidence import paths_of_tests
from reknit.core.repository.change import REGULAR, Change, FileChange

Files = dict[str, str]

PYTHON = {
    "pyproject.toml": '[project]\nname = "cards"\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
    "src/cards/__init__.py": "",
    "src/cards/card.py": "def passes(digits):\n    return 1\n",
    "tests/conftest.py": "import pytest\n",
    "tests/common.py": "def same(a, b):\n    assert a == b\n",
    "tests/basic/in.html": "<p>\n",
    "tests/test_card.py": "from cards.card import passes\n\n\ndef test_card():\n    assert passes([1])\n    assert 1\n",
}
NODE = {
    "package.json": '{"name": "cards", "files": ["lib"], "scripts": {"test": "node --test"}}\n',
    "lib/card.js": "module.exports = 1;\n",
    "test/card.test.js": "const test = require('node:test');\ntest('a', () => {\n  ok(1);\n});\n",
}
SINGLE = {
    "pyproject.toml": '[tool.poetry]\nname = "sh"\n',
    "sh.py": "import subprocess\n\n\ndef run(a):\n    return subprocess.run(a)\n",
    "helper.py": "import subprocess\n\n\ndef call(a):\n    return subprocess.run(a)\n",
    "tests/sh_test.py": "import sh\nimport helper\n\n\ndef test_run():\n    assert sh.run('a')\n",
}
JAVA = {
    "pom.xml": "<project/>",
    "src/main/java/cards/Card.java": "package cards;\nclass Card {}\n",
    "src/main/java/cards/test/Client.java": "package cards.test;\nclass Client { int a = 1; }\n",
    "src/test/java/cards/CardTest.java": "package cards;\nclass CardTest { @Test void a() { assertTrue(true); } }\n",
    "src/test/java/cards/Same.java": "package cards;\nclass Same { int a = 1; }\n",
}


def look(base: Files, edits: dict[str, str | None]) -> tuple[Change, Scope]:
    """As a run looks at a change, with every file of the tests' folder that holds a test seen."""
    change = Change(tuple(_file(path, base.get(path), after) for path, after in edits.items()))
    facts = facts_of(change.paths, (*base,), {path: base[path] for path in manifests_to_read(change.paths, (*base,))})
    words = words_to_ask(change, facts)
    mentions = {word: files for word in words if (files := tuple(path for path, text in base.items() if word in text))}
    seen = tuple(
        path for path, text in base.items() if "/test" in f"/{path}" and ("def test" in text or "test(" in text)
    )
    facts = BaseFacts(facts.near, facts.folders, mentions, facts.shipped, facts.tested)
    return change, Scope(seen, "", 20, 1000, "pytest", facts=facts)


def _file(path: str, before: str | None, after: str | None) -> FileChange:
    old, new = (None if text is None else text.encode() for text in (before, after))
    return FileChange(path, old, new, REGULAR if before is not None else 0, REGULAR if after is not None else 0)


def rules_that_refuse(base: Files, edits: dict[str, str | None]) -> set[str]:
    return {refusal.rule for refusal in judge(*look(base, edits)).refusals}


@pytest.mark.parametrize(
    ("base", "given", "path", "old", "new"),
    [
        pytest.param(SINGLE, {}, "sh.py", "run(a)\n", "run(a, check=False)\n", id="a library of one module"),
        pytest.param(
            PYTHON,
            {
                "src/cards/testing.py": "def valid(a):\n    assert not a.errors\n",
                "tests/test_testing.py": "from cards.testing import valid\n\n\ndef test_valid():\n    valid(1)\n",
            },
            "src/cards/testing.py", "a.errors", "a.errors()", id="a helper for the library's users",
        ),
        pytest.param(
            PYTHON,
            {
                "src/cards/run.py": "import subprocess\n\n\ndef run(a):\n    return subprocess.run(a)\n",
                "tests/test_other.py": "from cards.run import run\n",
            },
            "src/cards/run.py", "run(a)\n", "run(a, check=False)\n", id="a module that only tests import",
        ),
        pytest.param(PYTHON, {"src/cards/luhn_test.py": "def passes(a):\n    return a % 10\n"}, "src/cards/luhn_test.py", "10", "11", id="a product with a name of tests"),
        pytest.param(
            PYTHON,
            {"src/cards/test/__init__.py": "from .client import Client\n", "src/cards/test/client.py": "class Client:\n    a = 1\n", "src/cards/app.py": "from .test import Client\n"},
            "src/cards/test/client.py", "a = 1", "a = 2", id="a package called test",
        ),
        pytest.param(PYTHON, {"src/cards/e2e/crypto.py": "def encrypt(x):\n    return x\n"}, "src/cards/e2e/crypto.py", "return x", "return x[::-1]", id="a folder called e2e"),
        pytest.param(PYTHON, {"src/cards/testdata/__init__.py": "CARD = '4242'\n"}, "src/cards/testdata/__init__.py", "4242", "4000", id="a package called testdata"),
        pytest.param(
            {"shop/price.py": "import shop.e2e.crypto\n", "tests/test_a.py": "def test_a(): pass\n"}, {"shop/e2e/crypto.py": "def f(x):\n    return x\n"},
            "shop/e2e/crypto.py", "return x", "return -x", id="a folder that the product imports, and no manifest",
        ),
        pytest.param(NODE, {"lib/commands/test.js": "module.exports = () => 1;\n"}, "lib/commands/test.js", "1", "2", id="a command called test"),
        pytest.param(NODE, {"lib/spec.js": "module.exports = { a: 1 };\n"}, "lib/spec.js", "1", "2", id="a module called spec"),
        pytest.param(NODE, {"lib/test/client.js": "module.exports = 1;\n"}, "lib/test/client.js", "1", "2", id="a shipped folder called test"),
        pytest.param(
            NODE, {"lib/run.js": "require('child_process');\n", "test/run.test.js": "const run = require('../lib/run');\ntest('a', () => {});\n"},
            "lib/run.js", ";", "; // a", id="a shipped module that starts programs",
        ),
        pytest.param(PYTHON, {"src/cards/golden/ratio.json": "1.6\n", "src/cards/g.py": "open('golden/ratio.json')\n"}, "src/cards/golden/ratio.json", "1.6", "1.618", id="a folder called golden"),
        pytest.param(PYTHON, {"src/cards/snapshots/restore.py": "def f():\n    return 1\n"}, "src/cards/snapshots/restore.py", "1", "2", id="a folder called snapshots"),
        pytest.param(PYTHON, {"src/cards/fixtures/cards.json": "[4]\n", "src/cards/s.py": "open('fixtures/cards.json')\n"}, "src/cards/fixtures/cards.json", "4", "5", id="fixtures of the product"),
        pytest.param(
            PYTHON, {"src/cards/data/visa.json": "{}\n", "src/cards/b.py": "here.rglob('*.json')\n", "tests/test_b.py": "brands()['visa.json']\n"},
            "src/cards/data/visa.json", "{}", "[]", id="data by a pattern",
        ),
        pytest.param(
            PYTHON, {"src/cards/text/fi.txt": "a\n", "src/cards/b.py": 'open(f"{language}.txt")\n', "tests/test_b.py": "'fi.txt'\n"},
            "src/cards/text/fi.txt", "a", "b", id="data by a computed name",
        ),
        pytest.param(
            PYTHON, {"src/cards/sql/0001.sql": "a;\n", "src/cards/m.py": 'glob("*.sql")\n', "tests/test_m.py": "ALL[0] == '0001.sql'\n"},
            "src/cards/sql/0001.sql", "a", "b", id="data that a test names",
        ),
        pytest.param(PYTHON, {"src/cards/data/s.json": "{}\n", "src/cards/b.py": "name + '.json'\n", "tests/test_b.py": "'s.json'\n"}, "src/cards/data/s.json", "{}", "[]", id="data by a sum"),
        pytest.param(JAVA, {}, "src/main/java/cards/test/Client.java", "1", "2", id="a package of Java called test"),
        pytest.param(PYTHON, {}, "tests/test_card.py", "assert 1\n", "assert 1\n\n\ndef test_two():\n    assert passes([2])\n", id="a test is added"),
        pytest.param(NODE, {}, "test/card.test.js", "});\n", "});\ntest('b', () => {\n  ok(2);\n});\n", id="a test of JavaScript is added"),
    ],
)  # fmt: skip
def test_a_right_fix_passes(base: Files, given: Files, path: str, old: str, new: str) -> None:
    files = {**base, **given}
    assert old in files[path]
    change = {path: files[path].replace(old, new)}
    assert rules_that_refuse(files, change) == set()
    assert paths_of_tests(*look(files, change)) == ((path,) if path in PYTHON | NODE else ())  # the halves agree


HELPER = "import pytest\n\n\ndef same(a, b):\n    assert a == b\n"


@pytest.mark.parametrize(
    ("base", "given", "path", "after", "rule"),
    [
        pytest.param(PYTHON, {}, "tests/common.py", "def same(a, b):\n    assert True\n", "protected-test", id="a helper among tests"),
        pytest.param(PYTHON, {}, "tests/common.py", PYTHON["tests/common.py"] + "\n\ndef test_x():\n    assert 1\n", "protected-test", id="a helper that gains a test"),
        pytest.param(PYTHON, {}, "tests/common.py", PYTHON["tests/common.py"] + "\n\ndef same(a, b):\n    pass\n", "protected-test", id="a helper defined again"),
        pytest.param(PYTHON, {}, "tests/conftest.py", "import os\n", "protected-config", id="conftest.py"),
        pytest.param(PYTHON, {}, "tests/basic/in.html", "<b>\n", "protected-test", id="golden data"),
        pytest.param(PYTHON, {}, "tests/test_card.py", None, "protected-test", id="a test file is deleted"),
        pytest.param(PYTHON, {}, "tests/test_card.py", PYTHON["tests/test_card.py"].replace("([1])", "([1]) or True"), "protected-test", id="a tolerance"),
        pytest.param(PYTHON, {}, "tests/test_card.py", PYTHON["tests/test_card.py"].replace("    assert 1\n", ""), "protected-test", id="an assertion less"),
        pytest.param(PYTHON, {}, "tests/test_card.py", PYTHON["tests/test_card.py"].replace("card():\n", "card():\n    return\n"), "protected-test", id="an early return"),
        pytest.param(PYTHON, {}, "tests/test_card.py", PYTHON["tests/test_card.py"].replace("def test", "@skip\ndef test"), "protected-test", id="a skip"),
        pytest.param(PYTHON, {}, "tests/test_card.py", PYTHON["tests/test_card.py"] + "\npytestmark = skip\n", "protected-test", id="a mark"),
        pytest.param(PYTHON, {}, "tests/test_card.py", PYTHON["tests/test_card.py"] + "\n\ndef passes(x):\n    return 1\n", "protected-test", id="an import replaced"),
        pytest.param(PYTHON, {}, "pyproject.toml", PYTHON["pyproject.toml"] + 'addopts = "-k x"\n', "protected-config", id="options of the runner"),
        pytest.param(NODE, {}, "package.json", '{"scripts": {"test": "true"}}\n', "protected-config", id="the test script"),
        pytest.param(NODE, {}, "test/card.test.js", NODE["test/card.test.js"].replace("test('", "test.skip('"), "protected-test", id="a skip in JavaScript"),
        pytest.param(SINGLE, {}, "helper.py", "x = 1\n", "test-support", id="a helper at the top that no manifest ships"),
        pytest.param(PYTHON, {"src/cards/tests/test_a.py": "def test_a(): pass\n", "src/cards/tests/base.py": HELPER}, "src/cards/tests/base.py", "x = 1\n", "protected-test", id="a helper among tests of the package"),
        pytest.param(PYTHON, {"src/cards/test/login.py": "def test_a(): pass\n", "src/cards/test/base.py": "x = 1\n"}, "src/cards/test/base.py", "x = 2\n", "protected-test", id="beside a test that was seen"),
        pytest.param(PYTHON, {"src/cards/test/a.py": "def test_a():\n    pass\n"}, "src/cards/test/a.py", "x = 2\n", "protected-test", id="a test by what it holds"),
        pytest.param(PYTHON, {"src/cards/qa/test_a.py": "from .base import same\n\n\ndef test_a():\n    same(1, 1)\n", "src/cards/qa/base.py": HELPER}, "src/cards/qa/base.py", "x = 1\n", "test-support", id="a helper beside tests"),
        pytest.param(PYTHON, {"src/cards/asserts.py": HELPER, "tests/test_b.py": "from cards.asserts import same\n"}, "src/cards/asserts.py", "x = 1\n", "test-support", id="checks of the tests in the package"),
        pytest.param(PYTHON, {"src/cards/asserts.py": HELPER, "tests/test_asserts.py": "cards.asserts\n", "tests/test_b.py": "cards.asserts\n"}, "src/cards/asserts.py", "x = 1\n", "test-support", id="checks of other tests too"),
        pytest.param(PYTHON, {"src/cards/pytest_plugin.py": HELPER}, "src/cards/pytest_plugin.py", "x = 1\n", "test-support", id="checks that nobody names"),
        pytest.param(PYTHON, {"src/cards/data/want.json": "1\n", "tests/test_b.py": "'want.json'\n"}, "src/cards/data/want.json", "2\n", "test-support", id="data that only a test names"),
        pytest.param(PYTHON, {"data/want.json": "1\n", "tests/test_b.py": "'want.json'\n", "src/cards/b.py": "'*.json'\n"}, "data/want.json", "2\n", "test-support", id="data outside the package"),
        pytest.param(PYTHON, {"src/cards/data/want.json": "1\n", "tests/test_b.py": "'want.json' '*.json'\n"}, "src/cards/data/want.json", "2\n", "test-support", id="a pattern of a test"),
        pytest.param(PYTHON, {"src/cards/testdata/in.txt": "1\n", "src/cards/b.py": "'testdata/in.txt'\n"}, "src/cards/testdata/in.txt", "2\n", "protected-test", id="test data"),
        pytest.param(NODE, {"lib/__mocks__/fs.js": "exports.a = 1;\n"}, "lib/__mocks__/fs.js", "exports.a = 2;\n", "protected-test", id="a mock"),
        pytest.param(NODE, {"lib/test/__mocks__/fs.js": "exports.a = 1;\n"}, "lib/test/__mocks__/fs.js", "exports.a = 2;\n", "protected-test", id="a mock in a shipped folder"),
        pytest.param(NODE, {"test/setup.js": "exports.a = 1;\n"}, "test/setup.js", "exports.a = 2;\n", "protected-test", id="a set-up"),
        pytest.param({**NODE, "jest.config.js": "'e2e/setup'\n"}, {"e2e/setup.js": "exports.a = 1;\n"}, "e2e/setup.js", "exports.a = 2;\n", "protected-test", id="a folder that settings name"),
        pytest.param(JAVA, {}, "src/test/java/cards/Same.java", "package cards;\nclass Same { int a = 2; }\n", "protected-test", id="a helper of Java"),
    ],
)  # fmt: skip
def test_a_cheat_is_refused(base: Files, given: Files, path: str, after: str | None, rule: str) -> None:
    assert rule in rules_that_refuse({**base, **given}, {path: after})
