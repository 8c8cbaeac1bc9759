"""Faults of two kinds, one test file each: what a machine lacks, and what only looks like it."""

# ruff: noqa: E501 - a fault per line is easier to read

PROJECT = {
    "pyproject.toml": (
        '[project]\nname = "shop"\nrequires-python = ">=3.10"\ndependencies = ["flask>=2", "httpx", "google-cloud-storage"]\n'
        '[project.optional-dependencies]\ndev = ["pytest-mock"]\n[project.scripts]\nshop-server = "shop.cli:main"\n'
        '[build-system]\nrequires = ["setuptools"]\n'
    ),
    "requirements-dev.txt": "pandas==2.0\nBeautifulSoup4\n",
    "src/shop/__init__.py": "",
    "src/shop/pricing.py": "def price():\n    return 1\n",
    "src/shop/_speed.pyx": "",
    "helpers/__init__.py": "",
    "helpers/money.py": "CENT = 1\n",
    "helpers/circle_a.py": "from helpers.circle_b import b\na = 1\n",
    "helpers/circle_b.py": "from helpers.circle_a import a\nb = 1\n",
    "config/settings.json": "{}",
    "data/prices.csv": "a,b\n",
    "conftest.py": "import os\nimport pytest\n\nos.environ['SHOP_API_TOKEN'] = 'x'\n\n\n@pytest.fixture\ndef basket():\n    return []\n",
    ".gitmodules": '[submodule "vendor/rates"]\n\tpath = vendor/rates\n\turl = ../rates\n',
    "tests/test_green.py": "from helpers.money import CENT\n\n\ndef test_green():\n    assert CENT\n",
}
_RAISES = "import socket, subprocess, os, errno, urllib.request, urllib.error\n\n\ndef test_it():\n    "

ENVIRONMENT: dict[str, tuple[str, str]] = {
    "a declared package": ("import flask\n\n\ndef test_it():\n    assert flask\n", "missing-module"),
    "a declared package with another import name": ("import bs4\n\n\ndef test_it():\n    assert bs4\n", "missing-module"),
    "a well-known package that nothing declares": ("import pandas as pd\n\n\ndef test_it():\n    assert pd\n", "missing-module"),
    "a package imported inside a test": ("def test_it():\n    from sklearn.svm import SVC\n    assert SVC\n", "missing-module"),
    "a namespace package": ("def test_it():\n    raise ModuleNotFoundError(\"No module named 'google.cloud'\")\n", "missing-module"),
    "a declared plugin of pytest": ("def test_it(mocker):\n    assert mocker\n", "missing-module"),
    "the project itself": ("from shop.pricing import price\n\n\ndef test_it():\n    assert price()\n", "not-installed"),
    "an extension of the project": (
        "def test_it():\n    raise ModuleNotFoundError(\"No module named 'shop._speed'\")\n", "not-installed"),
    "the project's own command": (f"{_RAISES}subprocess.run(['shop-server'], check=True)\n", "not-installed"),
    "a submodule's file": (f"{_RAISES}open('vendor/rates/today.csv')\n", "submodule"),
    "a submodule's package": ("import rates\n\n\ndef test_it():\n    assert rates\n", "submodule"),
    "no name resolution": (
        f"{_RAISES}raise urllib.error.URLError(socket.gaierror(-3, 'Temporary failure in name resolution')) from None"
        "  # https://api.stripe.com/v1\n", "network"),
    "no network behind a client": (
        f"{_RAISES}raise ConnectionError(\"HTTPSConnectionPool(host='api.stripe.com', port=443): Max retries exceeded with url: /"
        " (Caused by NameResolutionError(\\\"Failed to resolve 'api.stripe.com'\\\"))\")\n", "network"),
    "an unreachable address": (f"{_RAISES}raise OSError(errno.ENETUNREACH, 'Network is unreachable')\n", "network"),
    "a network error wrapped by the code": (
        f"{_RAISES}try:\n        raise socket.gaierror(-2, 'Name or service not known')\n"
        "    except OSError as problem:\n        raise RuntimeError('no rates from https://rates.bank.org') from problem\n", "network"),
    "no database": (f"{_RAISES}socket.create_connection(('127.0.0.1', 19530), 2)\n", "service"),
    "no database behind a client": (
        f"{_RAISES}raise RuntimeError('connection to server at \"localhost\" (127.0.0.1), port 5432 failed: Connection refused\\n"
        "\\tIs the server running on that host and accepting TCP/IP connections?')\n", "service"),
    "no cache server": (f"{_RAISES}raise ConnectionError('Error 111 connecting to localhost:6379. Connection refused.')\n", "service"),
    "no Docker": (f"{_RAISES}raise RuntimeError('Cannot connect to the Docker daemon at unix:///var/run/docker.sock.')\n", "service"),
    "no program": (f"{_RAISES}subprocess.run(['wkhtmltopdf', 'x'], check=True)\n", "missing-program"),
    "no compiler": (f"{_RAISES}raise RuntimeError(\"error: command 'gcc' failed: unable to execute 'gcc'\")\n", "missing-program"),
    "no shared library": (
        f"{_RAISES}raise OSError('libcairo.so.2: cannot open shared object file: No such file or directory')\n", "missing-library"),
    "a path of the machine that must not be written": (
        f"{_RAISES}raise PermissionError(errno.EACCES, 'Permission denied', '/etc/shop.conf')\n", "permission"),
    "a read-only path": (f"{_RAISES}raise OSError(errno.EROFS, 'Read-only file system', '/usr/share/shop')\n", "permission"),
    "a file of the machine": (f"{_RAISES}open('/usr/share/dict/shop-words')\n", "host-file"),
    "an absent variable": (f"{_RAISES}assert os.environ['STRIPE_SECRET']\n", "variable"),
    "an absent variable that the code names": (
        f"{_RAISES}raise RuntimeError('STRIPE_SECRET environment variable is not set')\n", "variable"),
    "no browser": (
        f"{_RAISES}raise RuntimeError(\"BrowserType.launch: Executable doesn't exist at /home/ada/.cache/ms-playwright/chrome\\n"
        "Please run: playwright install\")\n", "browser"),
    "no display": (f"{_RAISES}raise RuntimeError('no display name and no $DISPLAY environment variable')\n", "display"),
    "a Python built without a module": ("def test_it():\n    raise ModuleNotFoundError(\"No module named '_tkinter'\")\n", "toolchain"),
    "a full disk": (f"{_RAISES}raise OSError(errno.ENOSPC, 'No space left on device')\n", "space"),
}  # fmt: skip

CODE: dict[str, str] = {
    "a typing error in an import": "import httpxx\n\n\ndef test_it():\n    assert httpxx\n",
    "a typing error of a well-known package": "import reqests\n\n\ndef test_it():\n    assert reqests\n",
    "a typing error of an own package": "import helprs.money\n\n\ndef test_it():\n    assert helprs\n",
    "a renamed own module": "from helpers.currency import CENT\n\n\ndef test_it():\n    assert CENT\n",
    "an own module imported from the wrong place": "import money\n\n\ndef test_it():\n    assert money\n",
    "a name that is gone": "from helpers.money import EURO\n\n\ndef test_it():\n    assert EURO\n",
    "a relative import that is gone": "def test_it():\n    from helpers import gone\n    assert gone\n",
    "a circle of imports": "from helpers.circle_a import a\n\n\ndef test_it():\n    assert a\n",
    "a file that hides a package": "def test_it():\n    import conftest.money\n    assert conftest\n",
    "a name that a standard module lacks": "from os import pathsplit\n\n\ndef test_it():\n    assert pathsplit\n",
    "a wrong relative path": "def test_it():\n    assert open('data/price.csv')\n",
    "a wrong path below the repository": "from pathlib import Path\n\n\ndef test_it():\n    assert Path(__file__).with_name('x.json').read_text()\n",
    "an absolute path made of a relative one": "def test_it():\n    assert open('/data/prices.csv')\n",
    "a file that the code should have written": "def test_it(tmp_path):\n    assert (tmp_path / 'out.txt').read_text()\n",
    "a missing fixture file": "def test_it():\n    assert open('tests/fixtures/order.json')\n",
    "a temporary file that is gone": "def test_it():\n    assert open('/tmp/shop-not-here/x')\n",
    "a fixture that nobody defines": "def test_it(wallet):\n    assert wallet\n",
    "a typing error in a fixture": "def test_it(baskets):\n    assert baskets\n",
    "a wrong address of an own server": f"{_RAISES}socket.create_connection(('127.0.0.1', 8123 + 60000 - 56123 + 9), 2)\n",
    "an own server that did not start": f"{_RAISES}raise ConnectionRefusedError(errno.ECONNREFUSED, 'Connection refused: http://localhost:8000/health')\n",
    "a typing error in localhost": f"{_RAISES}raise urllib.error.URLError(\"getaddrinfo failed for 'http://localhst:8000/'\")\n",
    "its own port, twice": (
        f"{_RAISES}one, two = socket.socket(), socket.socket()\n    one.bind(('127.0.0.1', 0))\n"
        "    two.bind(one.getsockname())\n"),
    "a folder of its own without permission": f"{_RAISES}raise PermissionError(errno.EACCES, 'Permission denied', 'data/prices.csv')\n",
    "a temporary file without permission": f"{_RAISES}raise PermissionError(errno.EACCES, 'Permission denied', '/tmp/pytest-of-me/x')\n",
    "a typing error in a variable": f"{_RAISES}assert os.environ['SHOP_API_TOKN']\n",
    "a key of an ordinary dictionary": "def test_it():\n    assert {}['STRIPE_SECRET']\n",
    "a script of the tree that is not there": f"{_RAISES}subprocess.run(['./tools/build.sh'], check=True)\n",
    "a typing error in a program": f"{_RAISES}subprocess.run(['pyhton3', '-V'], check=True)\n",
    "a comparison of messages about modules": "def test_it():\n    assert \"No module named 'flask'\" == 'flask is missing'\n",
    "a comparison of messages about connections": "def test_it():\n    assert str(ConnectionRefusedError('Connection refused localhost:5432')) == ''\n",
    "an error that was expected and did not come": "import pytest\n\n\ndef test_it():\n    with pytest.raises(ConnectionError):\n        pass\n",
    "a handler that is wrong": (
        f"{_RAISES}try:\n        raise FileNotFoundError(2, 'No such file or directory', '/etc/shop.conf')\n"
        "    except OSError:\n        return {}['default']\n"),
    "a syntax error": "def test_it()\n    pass\n",
    "an attribute that is gone": "import helpers.money\n\n\ndef test_it():\n    assert helpers.money.EURO\n",
    "an exit code of its own": f"{_RAISES}subprocess.run(['sh', '-c', 'exit 3'], check=True)\n",
    "too much memory asked for": f"{_RAISES}raise OSError(errno.ENOMEM, 'Cannot allocate memory')\n",
    "a constant that nobody defines": "def test_it():\n    assert MAX_ITEMS_PER_ORDER\n",
    "a setting that the code refuses": f"{_RAISES}raise ValueError('ORDER_LIMIT is required and is missing')\n",
    "something that was not found": f"{_RAISES}raise LookupError('node: not found')\n",
    "a key beside the environment": f"{_RAISES}os.environ['HOME_OF_SHOP'] = 'x'\n    return {{}}['STRIPE_SECRET']\n",
    "an endless recursion": "def test_it():\n    def f(): return f()\n    f()\n",
    "a timeout of its own": f"{_RAISES}subprocess.run(['sleep', '5'], timeout=0.01)\n",
    "a mock that the code goes around": (
        "from unittest import mock\nimport socket\n\n\ndef test_it():\n    with mock.patch('urllib.request.urlopen'):\n"
        "        raise socket.gaierror(-2, 'Name or service not known')  # https://api.stripe.com\n"),
    "a package that only a typing error names": "import panda\n\n\ndef test_it():\n    assert panda\n",
    "a submodule of a package that is not there": "import json.decoderr\n\n\ndef test_it():\n    assert json\n",
}  # fmt: skip
MAY_BE_DOUBTFUL = frozenset(
    {
        "a mock that the code goes around", "a timeout of its own", "a submodule of a package that is not there",
        "a handler that is wrong",
        "too much memory asked for",
    }
)  # fmt: skip
"""The code's fault, and one attempt is enough of a risk."""


def files(faults: list[str]) -> dict[str, str]:
    return {f"tests/test_fault_{number}.py": text for number, text in enumerate(faults)}
