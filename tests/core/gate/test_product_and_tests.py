"""The whole gate with base's facts: product is product, whatever it is called."""

import pytest

from reknit.core.gate.test_evidence import select_test_paths
from tests.core.gate.projects import JAVA, NODE, PYTHON, SINGLE, TESTING, Files, look, rules_that_refuse


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
            "src/cards/testing.py",
            "a.errors",
            "a.errors()",
            id="a helper for the library's users",
        ),
        pytest.param(
            PYTHON,
            {
                "src/cards/run.py": "import subprocess\n\n\ndef run(a):\n    return subprocess.run(a)\n",
                "tests/test_other.py": "from cards.run import run\n",
            },
            "src/cards/run.py",
            "run(a)\n",
            "run(a, check=False)\n",
            id="a module that only tests import",
        ),
        pytest.param(
            PYTHON,
            {"src/cards/luhn_test.py": "def passes(a):\n    return a % 10\n"},
            "src/cards/luhn_test.py",
            "10",
            "11",
            id="a product with a name of tests",
        ),
        pytest.param(
            PYTHON,
            {
                "src/cards/test/__init__.py": "from .client import Client\n",
                "src/cards/test/client.py": "class Client:\n    a = 1\n",
                "src/cards/app.py": "from .test import Client\n",
            },
            "src/cards/test/client.py",
            "a = 1",
            "a = 2",
            id="a package called test",
        ),
        pytest.param(
            PYTHON,
            {"src/cards/e2e/crypto.py": "def encrypt(x):\n    return x\n"},
            "src/cards/e2e/crypto.py",
            "return x",
            "return x[::-1]",
            id="a folder called e2e",
        ),
        pytest.param(
            PYTHON,
            {"src/cards/testdata/__init__.py": "CARD = '4242'\n"},
            "src/cards/testdata/__init__.py",
            "4242",
            "4000",
            id="a package called testdata",
        ),
        pytest.param(
            NODE,
            {"lib/commands/test.js": "module.exports = () => 1;\n"},
            "lib/commands/test.js",
            "1",
            "2",
            id="a command called test",
        ),
        pytest.param(
            NODE, {"lib/spec.js": "module.exports = { a: 1 };\n"}, "lib/spec.js", "1", "2", id="a module called spec"
        ),
        pytest.param(
            NODE,
            {"lib/test/client.js": "module.exports = 1;\n"},
            "lib/test/client.js",
            "1",
            "2",
            id="a shipped folder called test",
        ),
        pytest.param(
            NODE,
            {
                "lib/run.js": "require('child_process');\n",
                "test/run.test.js": "const run = require('../lib/run');\ntest('a', () => {});\n",
            },
            "lib/run.js",
            ";",
            "; // a",
            id="a shipped module that starts programs",
        ),
        pytest.param(
            PYTHON,
            {"src/cards/testing.py": TESTING, "tests/test_testing.py": "from cards.testing import Case, run, same\n"},
            "src/cards/testing.py",
            "f(1)",
            "f(2)",
            id="a function beside checks that the package offers to tests",
        ),
        pytest.param(
            PYTHON,
            {"src/cards/golden/ratio.json": "1.6\n", "src/cards/g.py": "open('golden/ratio.json')\n"},
            "src/cards/golden/ratio.json",
            "1.6",
            "1.618",
            id="a folder called golden",
        ),
        pytest.param(
            PYTHON,
            {"src/cards/snapshots/restore.py": "def f():\n    return 1\n"},
            "src/cards/snapshots/restore.py",
            "1",
            "2",
            id="a folder called snapshots",
        ),
        pytest.param(
            PYTHON,
            {"src/cards/fixtures/cards.json": "[4]\n", "src/cards/s.py": "open('fixtures/cards.json')\n"},
            "src/cards/fixtures/cards.json",
            "4",
            "5",
            id="fixtures of the product",
        ),
        pytest.param(
            PYTHON,
            {
                "src/cards/data/visa.json": "{}\n",
                "src/cards/b.py": "here.rglob('*.json')\n",
                "tests/test_b.py": "brands()['visa.json']\n",
            },
            "src/cards/data/visa.json",
            "{}",
            "[]",
            id="data by a pattern",
        ),
        pytest.param(
            PYTHON,
            {
                "src/cards/text/fi.txt": "a\n",
                "src/cards/b.py": 'open(f"{language}.txt")\n',
                "tests/test_b.py": "'fi.txt'\n",
            },
            "src/cards/text/fi.txt",
            "a",
            "b",
            id="data by a computed name",
        ),
        pytest.param(
            PYTHON,
            {
                "src/cards/sql/0001.sql": "a;\n",
                "src/cards/m.py": 'glob("*.sql")\n',
                "tests/test_m.py": "ALL[0] == '0001.sql'\n",
            },
            "src/cards/sql/0001.sql",
            "a",
            "b",
            id="data that a test names",
        ),
        pytest.param(
            PYTHON,
            {"src/cards/data/s.json": "{}\n", "src/cards/b.py": "name + '.json'\n", "tests/test_b.py": "'s.json'\n"},
            "src/cards/data/s.json",
            "{}",
            "[]",
            id="data by a sum",
        ),
        pytest.param(JAVA, {}, "src/main/java/cards/test/Client.java", "1", "2", id="a package of Java called test"),
        pytest.param(
            PYTHON,
            {},
            "tests/test_card.py",
            "assert 1\n",
            "assert 1\n\n\ndef test_two():\n    assert passes([2])\n",
            id="a test is added",
        ),
        pytest.param(
            NODE,
            {},
            "test/card.test.js",
            "});\n",
            "});\ntest('b', () => {\n  ok(2);\n});\n",
            id="a test of JavaScript is added",
        ),
    ],
)
def test_a_right_fix_passes(base: Files, given: Files, path: str, old: str, new: str) -> None:
    files = {**base, **given}
    assert old in files[path]
    change = {path: files[path].replace(old, new)}
    assert rules_that_refuse(files, change) == set()
    assert select_test_paths(*look(files, change)) == ((path,) if path in PYTHON | NODE else ())  # the halves agree
