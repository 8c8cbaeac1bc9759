"""Projects as base has them, and the facts that a run collects about a change to one of them."""

from collections.abc import Mapping

from reknit.core.gate.judge import judge
from reknit.core.gate.mention_words import collect_words
from reknit.core.gate.scope import BaseFacts, Scope, gather_facts
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
TESTING = """import unittest

import pytest

LIMIT = 5


def run(f):
    return f(1)


def same(a, b):
    assert a == b


@pytest.fixture
def card():
    return 1


def checked(a):
    unittest.TestCase().assertTrue(a)
    return a


class Case(unittest.TestCase):
    def value(self):
        return 1
"""
"""Offered to the tests of a package's users: one plain function beside checks and fixtures."""
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


def look(base: Files, edits: Mapping[str, str | None]) -> tuple[Change, Scope]:
    """As a run looks at a change, with every file of the tests' folder that holds a test seen."""
    change = Change(tuple(_file(path, base.get(path), after) for path, after in edits.items()))
    facts = gather_facts(change.paths, (*base,), base.__getitem__)
    words = collect_words(change, facts)
    mentions = {word: files for word in words if (files := tuple(path for path, text in base.items() if word in text))}
    seen = tuple(
        path for path, text in base.items() if "/test" in f"/{path}" and ("def test" in text or "test(" in text)
    )
    facts = BaseFacts(facts.near, facts.folders, mentions, facts.shipped, facts.tested)
    return change, Scope(seen, "", 20, 1000, "pytest", facts=facts)


def _file(path: str, before: str | None, after: str | None) -> FileChange:
    old, new = (None if text is None else text.encode() for text in (before, after))
    return FileChange(path, old, new, REGULAR if before is not None else 0, REGULAR if after is not None else 0)


def rules_that_refuse(base: Files, edits: Mapping[str, str | None]) -> set[str]:
    return {refusal.rule for refusal in judge(*look(base, edits)).refusals}
