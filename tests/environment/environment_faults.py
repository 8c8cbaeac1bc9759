"""What the machine lacks, one repository each, and the remedy a person must be told."""

# ruff: noqa: E501 - a file per line is easier to read

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.core.causes import python_faults


@dataclass(frozen=True)
class Fault:
    files: Mapping[str, str]
    said: str
    """What is missing, as the terminal names it."""
    remedy: str
    prepare: Callable[[Path, Path], None] = lambda _repository, _plain: None
    """Gets the repository, before its commit, and the plain Python."""
    settings: Mapping[str, object] = field(default_factory=dict)
    at_start: bool = False
    """Seen before anything runs: there is no run that could end."""
    without: str = ""
    """A program that is taken off PATH."""


def _table(name: str) -> str:
    """The test of the table that classification is tested with."""
    return python_faults.ENVIRONMENT[name][0]


def _test(name: str) -> dict[str, str]:
    return {"test_shop.py": _table(name)}


def _declared(*packages: str, python: str = ">=3.10") -> dict[str, str]:
    needs = json.dumps(packages)
    return {"pyproject.toml": f'[project]\nname = "shop"\nversion = "1"\nrequires-python = "{python}"\ndependencies = {needs}\n[build-system]\nrequires = ["setuptools"]\n'}  # fmt: skip


def _empty_submodule(repository: Path, _plain: Path) -> None:
    (repository / "vendor" / "rates").mkdir(parents=True)
    for words in (["init", "-q"], ["update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendor/rates"]):
        subprocess.run(["git", *words], cwd=repository, check=True)


PLUGIN = "import pytest\n\n\ndef pytest_runtest_setup(item):\n    item.session.config.no_such_hook_of_pytest()\n"


def _broken_plugin(repository: Path, plain: Path) -> None:
    """In an environment of the project's own: an update of a plugin that no longer fits pytest."""
    shutil.copytree(plain.parent, repository / ".venv", symlinks=True)
    (packages,) = (repository / ".venv").glob("lib/python*/site-packages")
    (packages / "pytest_broken.py").write_text(PLUGIN)
    (packages / "pytest_broken-2.dist-info").mkdir()
    (packages / "pytest_broken-2.dist-info" / "METADATA").write_text("Name: pytest-broken\nVersion: 2\n")
    (packages / "pytest_broken-2.dist-info" / "entry_points.txt").write_text("[pytest11]\nbroken = pytest_broken\n")


def _some_node_modules(repository: Path, _plain: Path) -> None:
    (repository / "node_modules" / "right-pad").mkdir(parents=True)


NODE_TEST = (
    "const test = require('node:test');\nconst pad = require('left-pad');\n\ntest('pad', () => { pad('a', 2); });\n"
)
NODE = {"package.json": '{"name": "shop", "scripts": {"test": "node --test"}, "dependencies": {"left-pad": "1"}}\n', "package-lock.json": "{}\n", "pad.test.js": NODE_TEST, ".gitignore": "node_modules/\n"}  # fmt: skip
NEWER = "type Price = int\n\n\ndef price() -> Price:\n    return 2\n"
USES_SHOP = "import shop\n\n\ndef test_price():\n    assert shop.price() == 2\n"
FETCHES = "import urllib.request\n\n\ndef test_rates():\n    assert urllib.request.urlopen('https://rates.bank.org/today', timeout=5)\n"
QUERIES = "import socket\n\n\ndef test_orders():\n    assert socket.create_connection(('127.0.0.1', 5432), 5)\n"
COMPILES = "import subprocess\n\n\ndef test_schema():\n    subprocess.run(['wkhtmltopdf', '--version'], check=True)\n"
WRITES = "def test_report():\n    with open('/usr/share/shop-report', 'w') as file:\n        file.write('x')\n"
HANGS = "import threading\n\n\ndef test_forever():\n    threading.Event().wait()\n"
TWO = "def test_one():\n    pass\n\n\ndef test_two():\n    pass\n"
RUST = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "#[test]\nfn one() {}\n",
}

FAULTS: dict[str, Fault] = {
    "a missing package": Fault({**_test("a declared package"), **_declared("flask")}, "flask is not installed", "pip install flask"),
    "the project is not installed": Fault({**_test("the project itself"), **_declared(), "src/shop/__init__.py": "", "src/shop/pricing.py": "def price():\n    return 1\n"}, "shop is in this repository (src/shop) but is not installed", "pip install -e ."),
    "an absent submodule": Fault({**_test("a submodule's file"), ".gitmodules": python_faults.PROJECT[".gitmodules"]}, "the submodule vendor/rates is empty", "git submodule update --init", _empty_submodule),
    "no network": Fault({"test_shop.py": FETCHES}, "the tests need the network (rates.bank.org)", "mock it"),
    "no database": Fault({"test_shop.py": QUERIES}, "PostgreSQL is not running", 'services = [{ run = "postgres" }]'),
    "no program": Fault({"test_shop.py": COMPILES}, "the program wkhtmltopdf is not installed", "install wkhtmltopdf"),
    "no toolchain": Fault(RUST, "cargo is not installed", "install Rust, or put cargo on PATH", at_start=True, without="cargo"),
    "a read-only path": Fault({"test_shop.py": WRITES}, "/usr/share/shop-report is read-only", "let the tests write elsewhere"),
    "an absent variable": Fault(_test("an absent variable"), "the environment variable STRIPE_SECRET is not set", "as in `STRIPE_SECRET=… pytest` (checks.tests.run)"),
    "the wrong Python": Fault({"test_shop.py": USES_SHOP, "shop.py": NEWER, **_declared(python=">=3.99")}, "and the project needs 3.99", "use Python 3.99 or newer"),
    "no browser": Fault(_test("no browser"), "the browser that the tests drive is not installed", "playwright install"),
    "no node_modules": Fault(NODE, "node_modules is missing", "npm ci", at_start=True),
    "a package that node_modules lacks": Fault(NODE, "left-pad is not installed", "npm ci", _some_node_modules),
    "a runner broken by its own update": Fault({"test_shop.py": TWO, ".gitignore": ".venv/\n"}, "every test fails in the same way", "install the versions it was written for", _broken_plugin),
    "a time-out": Fault({"test_shop.py": HANGS}, "took too long", "loop.test_wall_s", settings={"loop": {"test_wall_s": 3.0}}),
}  # fmt: skip
"""A port in use is not here: it needs a process that holds it."""

BUG = {"calc.py": "def add(a, b):\n    return a - b\n", "test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"}  # fmt: skip
RIGHT = {"calc.py": "def add(a, b):\n    return a + b\n"}
BESIDE_A_BUG = ("an absent submodule", "no network", "no database")
BESIDE_A_BUG_TOO = ("a missing package", "an absent variable", "a read-only path", "no browser")
"""Only in the long suite."""
