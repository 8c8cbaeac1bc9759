"""Well-known names outside any repository: packages, programs, ports, plugins."""

IMPORT_TO_PACKAGE = {
    "attr": "attrs", "bs4": "beautifulsoup4", "Crypto": "pycryptodome", "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "docx": "python-docx", "dotenv": "python-dotenv", "fitz": "pymupdf", "git": "gitpython",
    "google.protobuf": "protobuf",
    "jose": "python-jose", "jwt": "pyjwt", "ldap": "python-ldap", "magic": "python-magic",
    "multipart": "python-multipart",
    "MySQLdb": "mysqlclient", "nacl": "pynacl", "OpenSSL": "pyopenssl", "PIL": "pillow", "pkg_resources": "setuptools",
    "pptx": "python-pptx", "psycopg2": "psycopg2-binary", "rest_framework": "djangorestframework", "serial": "pyserial",
    "skimage": "scikit-image", "sklearn": "scikit-learn", "slugify": "python-slugify", "socks": "pysocks",
    "usb": "pyusb",
    "websocket": "websocket-client", "yaml": "pyyaml", "zmq": "pyzmq",
}  # fmt: skip
"""Import name -> the package that provides it, if the two names differ."""

THIRD_PARTY = frozenset(IMPORT_TO_PACKAGE) | frozenset(
    """aiofiles aiohttp alembic altair anyio arrow asgiref asyncpg attrs babel bcrypt black blinker bokeh boto3 botocore
    cachetools celery certifi cffi chardet charset_normalizer click cloudpickle colorama coverage cryptography cython
    dask datasets diskcache distro django dns docker docutils duckdb elasticsearch execnet factory faker fakeredis
    falcon
    fastapi filelock flake8 flask freezegun fsspec gevent greenlet grpc gunicorn h11 h2 h5py httpcore httpretty httpx
    huggingface_hub hypothesis idna importlib_metadata invoke ipython isort itsdangerous jax jinja2 joblib jsonschema
    kafka keras kombu lightgbm loguru lxml mako markdown markdown_it markupsafe marshmallow matplotlib mock mongoengine
    more_itertools moto msgpack multidict mypy mysql neo4j networkx nltk notebook numba numpy oauthlib openai openpyxl
    orjson packaging pandas paramiko passlib patsy peewee pendulum pexpect pika plotly pluggy polars prometheus_client
    psutil psycopg pyarrow pyasn1 pycparser pydantic pydantic_settings pygments pymongo pymysql pyparsing pyramid pytest
    pytest_asyncio pytest_cov pytest_django pytest_mock pytz redis regex requests requests_mock responses respx rich
    ruamel scipy scrapy seaborn selenium sentry_sdk setuptools simplejson six sniffio sortedcontainers sphinx spacy
    sqlalchemy starlette statsmodels structlog sympy tabulate tensorflow testcontainers toml tomli tomlkit toolz torch
    torchvision tornado tqdm transformers trio twisted typer typing_extensions tzdata ujson urllib3 uvicorn uvloop
    virtualenv vcr watchdog webob websockets werkzeug wheel wrapt wtforms xgboost xlrd
    xlsxwriter yarl zope""".split()  # noqa: SIM905
)
"""Import names of packages on PyPI; a name that is spelled like this is no typing error."""

BUILT_WITH_PYTHON = frozenset(
    [
        "_bz2",
        "_ctypes",
        "_curses",
        "_dbm",
        "_gdbm",
        "_lzma",
        "_sqlite3",
        "_ssl",
        "_tkinter",
        "_uuid",
        "readline",
        "tkinter",
    ]
)
"""Modules of the standard library that some builds of Python leave out."""

SINCE_PYTHON = {
    "tomllib": (3, 11),
    "zoneinfo": (3, 9),
    "graphlib": (3, 9),
    "compression": (3, 14),
    "annotationlib": (3, 14),
}
"""Module of the standard library -> the first Python that has it."""

ZONES = frozenset(
    """UTC Europe/Berlin Europe/London Europe/Madrid Europe/Moscow Europe/Paris Europe/Rome Europe/Vienna Europe/Zurich
    America/Chicago America/Denver America/Los_Angeles America/New_York America/Sao_Paulo America/Toronto Africa/Cairo
    Asia/Dubai Asia/Hong_Kong Asia/Kolkata Asia/Shanghai Asia/Singapore Asia/Tokyo""".split()  # noqa: SIM905
)
"""Time zones that every complete machine knows; a name that is spelled like this is no typing error."""

FIXTURES = {
    "mocker": "pytest-mock", "httpx_mock": "pytest-httpx", "requests_mock": "requests-mock",
    "benchmark": "pytest-benchmark",
    "aiohttp_client": "pytest-aiohttp", "httpserver": "pytest-httpserver", "django_db_setup": "pytest-django",
    "db": "pytest-django", "client": "pytest-django", "settings": "pytest-django", "rf": "pytest-django",
    "qtbot": "pytest-qt", "snapshot": "syrupy", "freezer": "pytest-freezer", "page": "pytest-playwright",
    "datadir": "pytest-datadir", "shared_datadir": "pytest-datadir", "faker": "faker", "respx_mock": "respx",
    "postgresql": "pytest-postgresql", "redisdb": "pytest-redis", "subtests": "pytest-subtests",
    "data_regression": "pytest-regressions", "testbench": "pytest-xdist", "cov": "pytest-cov", "fs": "pyfakefs",
    "event_loop": "pytest-asyncio", "anyio_backend": "anyio", "live_server": "pytest-django", "vcr": "pytest-recording",
}  # fmt: skip
"""pytest fixture -> the plugin that provides it."""

PYTEST_OPTIONS = {
    "--cov": "pytest-cov", "-n": "pytest-xdist", "--numprocesses": "pytest-xdist", "--timeout": "pytest-timeout",
    "--asyncio-mode": "pytest-asyncio", "--ds": "pytest-django", "--reuse-db": "pytest-django",
    "--reruns": "pytest-rerunfailures",
    "--benchmark": "pytest-benchmark", "--mypy": "pytest-mypy", "--random-order": "pytest-random-order",
    "--html": "pytest-html",
    "--black": "pytest-black", "--flake8": "pytest-flake8", "--dist": "pytest-xdist", "--nbval": "nbval",
    "--mpl": "pytest-mpl",
    "--disable-socket": "pytest-socket", "--snapshot": "syrupy", "--codspeed": "pytest-codspeed",
    "--spec": "pytest-spec",
    "--doctest-plus": "pytest-doctestplus", "--doctest-rst": "pytest-doctestplus", "--alluredir": "allure-pytest",
}  # fmt: skip
"""Option of the pytest command -> the plugin that knows it."""

PROGRAMS = frozenset(
    """ansible aws az bash bazel black bun bundle bwrap bzip2 c++ cargo cc chromedriver chromium clang clang-format
    cmake
    composer convert curl deno docker docker-compose dot dotnet dvipng elixir exiftool fc-list ffmpeg ffprobe firefox
    gcc gcloud gdal-config gdb geckodriver gfortran gh ghc ghostscript git git-lfs gnuplot go google-chrome gpg gradle
    graphviz gs gunicorn gzip helm hg identify inkscape java javac jq julia kubectl latex latexmk ldconfig ldd less
    libreoffice lsof lua make mercurial meson minikube mkcert mongod mongosh mvn mysql mysqld nasm nc nginx ninja node
    npm npx nvcc nvidia-smi openssl optipng pandoc pdflatex pdftotext perl pg_config pg_ctl pg_dump php pip pip3
    pkg-config
    pnpm podman poetry postgres protoc psql python python2 python3 qemu-img qpdf R rabbitmqctl redis-cli redis-server
    rg rsync
    ruby ruff rustc rustup sass sbt scala screen shellcheck soffice sqlite3 ssh ssh-keygen strace sudo svn swift swig
    tar tectonic terraform tesseract tmux tsc typst unzip uv valgrind vim wget which wine wkhtmltopdf xcrun xdg-open
    xelatex
    Xvfb xvfb-run xz yarn yt-dlp zip zsh zstd""".split()  # noqa: SIM905
)
"""Programs of a machine, not of a repository; a name that is spelled like this is no typing error."""

SERVICE_PORTS = {
    "5432": "PostgreSQL", "5433": "PostgreSQL", "3306": "MySQL", "6379": "Redis", "27017": "MongoDB",
    "5672": "RabbitMQ",
    "15672": "RabbitMQ", "9200": "Elasticsearch", "9300": "Elasticsearch", "9092": "Kafka", "2181": "ZooKeeper",
    "11211": "memcached", "1433": "SQL Server", "1521": "Oracle", "9042": "Cassandra", "4222": "NATS",
    "8086": "InfluxDB",
    "7687": "Neo4j", "2375": "Docker", "2376": "Docker", "2379": "etcd", "8500": "Consul", "8200": "Vault",
    "389": "LDAP",
    "1883": "MQTT", "4566": "LocalStack", "26257": "CockroachDB", "8123": "ClickHouse", "9000": "MinIO or ClickHouse",
    "6333": "Qdrant", "19530": "Milvus", "5984": "CouchDB",
}  # fmt: skip
"""Port on this machine -> the service that listens there by default."""

OFTEN_OWN_PORTS = frozenset(["8086", "8123", "8200", "8500", "9000"])
"""Ports from `SERVICE_PORTS` that people also give to servers of their own."""

MOCKS = (
    "responses", "requests_mock", "respx", "httpretty", "aioresponses", "httpx_mock", "vcr", "nock", "msw",
    "pytest_httpserver",
    "fetch-mock", "jest.mock", "vi.mock", "monkeypatch", "mock.patch", "patch(", "patch.object", "unittest.mock",
    "httptest.NewServer", "setenv", "Setenv", "stubEnv", "mocker",
)  # fmt: skip
"""Words with which a test replaces its surroundings; reaching the real ones may then be a fault of the code."""
