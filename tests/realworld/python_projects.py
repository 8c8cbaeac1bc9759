"""Python projects, and the bug that each was given."""

import shutil
import subprocess
from pathlib import Path

from tests.realworld.real_project import Bug, RealProject
from tests.realworld.sources import PyPI

VENV = "python3 -m venv .venv"
INSTALL = ".venv/bin/pip install -q --disable-pip-version-check"
PYTEST = "pytest==8.3.3"
POETRY = 'POETRY_CACHE_DIR="$(realpath ..)/home/.cache/pypoetry" ../tools/bin/poetry'

MANAGE = """\
import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.test_settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
"""
WORKERS_AND_THRESHOLD = """
[tool.pytest.ini_options]
testpaths = ["tests"]
addopts = "-n 2 --cov=cachetools --cov-fail-under=95"
"""
SUBMODULE = """\
[submodule "wcwidth"]
\tpath = third-party/wcwidth
\turl = ../wcwidth.git
"""


def _add_manage_py(root: Path) -> None:
    (root / "manage.py").write_text(MANAGE)


def _add_workers_and_threshold(root: Path) -> None:
    manifest = root / "pyproject.toml"
    manifest.write_text(manifest.read_text() + WORKERS_AND_THRESHOLD)


def _make_workspace(root: Path) -> None:
    (root / "pyproject.toml").write_text('[tool.uv.workspace]\nmembers = ["packages/*"]\n')


def _make_submodule(root: Path) -> None:
    inner = root / "third-party" / "wcwidth"
    shutil.rmtree(inner / "wcwidth.egg-info")
    (inner / ".gitignore").write_text("*.egg-info/\n__pycache__/\n")
    author = ("-c", "user.name=dev", "-c", "user.email=dev@example.com")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), (*author, "commit", "-qm", "as released")):
        subprocess.run(["git", *words], cwd=inner, check=True)
    (root / ".gitmodules").write_text(SUBMODULE)


PYTHON_PROJECTS = (
    RealProject(
        "itsdangerous",
        "src layout, pytest",
        {".": PyPI("itsdangerous", "2.2.0")},
        (
            Bug(
                "src/itsdangerous/encoding.py",
                'base64.urlsafe_b64encode(string).rstrip(b"=")',
                'base64.urlsafe_b64encode(string).lstrip(b"=")',
            ),
        ),
        setup=(VENV, f"{INSTALL} -e . {PYTEST} freezegun==1.5.1"),
        in_ci=True,
    ),
    RealProject(
        "toolz",
        "tests inside the package, pytest without any setting",
        {".": PyPI("toolz", "0.12.1")},
        (
            Bug(
                "toolz/itertoolz.py",
                "return itertools.islice(seq, 0, None, n)",
                "return itertools.islice(seq, 1, None, n)",
            ),
        ),
        setup=(VENV, f"{INSTALL} -e . {PYTEST}"),
    ),
    RealProject(
        "more-itertools",
        "unittest only, no pytest installed",
        {".": PyPI("more-itertools", "10.5.0")},
        (Bug("more_itertools/recipes.py", "return list(islice(iterable, n))", "return list(islice(iterable, n + 1))"),),
        setup=(VENV, f"{INSTALL} -e ."),
    ),
    RealProject(
        "blinker",
        "the only environment is tox's, with a copy of the package in it",
        {".": PyPI("blinker", "1.8.2")},
        (
            Bug(
                "src/blinker/base.py",
                "return make_id(sender) in self._by_sender",
                "return make_id(sender) in self.receivers",
            ),
        ),
        setup=(
            "python3 -m venv ../tools",
            "../tools/bin/pip install -q --disable-pip-version-check tox==4.23.2",
            "../tools/bin/tox -q -e py311 --notest",
        ),
    ),
    RealProject(
        "cachetools",
        "pytest-xdist and a coverage threshold in addopts",
        {".": PyPI("cachetools", "5.5.0")},
        (
            Bug(
                "src/cachetools/keys.py",
                "key += tuple(type(v) for v in args)",
                "key += tuple(type(v) for v in args[1:])",
            ),
        ),
        setup=(VENV, f"{INSTALL} -e . {PYTEST} pytest-xdist==3.6.1 pytest-cov==5.0.0"),
        change=_add_workers_and_threshold,
    ),
    RealProject(
        "django-appconf",
        "Django's manage.py test",
        {".": PyPI("django-appconf", "1.0.6")},
        (
            Bug(
                "appconf/base.py",
                'return "%s_%s" % (self.prefix.upper(), name.upper())',
                'return "%s_%s" % (self.prefix, name.upper())',
            ),
        ),
        setup=(VENV, f"{INSTALL} -e . django==5.1.3"),
        change=_add_manage_py,
    ),
    RealProject(
        "django-model-utils",
        "a database server outside the box",
        {".": PyPI("django-model-utils", "5.0.0")},
        (Bug("model_utils/choices.py", "return len(self._doubles)", "return len(self._doubles) + 1"),),
        setup=(VENV, f"{INSTALL} -e . -r requirements-test.txt time-machine==2.4.1 django==5.1.3"),
        blocked="PostgreSQL is not running where the tests run",
    ),
    RealProject(
        "zope.event",
        "native namespace package, unittest in a module named tests, no pytest installed",
        {".": PyPI("zope.event", "6.0")},
        (
            Bug(
                "src/zope/event/__init__.py",
                "    for subscriber in subscribers:",
                "    for subscriber in subscribers[1:]:",
            ),
        ),
        setup=(VENV, f"{INSTALL} -e ."),
        in_ci=True,
    ),
    RealProject(
        "jaraco.functools",
        "native namespace package, doctests, import mode importlib",
        {".": PyPI("jaraco.functools", "4.1.0")},
        (
            Bug(
                "jaraco/functools/__init__.py",
                "return lambda *args, **kwargs: f1(f2(*args, **kwargs))",
                "return lambda *args, **kwargs: f2(f1(*args, **kwargs))",
            ),
        ),
        setup=(
            VENV,
            f"SETUPTOOLS_SCM_PRETEND_VERSION=4.1.0 {INSTALL} -e . {PYTEST} "
            "more-itertools==10.5.0 jaraco.classes==3.4.0",
        ),
    ),
    RealProject(
        "prettytable",
        "imports a package from a submodule",
        {".": PyPI("prettytable", "3.11.0"), "third-party/wcwidth": PyPI("wcwidth", "0.2.13")},
        (Bug("src/prettytable/prettytable.py", "height = len(lines)", "height = len(lines) + 1"),),
        setup=(
            "git submodule -q absorbgitdirs",
            VENV,
            f"SETUPTOOLS_SCM_PRETEND_VERSION=3.11.0 {INSTALL} -e third-party/wcwidth -e . {PYTEST} "
            "pytest-cov==5.0.0 pytest-lazy-fixtures==1.1.1",
        ),
        change=_make_submodule,
    ),
    RealProject(
        "markupsafe",
        "C extension, built in place",
        {".": PyPI("markupsafe", "3.0.2")},
        (Bug("src/markupsafe/__init__.py", 'value.find("-->", start)', 'value.find("->", start)'),),
        setup=(VENV, f"{INSTALL} -e . -r requirements/tests.txt"),
        in_ci=True,
    ),
    RealProject(
        "flask",
        "many tests, warnings are errors",
        {".": PyPI("flask", "3.0.3")},
        (Bug("src/flask/helpers.py", "f[0] in category_filter", "f[0] not in category_filter"),),
        setup=(VENV, f"{INSTALL} -e . -r requirements/tests.txt werkzeug==3.0.6 click==8.1.7"),
    ),
    RealProject(
        "click",
        "requirements in a folder, settings in setup.cfg",
        {".": PyPI("click", "8.1.7")},
        (Bug("src/click/utils.py", "help = help[:paragraph_end]", "help = help[paragraph_end:]"),),
        setup=(VENV, f"{INSTALL} -e . {PYTEST}"),
    ),
    RealProject(
        "uv-workspace",
        "two members of a uv workspace, one environment at the top",
        {"packages/blinker": PyPI("blinker", "1.8.2"), "packages/itsdangerous": PyPI("itsdangerous", "2.2.0")},
        (
            Bug(
                "packages/blinker/src/blinker/base.py",
                "return make_id(sender) in self._by_sender",
                "return make_id(sender) in self.receivers",
                "The test to repair: packages/blinker/",
            ),
            Bug(
                "packages/itsdangerous/src/itsdangerous/encoding.py",
                'base64.urlsafe_b64encode(string).rstrip(b"=")',
                'base64.urlsafe_b64encode(string).lstrip(b"=")',
                "The test to repair: packages/itsdangerous/",
            ),
        ),
        setup=(
            "python3 -m venv ../tools",
            "../tools/bin/pip install -q --disable-pip-version-check uv==0.4.30",
            "../tools/bin/uv venv -q --seed .venv",
            f"{INSTALL} -e packages/blinker -e packages/itsdangerous "
            "pytest==8.2.0 pytest-asyncio==0.23.6 freezegun==1.5.1",
        ),
        change=_make_workspace,
    ),
    RealProject(
        "tinydb",
        "the only environment is poetry's, in its own folder",
        {".": PyPI("tinydb", "4.8.2")},
        (Bug("tinydb/utils.py", "self.cache.popitem(last=False)", "self.cache.popitem(last=True)"),),
        setup=(
            "python3 -m venv ../tools",
            "../tools/bin/pip install -q --disable-pip-version-check poetry==1.8.4",
            f"{POETRY} env use -q python3",
            f"{POETRY} run pip install -q --disable-pip-version-check -e . {PYTEST} pyyaml==6.0.2",
        ),
    ),
    RealProject(
        "packaging",
        "60,000 tests",
        {".": PyPI("packaging", "24.2")},
        (Bug("src/packaging/utils.py", 're.compile(r"[-_.]+")', 're.compile(r"[-_.]")'),),
        setup=(VENV, f"{INSTALL} -e . {PYTEST} pretend==1.0.9"),
    ),
)
