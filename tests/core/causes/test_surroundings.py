"""Variables, browsers, displays, space, memory and time."""

import pytest

from reknit.core.causes.reading import read_message
from reknit.core.causes.surroundings import (
    explain_exhausted_resource,
    explain_missing_browser,
    explain_missing_variable,
)
from reknit.core.causes.tree_facts import TreeFacts

FACTS = TreeFacts(
    texts={
        "conftest.py": "monkeypatch.setenv('SHOP_TOKEN', 'x')\n",
        ".env.example": "STRIPE_KEY=\n",
        ".env": "SHOP_URL=x\n",
        "a.js": "process.env.SHOP_MODE = 'x'\nif (process.env.SHOP_OTHER == 1) {}\n",
        "a.py": "SHOP_CONSTANT = 1\n",
        "b.py": "monkeypatch.delenv('RATE_URL', raising=False)\nos.environ.pop('RATE_KEY', None)\n",
        "b.js": "delete process.env.RATE_MODE;\n",
        "black.py": 'with mock.patch.dict(\n    os.environ,\n    {"A": "1"},\n    clear=True,\n):\n    ...\n',
        "cleared.py": "@mock.patch.dict(os.environ, {}, clear=True)\ndef test_it(): ...\n",
    }
)


@pytest.mark.parametrize(
    ("message", "verdict"),
    [
        ("KeyError: 'SHOP_SECRET'\n<frozen os>:685: KeyError", "environment"),
        ("KeyError: 'SHOP_CONSTANT'\n<frozen os>:685: KeyError", "environment"),
        ("KeyError: 'STRIPE_KEY'\n<frozen os>:685: KeyError", "environment"),
        ("KeyError: 'STRIPE_KY'\n<frozen os>:685: KeyError", "code"),
        ("KeyError: 'SHOP_URL'\n<frozen os>:685: KeyError", "code"),
        ("KeyError: 'SHOP_MODE'\n<frozen os>:685: KeyError", "code"),
        ("KeyError: 'SHOP_SECRET'\nt.py:3: KeyError", "code"),
        ("KeyError: 'RATE_URL'\n<frozen os>:685: KeyError", "code"),
        ("KeyError: 'RATE_KEY'\n<frozen os>:685: KeyError", "code"),
        ("Error: RATE_MODE must be set", "code"),
        ("Error: Missing environment variable: PAYMENT_ID", "environment"),
        ("Error: PAYMENT_ID must be set", "environment"),
        ("Error: payment must be set", None),
    ],
)
def test_variables(message: str, verdict: str | None) -> None:
    found = explain_missing_variable(read_message(message), FACTS)
    assert (found and found.verdict) == verdict


@pytest.mark.parametrize("file", ["cleared.py", "black.py"])
def test_a_test_that_clears_the_environment_asks_the_code_for_defaults(file: str) -> None:
    found = explain_missing_variable(read_message("KeyError: 'SHOP_SECRET'\n<frozen os>:685: KeyError", file), FACTS)
    assert found is not None
    assert found.verdict == "code"


def test_browsers_and_displays() -> None:
    python = explain_missing_browser(read_message("Error: Executable doesn't exist at /x/chrome\n  at t.py"), FACTS)
    node = explain_missing_browser(read_message("Error: Could not find Chrome (ver. 1)"), FACTS)
    assert (python and python.remedy, node and node.kind) == ("`playwright install`", "browser")
    assert explain_missing_browser(read_message("ValueError: Chrome"), FACTS) is None


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("ENOSPC: System limit for number of file watchers reached", ("environment", "space")),
        ("MemoryError", ("doubtful", "memory")),
        ("Error: Exceeded timeout of 5000 ms for a test", ("doubtful", "timeout")),
        ("ValueError: x", None),
    ],
)
def test_limits_of_the_machine(message: str, expected: tuple[str, str] | None) -> None:
    found = explain_exhausted_resource(read_message(message), FACTS)
    assert (found and (found.verdict, found.kind)) == expected
