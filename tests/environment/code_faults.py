"""Faults of the code that look like the environment's: the tree as it is, and the right fix."""

# ruff: noqa: E501 - a file per line is easier to read

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class CodeFault:
    files: Mapping[str, str]
    fix: Mapping[str, str | None]
    """Path -> its right text; None: the file goes."""


def _python(wrong: str, right: str, test: str, **more: str) -> CodeFault:
    """The fault is in `shop.py`; `more`: other files, with `__` for `/` and the ending `.py`."""
    others = {f"{name.replace('__', '/')}.py": text for name, text in more.items()}
    return CodeFault({"shop.py": wrong, "test_shop.py": f"import shop\n\n\n{test}", **others}, {"shop.py": right})


_PRICE = "def test_price():\n    assert shop.price() == 2\n"
_SERVER = "import http.server\nimport threading\nimport urllib.request\n\n\nclass Handler(http.server.BaseHTTPRequestHandler):\n    def do_GET(self):\n        self.send_response(200)\n        self.end_headers()\n        self.wfile.write(b'2')\n\n\n"
_SERVED = "    threading.Thread(target=server.handle_request, daemon=True).start()\n"


def _client(port: int) -> str:
    made = f"def price():\n    server = http.server.HTTPServer(('127.0.0.1', 9001), Handler)\n{_SERVED}"
    return f"{_SERVER}{made}    return int(urllib.request.urlopen('http://127.0.0.1:{port}/price', timeout=5).read())\n"


def _bound(ports: str) -> str:
    return f"import socket\n\n\ndef price():\n    held = [socket.socket() for _ in range(2)]\n    for one, port in zip(held, {ports}):\n        one.bind(('127.0.0.1', port))\n    return len(held)\n"


def _read(path: str) -> str:
    return f"def price():\n    with open({path!r}) as file:\n        return int(file.read())\n"


def _run(argv: str) -> str:
    return f"import subprocess\nimport sys\n\n\ndef price():\n    return int(subprocess.run({argv}, check=True, capture_output=True, text=True).stdout)\n"


_TOOL = {"tools/build.sh": "#!/bin/sh\necho 2\n"}
_SCRIPT = {"tools/build.py": "print(2)\n"}
_DATA = {"data/prices.csv": "2\n"}
_ENV = "import os\n\n\ndef price():\n    return int({read})\n"


def _with(fault: CodeFault, files: Mapping[str, str]) -> CodeFault:
    return CodeFault({**fault.files, **files}, fault.fix)


_PACKAGING = {"pyproject.toml": '[project]\nname = "shop"\nversion = "1"\ndependencies = ["packaging"]\n'}
_VERSION = "from {module} import {name}\n\n\ndef price():\n    return {name}('2.0').major\n"

PYTHON: dict[str, CodeFault] = {
    "a typing error in an import of the standard library": _python("import maths\n\n\ndef price():\n    return int(maths.sqrt(4))\n", "import math\n\n\ndef price():\n    return int(math.sqrt(4))\n", _PRICE),
    "a typing error in the name of an installed package": _with(_python(_VERSION.format(module="packagin.version", name="Version"), _VERSION.format(module="packaging.version", name="Version"), _PRICE), _PACKAGING),
    "a typing error in a member of an installed package": _with(_python(_VERSION.format(module="packaging.version", name="Versoin"), _VERSION.format(module="packaging.version", name="Version"), _PRICE), _PACKAGING),
    "a module of an installed package that never was": _with(_python(_VERSION.format(module="packaging.versions", name="Version"), _VERSION.format(module="packaging.version", name="Version"), _PRICE), _PACKAGING),
    "a name that moved in the standard library": _python("from collections import Mapping\n\n\ndef price():\n    return 2 if issubclass(dict, Mapping) else 0\n", "from collections.abc import Mapping\n\n\ndef price():\n    return 2 if issubclass(dict, Mapping) else 0\n", _PRICE),
    "a renamed own module": _python("from money import CENT\n\n\ndef price():\n    return 2 * CENT\n", "from currency import CENT\n\n\ndef price():\n    return 2 * CENT\n", _PRICE, currency="CENT = 1\n"),
    "an own module imported from the wrong place": _python("import money\n\n\ndef price():\n    return 2 * money.CENT\n", "from helpers import money\n\n\ndef price():\n    return 2 * money.CENT\n", _PRICE, helpers____init__="", helpers__money="CENT = 1\n"),
    "an own module that is missing": CodeFault({"shop/__init__.py": "from shop.rates import RATE\n\n\ndef price():\n    return 2 * RATE\n", "test_shop.py": f"import shop\n\n\n{_PRICE}"}, {"shop/rates.py": "RATE = 1\n"}),
    "a member that is missing in an __init__": CodeFault({"shop/__init__.py": "", "shop/pricing.py": "def price():\n    return 2\n", "test_shop.py": "from shop import price\n\n\ndef test_price():\n    assert price() == 2\n"}, {"shop/__init__.py": "from shop.pricing import price\n"}),
    "a circle of imports": CodeFault({"shop.py": "from rates import RATE\n\nBASE = 2\n\n\ndef price():\n    return BASE * RATE\n", "rates.py": "from shop import BASE\n\nRATE = BASE // 2\n", "test_shop.py": f"import shop\n\n\n{_PRICE}"}, {"rates.py": "RATE = 1\n"}),
    "a relative import outside a package": _python("from .currency import CENT\n\n\ndef price():\n    return 2 * CENT\n", "from currency import CENT\n\n\ndef price():\n    return 2 * CENT\n", _PRICE, currency="CENT = 1\n"),
    "a file that hides a package of the standard library": CodeFault({"shop.py": "from wsgiref.util import request_uri\n\n\ndef price():\n    return 2 if request_uri else 0\n", "wsgiref.py": "ADDRESS = 'shop'\n", "test_shop.py": f"import shop\n\n\n{_PRICE}"}, {"wsgiref.py": None, "addresses.py": "ADDRESS = 'shop'\n"}),
    "a wrong relative path": _with(_python(_read("data/price.csv"), _read("data/prices.csv"), _PRICE), _DATA),
    "an absolute path made of a relative one": _with(_python(_read("/data/prices.csv"), _read("data/prices.csv"), _PRICE), _DATA),
    "a data file of its own that is missing": CodeFault({"shop.py": _read("data/prices.csv"), "data/README": "prices.csv: one number\n", "test_shop.py": f"import shop\n\n\n{_PRICE}"}, {"data/prices.csv": "2\n"}),
    "a file that the code should write": _python("def export(folder):\n    return folder / 'out.txt'\n", "def export(folder):\n    (folder / 'out.txt').write_text('2')\n    return folder / 'out.txt'\n", "def test_price(tmp_path):\n    assert shop.export(tmp_path).read_text() == '2'\n"),
    "a folder that the code should make": _python("import sqlite3\n\n\ndef export(folder):\n    return sqlite3.connect(folder / 'db' / 'shop.sqlite')\n", "import sqlite3\n\n\ndef export(folder):\n    (folder / 'db').mkdir()\n    return sqlite3.connect(folder / 'db' / 'shop.sqlite')\n", "def test_price(tmp_path):\n    connection = shop.export(tmp_path)\n    assert connection.execute('select 2').fetchone() == (2,)\n    connection.close()\n"),
    "a temporary folder that no machine has": _python("import pathlib\n\n\ndef price():\n    path = pathlib.Path('/temp/shop.txt')\n    path.write_text('2')\n    return int(path.read_text())\n", "import pathlib\nimport tempfile\n\n\ndef price():\n    path = pathlib.Path(tempfile.mkdtemp()) / 'shop.txt'\n    path.write_text('2')\n    return int(path.read_text())\n", _PRICE),
    "a permission that the code sets wrong": _python("def export(path):\n    path.write_text('2')\n    path.chmod(0o200)\n    return path\n", "def export(path):\n    path.write_text('2')\n    path.chmod(0o600)\n    return path\n", "def test_price(tmp_path):\n    assert shop.export(tmp_path / 'x').read_text() == '2'\n"),
    "a folder of its own that the code locks": _python("import os\n\n\ndef price():\n    os.makedirs('out')\n    os.chmod('out', 0o500)\n    with open('out/price', 'w') as file:\n        return file.write('22')\n", "import os\n\n\ndef price():\n    os.makedirs('out')\n    os.chmod('out', 0o700)\n    with open('out/price', 'w') as file:\n        return file.write('22')\n", _PRICE),
    "its own port, twice": _python(_bound("(8123, 8123)"), _bound("(8123, 0)"), _PRICE),
    "a port that the test itself holds": _python("import socket\n\n\ndef serve():\n    server = socket.socket()\n    server.bind(('127.0.0.1', 8765))\n    return server\n", "import socket\n\n\ndef serve():\n    server = socket.socket()\n    server.bind(('127.0.0.1', 0))\n    return server\n", "def test_price():\n    first, second = shop.serve(), shop.serve()\n    assert first.getsockname() != second.getsockname()\n    first.close()\n    second.close()\n"),
    "a wrong port of its own server": _python(_client(9010), _client(9001), _PRICE),
    "a wrong port of its own server, which some service has too": _python(_client(9000), _client(9001), _PRICE),
    "a typing error in localhost": _python(_client(9001).replace("http://127.0.0.1", "http://localhst"), _client(9001), _PRICE),
    "a misspelt script of its own": _with(_python(_run("['sh', 'tools/bild.sh']"), _run("['sh', 'tools/build.sh']"), _PRICE), _TOOL),
    "a misspelt program of its own": _with(_python(_run("[sys.executable, 'tools/bild.py']"), _run("[sys.executable, 'tools/build.py']"), _PRICE), _SCRIPT),
    "a misspelt script that is started directly": _with(_python(_run("['./tools/bild.sh']"), _run("['sh', 'tools/build.sh']"), _PRICE), _TOOL),
    "a typing error in a program": _python(_run("['pyhton3', '-c', 'print(2)']"), _run("[sys.executable, '-c', 'print(2)']"), _PRICE),
    "a variable that the code should have a default for": _python(_ENV.format(read="os.environ['SHOP_PRICE']"), _ENV.format(read="os.environ.get('SHOP_PRICE', '2')"), "def test_price(monkeypatch):\n    monkeypatch.delenv('SHOP_PRICE', raising=False)\n    assert shop.price() == 2\n"),
    "a typing error in a variable": _python(_ENV.format(read="os.environ['SHOP_PRCE']"), _ENV.format(read="os.environ['SHOP_PRICE']"), "def test_price(monkeypatch):\n    monkeypatch.setenv('SHOP_PRICE', '2')\n    assert shop.price() == 2\n"),
    "a setting of its own that is missing": _python("SETTINGS = {}\n\n\ndef price():\n    return SETTINGS['SHOP_PRICE']\n", "SETTINGS = {'SHOP_PRICE': 2}\n\n\ndef price():\n    return SETTINGS['SHOP_PRICE']\n", _PRICE),
    "a time limit that is too short": _python("import subprocess\n\n\ndef price():\n    return int(subprocess.run(['sh', '-c', 'sleep 0.3; echo 2'], timeout=0.01, capture_output=True).stdout)\n", "import subprocess\n\n\ndef price():\n    return int(subprocess.run(['sh', '-c', 'sleep 0.3; echo 2'], timeout=60, capture_output=True).stdout)\n", _PRICE),
}  # fmt: skip


def _node(wrong: str, right: str, **more: str) -> CodeFault:
    test = "const test = require('node:test');\nconst assert = require('node:assert');\n\ntest('price', () => {\n  const { price } = require('./shop.js');\n  assert.strictEqual(price(), 2);\n});\n"
    files = {"package.json": '{"name": "shop", "scripts": {"test": "node --test"}}\n', "shop.test.js": test}
    others = {f"{name.replace('__', '/')}.js": text for name, text in more.items()}
    return CodeFault({**files, "shop.js": wrong, **others}, {"shop.js": right})


_SYNC = "const {{ execFileSync }} = require('child_process');\nexports.price = () => Number(execFileSync({argv}).toString());\n"

NODE: dict[str, CodeFault] = {
    "a renamed file that Node requires": _node("const { CENT } = require('./money');\nexports.price = () => 2 * CENT;\n", "const { CENT } = require('./currency');\nexports.price = () => 2 * CENT;\n", currency="exports.CENT = 1;\n"),
    "a typing error in a module of Node": _node("const fs = require('fss');\nexports.price = () => (fs ? 2 : 0);\n", "const fs = require('fs');\nexports.price = () => (fs ? 2 : 0);\n"),
    "a wrong path in Node": _with(_node("const fs = require('fs');\nexports.price = () => Number(fs.readFileSync('data/price.csv'));\n", "const fs = require('fs');\nexports.price = () => Number(fs.readFileSync('data/prices.csv'));\n"), _DATA),
    "a misspelt script that Node starts": _with(_node(_SYNC.format(argv="'./tools/bild.sh'"), _SYNC.format(argv="'sh', ['tools/build.sh']")), _TOOL),
    "a wrong entry point in package.json": CodeFault({"package.json": '{"name": "shop", "main": "lib/indx.js", "scripts": {"test": "node --test"}}\n', "lib/index.js": "exports.price = () => 2;\n", "shop.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\n\ntest('price', () => {\n  assert.strictEqual(require('./').price(), 2);\n});\n"}, {"package.json": '{"name": "shop", "main": "lib/index.js", "scripts": {"test": "node --test"}}\n'}),
}  # fmt: skip

ALL = {**PYTHON, **NODE}
FEW = frozenset(
    {
        "a typing error in a member of an installed package",
        "a renamed own module",
        "a wrong port of its own server, which some service has too",
        "a typing error in localhost",
        "a variable that the code should have a default for",
        "a permission that the code sets wrong",
        "a wrong entry point in package.json",
        "a renamed file that Node requires",
    }
)
