"""Messages of what a machine lacks, from real programs: (message, the test's text, class, kind)."""

# ruff: noqa: E501 - a message per line is easier to read

_SITE = "\n\n.venv/lib/python3.11/site-packages/{}: {}"
_STD = "\n\n/usr/lib/python3.11/{}: {}"
_HERE = "\n\ntests/test_x.py:{}: {}"
_CLOUD = (
    "\n    at resolve (/w/node_modules/@aws-sdk/credential-provider-node/index.js:3:1)\n    at /w/tests/x.test.js:2:3"
)
_GETENV = "import os\ndef test_it():\n    key = os.getenv('MAPS_API_KEY')\n    assert key.startswith('AIza')\n"

PYTHON: dict[str, tuple[str, str, str, str]] = {
    "a locale": ("def test_it():\n>       locale.setlocale(locale.LC_ALL, 'de_DE.UTF-8')\n\ntests/test_x.py:2: \n_ _ _ \nE       locale.Error: unsupported locale setting" + _STD.format("locale.py:626", "Error"), "def test_it():\n    locale.setlocale(locale.LC_ALL, 'de_DE.UTF-8')\n", "environment", "locale"),
    "a shell that ends with 127": ("E               subprocess.CalledProcessError: Command 'pandoc --version' returned non-zero exit status 127." + _STD.format("subprocess.py:571", "CalledProcessError") + "\n----- Captured stderr call -----\n/bin/sh: 1: pandoc: not found", "", "environment", "missing-program"),
    "a list for a shell that ends with 127": ("E   subprocess.CalledProcessError: Command '['/bin/sh', '-c', 'pandoc --version']' returned non-zero exit status 127.", "", "environment", "missing-program"),
    "the socket of Docker": ("E       FileNotFoundError: [Errno 2] No such file or directory" + _HERE.format(2, "FileNotFoundError"), "def test_it():\n    client.connect('/var/run/docker.sock')\n", "environment", "service"),
    "the client of Docker": ("E   docker.errors.DockerException: Error while fetching server API version: ('Connection aborted.', FileNotFoundError(2, 'No such file or directory'))" + _SITE.format("docker/api/client.py:221", "DockerException"), "", "environment", "service"),
    "a low port": ("E       PermissionError: [Errno 13] Permission denied" + _HERE.format(2, "PermissionError"), "def test_it():\n    server.bind(('127.0.0.1', 80))\n", "environment", "port"),
    "a variable that is None": ("E       AttributeError: 'NoneType' object has no attribute 'startswith'" + _HERE.format(4, "AttributeError"), _GETENV, "environment", "variable"),
    "a number that is None": ("E       TypeError: int() argument must be a string, not 'NoneType'" + _HERE.format(2, "TypeError"), "def test_it():\n    assert int(os.environ.get('SHOP_WORKERS')) > 1\n", "environment", "variable"),
    "a variable that is checked": ("E       assert None\nE        +  where None = getenv('MAPS_API_KEY')" + _HERE.format(3, "AssertionError"), "def test_it():\n    key = os.getenv('MAPS_API_KEY')\n    assert key\n", "environment", "variable"),
    "a program that unittest checks": ("AssertionError: unexpectedly None" + _HERE.format(2, "AssertionError"), "    def test_it(self):\n        self.assertIsNotNone(shutil.which('pandoc'))\n", "environment", "missing-program"),
    "the time zone of the machine": ("E       AssertionError: assert ('UTC', 'UTC') == ('CET', 'CEST')" + _HERE.format(2, "AssertionError"), "def test_it():\n    assert time.tzname == ('CET', 'CEST')\n", "environment", "time-zone"),
    "a time zone": ("E           zoneinfo._common.ZoneInfoNotFoundError: 'No time zone found with key Europe/Berlin'" + _STD.format("zoneinfo/_common.py:24", "ZoneInfoNotFoundError"), "", "environment", "time-zone"),
    "a login": ("E   botocore.exceptions.NoCredentialsError: Unable to locate credentials" + _SITE.format("botocore/auth.py:418", "NoCredentialsError"), "", "environment", "credential"),
    "an extra that nothing declares": ("E       ImportError: Do `pip install validators[crypto-eth-addresses]` to perform `eth_address` validation.\n\nsrc/validators/eth_address.py:54: ImportError", "", "doubtful", "missing-module"),
    "an optional dependency": ("E   ImportError: Missing optional dependency 'openpyxl'.  Use pip or conda to install openpyxl." + _SITE.format("pandas/compat/_optional.py:148", "ImportError"), "", "environment", "missing-module"),
    "settings of Django": ("E   django.core.exceptions.ImproperlyConfigured: Requested setting INSTALLED_APPS, but settings are not configured. You must either define the environment variable DJANGO_SETTINGS_MODULE or call settings.configure()" + _SITE.format("django/conf/__init__.py:1", "ImproperlyConfigured"), "", "environment", "variable"),
    "a display": ("E   _tkinter.TclError: no display name and no $DISPLAY environment variable", "", "environment", "display"),
    "a graphics card": ("E   RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU" + _SITE.format("torch/cuda/__init__.py:1", "RuntimeError"), "", "environment", "device"),
    "Java": ("E   pyspark.errors.exceptions.base.PySparkRuntimeError: [JAVA_GATEWAY_EXITED] Java gateway process exited before sending its port number.", "", "environment", "toolchain"),
    "data of NLTK": ("E   LookupError: Resource punkt not found. Please use the NLTK Downloader to obtain the resource", "", "doubtful", "download"),
    "data of NLTK, in its frame": ("E   LookupError: Resource punkt not found. Please use the NLTK Downloader to obtain the resource" + _SITE.format("nltk/data.py:1", "LookupError"), "", "environment", "download"),
    "a pointer of Git LFS": ("E   json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n\ntests/test_x.py:2: \n", "def test_it():\n    json.loads((HERE / 'model.json').read_text())\n", "environment", "lfs"),
    "MySQL": ("E   sqlalchemy.exc.OperationalError: (pymysql.err.OperationalError) (2003, \"Can't connect to MySQL server on 'localhost' ([Errno 111] Connection refused)\")", "", "environment", "service"),
    "a model of spaCy": ("E   OSError: [E050] Can't find model 'en_core_web_sm'. It doesn't seem to be a Python package or a valid path to a data directory.", "", "doubtful", "download"),
    "a C library": ("E   ImportError: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by /x/.venv/lib/python3.11/site-packages/a.so)", "", "environment", "missing-library"),
    "who commits": ("E   subprocess.CalledProcessError: Command '['git', 'commit', '-m', 'x']' returned non-zero exit status 128.\n--- Captured stderr call ---\nfatal: unable to auto-detect email address (got 'root@box.(none)')", "", "doubtful", "variable"),
    "Kafka": ("E   kafka.errors.NoBrokersAvailable: NoBrokersAvailable", "", "environment", "service"),
    "MongoDB": ("E   pymongo.errors.ServerSelectionTimeoutError: localhost:27017: [Errno 111] Connection refused, Timeout: 30s", "", "environment", "service"),
    "Chrome": ("E   selenium.common.exceptions.SessionNotCreatedException: Message: session not created: Chrome failed to start: exited normally. (chrome not reachable)", "", "environment", "browser"),
    "Pango": ("E   OSError: cannot load library 'libpango-1.0-0': libpango-1.0-0: cannot open shared object file: No such file or directory.", "", "environment", "missing-library"),
    "a model of Hugging Face": ("E   OSError: We couldn't connect to 'https://huggingface.co' to load this file, couldn't find it in the cached files", "", "doubtful", "download"),
    "a hint of a package": ("E   RuntimeError: no locale data" + _SITE.format("babel/core.py:1", "RuntimeError"), "", "doubtful", "missing-module"),
}  # fmt: skip
OTHERS: dict[str, tuple[str, str, str, str]] = {
    "Node: a variable": ("TypeError: Cannot read properties of undefined (reading 'startsWith')\n    at Object.<anonymous> (/w/tests/x.test.js:3:14)", "test('it', () => {\n  const key = process.env.MAPS_API_KEY;\n  expect(key.startsWith('AIza')).toBe(true);\n});\n", "environment", "variable"),
    "Node: a variable that is checked": ("AssertionError [ERR_ASSERTION]: The expression evaluated to a falsy value:\n\n  assert.ok(process.env.MAPS_API_KEY)\n\n    at TestContext.<anonymous> (/w/tests/x.test.js:2:3)", "test('it', () => {\n  assert.ok(process.env.MAPS_API_KEY);\n});\n", "environment", "variable"),
    "Node: a program in a shell": ("Error: Command failed: pandoc --version\n/bin/sh: 1: pandoc: not found\n\n    at checkExecSyncError (node:child_process:890:11)\n    at /w/tests/x.test.js:2:3", "", "environment", "missing-program"),
    "Node: a socket": ("Error: connect ENOENT /var/run/broker/in.sock\n    at PipeConnectWrap.afterConnect (node:net:1555:16)", "", "environment", "service"),
    "Node: a low port of product code": ("Error: listen EACCES: permission denied 127.0.0.1:80\n    at Server.setupListenHandle (node:net:1817:21)\n    at /w/src/server.js:2:3", "", "doubtful", "port"),
    "Node: a time zone": ("RangeError: Invalid time zone specified: Europe/Berlin\n    at new DateTimeFormat (<anonymous>)", "", "environment", "time-zone"),
    "Node: a login": (f"CredentialsProviderError: Could not load credentials from any providers{_CLOUD}", "", "environment", "credential"),
    "Node: something to install": ("Error: sharp is missing: run npm install --include=optional sharp\n    at /w/src/a.js:2:3", "", "doubtful", "missing-module"),
    "Go: a low port": ("x_test.go:2: listen tcp 127.0.0.1:80: bind: permission denied", "func TestIt(t *testing.T) {\n\tl, err := net.Listen(\"tcp\", \"127.0.0.1:80\")\n", "environment", "port"),
    "Go: a socket": ("x_test.go:9: dial unix /run/broker/in.sock: connect: no such file or directory", "", "environment", "service"),
    "Go: a time zone": ("x_test.go:9: unknown time zone Europe/Berlin", "", "environment", "time-zone"),
    "Go: a program": ('x_test.go:9: exec: "pandoc": executable file not found in $PATH', "", "environment", "missing-program"),
    "Java: a time zone": ("java.time.zone.ZoneRulesException: Unknown time-zone ID: Asia/Tokyo\n\tat java.base/java.time.zone.ZoneRulesProvider.getProvider(ZoneRulesProvider.java:280)", "", "environment", "time-zone"),
    "Java: a login": ("com.amazonaws.SdkClientException: Unable to load AWS credentials from any provider in the chain\n\tat com.amazonaws.auth.Chain.get(Chain.java:1)", "", "doubtful", "credential"),
    "Java: a variable": ('java.lang.NullPointerException: Cannot invoke "String.length()" because "<local1>" is null\n\tat shop.ShopTest.it(ShopTest.java:3)', '  void it() {\n    String key = System.getenv("MAPS_API_KEY");\n    assertEquals(key.length(), 3);\n', "environment", "variable"),
    "Rust: a variable": ('called `Result::unwrap()` on an `Err` value: NotPresent\nthread \'it\' panicked at tests/x.rs:3:40:\ncalled `Result::unwrap()` on an `Err` value: NotPresent', '#[test]\nfn it() {\n    let key = std::env::var("MAPS_API_KEY").unwrap();\n', "environment", "variable"),
}  # fmt: skip
FILES = {"Node": "tests/x.test.js", "Go": "x_test.go", "Java": "src/test/java/shop/ShopTest.java", "Rust": "tests/x.rs"}
