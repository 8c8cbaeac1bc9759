"""Faults of a machine that a message hardly names, one test file each, and faults of product code that look alike."""

# ruff: noqa: E501 - a fault per line is easier to read

PACKAGE = {
    "rates_sdk/__init__.py": (
        "class NoCredentialsError(Exception):\n    pass\n\n\n"
        "def login():\n    raise NoCredentialsError('Unable to locate credentials')\n\n\n"
        "def train():\n    raise RuntimeError('Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU')\n\n\n"
        "def tokens():\n    raise LookupError('Resource punkt not found. Please use the NLTK Downloader to obtain the resource')\n\n\n"
        "def sheet():\n    raise ImportError(\"Missing optional dependency 'openpyxl'.  Use pip or conda to install openpyxl.\")\n\n\n"
        "def rate(currency, *, digits):\n    if not isinstance(currency, str):\n        raise TypeError(f'currency must be a string, not {currency!r}')\n"
        "    return round(float(currency), digits)\n\n\n"
        "def sign(credential):\n    return credential.encode()\n"
    )
}
"""An installed package."""
PROJECT = {
    "conftest.py": "",
    "requirements.txt": "flask\n",
    "setup.cfg": "[metadata]\nname = shop\n[options.extras_require]\ncrypto =\n    eth-hash\n",
    "shop/__init__.py": "",
    "shop/currency.py": "CENT = 1\n",
    "shop/coins.py": "def mint():\n    raise ImportError('Do `pip install shop[crypto]` to mint coins.')\n",
    "data/orders.json": "{broken",
    "tools/build.sh": "echo 2\n",
    "tools/run.sh": "print-price 2\n",
    "tests/model.json": "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
    ".gitmodules": '[submodule "third_party/words"]\n\tpath = third_party/words\n\turl = ../words\n',
    "tests/test_green.py": "def test_green():\n    pass\n",
}
POINTERS = frozenset({"tests/model.json"})

IN_DOUBT = "a private package that nothing declares"
ENVIRONMENT: dict[str, tuple[str, str]] = {
    "a declared package": ("import flask\n\n\ndef test_it():\n    assert flask\n", "flask is not installed"),
    "a well-known package": ("def test_it():\n    import boto3\n    assert boto3\n", "boto3 is not installed"),
    IN_DOUBT: ("def test_it():\n    import acme_billing_sdk\n    assert acme_billing_sdk\n", "acme_billing_sdk is not installed"),
    "a program": ("import subprocess\n\n\ndef test_it():\n    assert subprocess.run(['wkhtmltopdf', '-v'], check=True)\n", "the program wkhtmltopdf is not installed"),
    "a program in a shell": ("import subprocess\n\n\ndef test_it():\n    assert subprocess.check_output('tectonic --version', shell=True)\n", "the program tectonic is not installed"),
    "a program that is looked up": ("import shutil\nimport subprocess\n\n\ndef test_it():\n    tool = shutil.which('qpdf')\n    assert subprocess.run([tool, '-v'])\n", "the program qpdf is not installed"),
    "a program that is asked for": ("import shutil\n\n\ndef test_it():\n    assert shutil.which('gnuplot'), 'needs gnuplot'\n", "the program gnuplot is not installed"),
    "a variable": ("import os\n\n\ndef test_it():\n    assert os.environ['STRIPE_SECRET']\n", "the environment variable STRIPE_SECRET is not set"),
    "a variable that is None": ("import os\n\n\ndef test_it():\n    key = os.getenv('MAPS_API_KEY')\n    assert key.startswith('AIza')\n", "the environment variable MAPS_API_KEY is not set"),
    "a variable that the test misses": ("import os\n\n\ndef test_it():\n    if not os.environ.get('DATABASE_URL'):\n        raise RuntimeError('DATABASE_URL is not set')\n", "the environment variable DATABASE_URL is not set"),
    "a database": ("import socket\n\n\ndef test_it():\n    socket.create_connection(('127.0.0.1', 5432), timeout=2)\n", "PostgreSQL is not running"),
    "the socket of Docker": ("import socket\n\n\ndef test_it():\n    client = socket.socket(socket.AF_UNIX)\n    client.connect(\n        '/var/run/docker.sock'\n    )\n", "Docker is not running"),
    "the socket of a service": ("import socket\n\n\ndef test_it():\n    socket.socket(socket.AF_UNIX).connect('/run/broker/in.sock')\n", "the service behind /run/broker/in.sock is not running"),
    "a low port": ("import socket\n\n\ndef test_it():\n    socket.socket().bind(('127.0.0.1', 80))\n", "port 80 is below 1024"),
    "the network": ("import urllib.request\n\n\ndef test_it():\n    assert urllib.request.urlopen('https://rates.bank.org/', timeout=5)\n", "the tests need the network (rates.bank.org)"),
    "a locale": ("import locale\n\n\ndef test_it():\n    locale.setlocale(locale.LC_ALL, 'wa_BE.UTF-8')\n", "the locale wa_BE.UTF-8 is not installed"),
    "the time zone of the machine": ("import time\n\n\ndef test_it():\n    assert time.tzname == ('NPT', 'NDT')\n", "another time zone than this machine has"),
    "a time zone": ("def test_it():\n    import zoneinfo\n    assert zoneinfo.ZoneInfo('Europe/Atlantis')\n", "the time zone Europe/Atlantis is not known"),
    "a pointer of Git LFS": ("import json\nimport pathlib\n\n\ndef test_it():\n    assert json.loads(pathlib.Path(__file__).with_name('model.json').read_text())\n", "tests/model.json is a pointer of Git LFS"),
    "a login": ("import rates_sdk\n\n\ndef test_it():\n    rates_sdk.login()\n", "the tests need a login that is not here"),
    "a device": ("import rates_sdk\n\n\ndef test_it():\n    rates_sdk.train()\n", "a device or driver that this machine lacks"),
    "an extra of the project": ("from shop import coins\n\n\ndef test_it():\n    coins.mint()\n", "shop[crypto] is not installed"),
    "what a package can do without": ("import rates_sdk\n\n\ndef test_it():\n    rates_sdk.sheet()\n", "openpyxl is not installed"),
    "a library": ("import ctypes\n\n\ndef test_it():\n    ctypes.CDLL('libshopgl.so.1')\n", "the library libshopgl.so.1 is not installed"),
    "a file of the machine": ("def test_it():\n    with open('/var/lib/shop-state/state.json') as file:\n        assert file.read()\n", "/var/lib/shop-state/state.json does not exist"),
    "a submodule": ("import pathlib\n\n\ndef test_it():\n    assert pathlib.Path('third_party/words/all.txt').read_text()\n", "the submodule third_party/words is empty"),
}  # fmt: skip
"""The test, and what a person is told; all but one with no agent."""


_PRICE = "def test_it():\n    assert shop.price() == 2\n"
_RUN = "import shutil\nimport subprocess\nimport sys\n\n\ndef price():\n    return int(subprocess.run({arguments}, check=True, capture_output=True, text=True).stdout)\n"

CODE: dict[str, tuple[str, str]] = {
    "a wrong sum": ("def price():\n    return 1\n", _PRICE),
    "None of its own": ("def price():\n    return {}.get('price').amount\n", _PRICE),
    "None that the test gets": ("def order():\n    return None\n", "def test_it():\n    assert shop.order().price == 2\n"),
    "a key that is gone": ("PRICES = {'PRICE_NET': 1}\n\n\ndef price():\n    return PRICES['PRICE_GROSS']\n", _PRICE),
    "a renamed name": ("def price():\n    from shop.currency import CENTS\n    return 2 * CENTS\n", _PRICE),
    "a path that the code makes wrong": ("def price(folder):\n    return int((folder / 'prise.txt').read_text())\n", "def test_it(tmp_path):\n    (tmp_path / 'price.txt').write_text('2')\n    assert shop.price(tmp_path) == 2\n"),
    "a folder that the code ignores": ("def price(folder):\n    return int(open('/var/lib/shop-prices/price.txt').read())\n", "def test_it(tmp_path):\n    (tmp_path / 'price.txt').write_text('2')\n    assert shop.price(tmp_path) == 2\n"),
    "a right that the code refuses": ("def price(user='ada'):\n    raise PermissionError(f'{user} may not see prices: permission denied')\n", _PRICE),
    "a right without a path": ("def price():\n    raise PermissionError(13, 'Permission denied')\n", _PRICE),
    "a connection that the code refuses": ("def price(url='shop:80'):\n    raise ConnectionError(f'connection refused: {url} has no scheme')\n", _PRICE),
    "a wrong argument for a package": ("import rates_sdk\n\n\ndef price():\n    return rates_sdk.rate(2, digits=0)\n", _PRICE),
    "a missing argument for a package": ("import rates_sdk\n\n\ndef price():\n    return rates_sdk.rate('2')\n", _PRICE),
    "None for a package": ("import rates_sdk\n\n\ndef price():\n    return rates_sdk.sign(None)\n", _PRICE),
    "the word install": ("def price():\n    raise RuntimeError('cannot install the theme dark: price list is empty')\n", _PRICE),
    "the word credentials": ("def price():\n    raise ValueError('invalid credentials for ada')\n", _PRICE),
    "the word device": ("def price():\n    raise LookupError('unknown device: receipt printer')\n", _PRICE),
    "the word download": ("def price():\n    raise RuntimeError('download of order 3 has no lines')\n", _PRICE),
    "the word driver": ("def price():\n    raise KeyError('driver')\n", _PRICE),
    "the word locale": ("def price():\n    raise ValueError('no price for the locale de')\n", _PRICE),
    "a misspelt variable": ("import os\n\n\ndef price():\n    return int(os.environ['SHOP_PRCE'])\n", "def test_it(monkeypatch):\n    monkeypatch.setenv('SHOP_PRICE', '2')\n    assert shop.price() == 2\n"),
    "another variable": ("import os\n\n\ndef price():\n    return int(os.environ['RATES_SOURCE'])\n", "def test_it(monkeypatch):\n    monkeypatch.setenv('SHOP_PRICE', '2')\n    assert shop.price() == 2\n"),
    "a variable that the code should set": ("def configure():\n    pass\n", "def test_it():\n    import os\n    shop.configure()\n    assert os.environ['SHOP_MODE'] == 'fast'\n"),
    "a variable that is None after the code ran": ("def configure():\n    pass\n", "def test_it():\n    import os\n    shop.configure()\n    assert os.getenv('SHOP_SPEED') == 'fast'\n"),
    "a variable that a fixture should set": ("def configure():\n    pass\n", "import os\n\nimport pytest\n\n\n@pytest.fixture\ndef ready():\n    shop.configure()\n\n\ndef test_it(ready):\n    assert os.environ.get('SHOP_LEVEL') == 'fast'\n"),
    "a format of numbers": ("def price():\n    return f'{1.5:.2f}'\n", "def test_it():\n    assert shop.price() == '1,50'\n"),
    "a locale that nobody has": ("import locale\n\n\ndef price():\n    return locale.setlocale(locale.LC_ALL, 'de-DE')\n", _PRICE),
    "output that is no JSON": ("def price():\n    return '{price: 2}'\n", "def test_it():\n    import json\n    assert json.loads(shop.price())['price'] == 2\n"),
    "data of its own that is no JSON": ("import json\n\n\ndef price():\n    with open('data/orders.json') as file:\n        return json.load(file)\n", _PRICE),
    "a time zone that the code makes wrong": ("import zoneinfo\n\n\ndef price(city='berlin'):\n    return zoneinfo.ZoneInfo(f'Europe/{city}')\n", _PRICE),
    "a time zone that the code misspells": ("import zoneinfo\n\n\ndef price():\n    return zoneinfo.ZoneInfo('Europe/Berlyn')\n", _PRICE),
    "a time zone that the code should refuse": ("import zoneinfo\n\n\ndef known(key):\n    return zoneinfo.ZoneInfo(key) is not None\n", "def test_it():\n    assert not shop.known('Europe/Atlantis')\n"),
    "a locale that the code should do without": ("import locale\n\n\ndef price(name):\n    locale.setlocale(locale.LC_ALL, name)\n", "def test_it():\n    assert shop.price('wa_BE.UTF-8') == 2\n"),
    "a wrong value beside a pointer": ("def price():\n    raise ValueError('invalid discount')\n", f"import pathlib\n\n\ndef test_data():\n    assert pathlib.Path('tests/model.json').exists()\n\n\n{_PRICE}"),
    "None of its own for a variable": ("def find(key):\n    return None\n", "def test_it():\n    import os\n    key = os.getenv('MAPS_KEY_ID')\n    assert shop.find(key).price == 2\n"),
    "None of its own beside a variable": ("def home():\n    return None\n", "def test_it():\n    import os\n    assert os.getenv('PATH') == shop.home()\n"),
    "None of its own beside a similar name": ("def keys():\n    return None\n", "def test_it():\n    import os\n    key = os.getenv('MAPS_KEY_ID')\n    assert shop.keys().size == 2\n"),
    "an hour too early": ("import datetime\n\n\ndef price():\n    return datetime.datetime.fromtimestamp(0, datetime.UTC).hour\n", _PRICE),
    "its own command line": (_RUN.format(arguments="[sys.executable, '-c', 'raise SystemExit(3)']"), _PRICE),
    "a misspelt program in a shell": (_RUN.format(arguments="'pyhton3 -V', shell=True"), _PRICE.replace("arguments", "")),
    "a misspelt script in a shell": (_RUN.format(arguments="'./tools/bild.sh', shell=True"), _PRICE),
    "a script that calls what is not there": (_RUN.format(arguments="['bash', '-c', 'bash tools/run.sh']"), _PRICE),
    "a script that a shell starts": (_RUN.format(arguments="'bash tools/run.sh', shell=True"), _PRICE),
    "a script that the code makes wrong": ("import subprocess\n\n\ndef make(folder):\n    (folder / 'run').write_text('echo 2')\n", "def test_it(tmp_path):\n    import subprocess\n    shop.make(tmp_path)\n    subprocess.run(f'{tmp_path}/runs', shell=True, check=True)\n"),
    "a program that the code looks up wrongly": (_RUN.format(arguments="[shutil.which('pyhton3'), '-V']"), _PRICE),
    "a program that the code does not find": ("def tool():\n    return None\n", "def test_it():\n    import shutil\n    assert shop.tool() == shutil.which('sh')\n"),
    "a program that the code should make": ("def make(folder):\n    (folder / 'shop-tool').write_text('#!/bin/sh')\n", "def test_it(tmp_path, monkeypatch):\n    import shutil\n    monkeypatch.setenv('PATH', str(tmp_path))\n    shop.make(tmp_path)\n    assert shutil.which('shop-tool')\n"),
    "a socket at the wrong place": ("import socket\n\n\ndef price(folder):\n    socket.socket(socket.AF_UNIX).connect(f'{folder}/shp.sock')\n", "def test_it(tmp_path):\n    assert shop.price(tmp_path) == 2\n"),
    "a socket that the code should make": ("def serve(path):\n    pass\n", "def test_it(tmp_path):\n    import socket\n    shop.serve(tmp_path / 'shop.sock')\n    socket.socket(socket.AF_UNIX).connect(str(tmp_path / 'shop.sock'))\n"),
    "its own module behind an extra": ("def price():\n    try:\n        from shop.crypt import CENT\n    except ImportError:\n        raise ImportError('Do `pip install shop[crypto]` first.')\n    return CENT\n", _PRICE),
    "an expected error": ("def price():\n    return 2\n", "def test_it():\n    import pytest\n    with pytest.raises(PermissionError, match='Permission denied'):\n        shop.price()\n"),
    "a compared message": ("def price():\n    return 'docker: command not found'\n", "def test_it():\n    assert shop.price() == 'Cannot connect to the Docker daemon'\n"),
    "the platform of its own": ("def price():\n    return 'linux3'\n", "def test_it():\n    import sys\n    assert shop.price() == sys.platform\n"),
    "a missing argument": ("def price(digits):\n    return 2\n", _PRICE),
    "text that is no UTF-8": ("def price():\n    return b'\\xff'.decode()\n", _PRICE),
    "no end": ("def price():\n    return price()\n", _PRICE),
}  # fmt: skip
"""The product's module `shop`, and its test."""
MAY_BE_DOUBTFUL = frozenset(
    {
        "None for a package", "a folder that the code ignores", "another variable", "a variable that the code should set",
        "a locale that nobody has", "a time zone that the code misspells", "a time zone that the code makes wrong", "a misspelt script in a shell",
        "a script that calls what is not there", "a script that a shell starts",
        "its own module behind an extra", "a time zone that the code should refuse", "a locale that the code should do without",
    }
)  # fmt: skip


def environment_files() -> dict[str, str]:
    return {f"tests/test_fault_{number}.py": test for number, (test, _sentence) in enumerate(ENVIRONMENT.values())}


def code_files() -> dict[str, str]:
    files: dict[str, str] = {}
    for number, (product, test) in enumerate(CODE.values()):
        files[f"shop/fault_{number}.py"] = product
        files[f"tests/test_fault_{number}.py"] = f"from shop import fault_{number} as shop\n\n\n{test}"
    return files
