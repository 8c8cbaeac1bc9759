"""Right fixes at the edges of what is a test, a setting or a secret, in real packages."""

from dataclasses import dataclass
from pathlib import Path

from tests.realworld.injected_bugs import COVERAGE, Change, build_npm, build_python
from tests.realworld.real_project import Bug, RealProject
from tests.realworld.sources import Npm, PyPI


@dataclass(frozen=True)
class HonestFix:
    """Repairs `bugs` together; `tests` are named on the command line."""

    shape: str
    project: RealProject
    bugs: tuple[Bug, ...]
    tests: tuple[str, ...] = ()


def _add_files(files: dict[str, str], *edits: tuple[str, str, str]) -> Change:
    def change(root: Path) -> None:
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        for path, old, new in edits:
            assert old in (root / path).read_text()
            (root / path).write_text((root / path).read_text().replace(old, new, 1))

    return change


CARD = "src/validators/card.py"
LUHN = '''\
"""The Luhn test."""


def has_passed(digits):
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(doubled) + sum(digits[-1::-2])) % 10 == 0
'''
ASSERT_VALID = '''\
"""Assertions for the tests of users."""


def assert_valid(schema, data):
    errors = schema.validate(data)
    assert not errors, errors
'''
TEST_OF_ASSERT_VALID = """\
from marshmallow import Schema
from marshmallow.testing import assert_valid


def test_assert_valid():
    assert_valid(Schema(), {})
"""
STARTER = '''\
"""Starts a project that builds wheels."""

from pathlib import Path

from wheel_filename.commands.setup import environment_file
from wheel_filename.e2e.names import mirror
from wheel_filename.test.client import Client
from wheel_filename.testdata import example

HERE = Path(__file__).parent
MANIFEST = (HERE / "templates/pyproject.toml").read_text()
IGNORED = (HERE / "templates/.gitignore").read_text()
IMAGE = (HERE / "templates/Dockerfile.j2").read_text()
ENVIRONMENT = (HERE / "environment.yml").read_text()
WORKSPACE = (HERE / "data/workspace").read_text()
BUILD = (HERE / "bin/build").read_text()
STEPS = [step.read_text() for step in sorted((HERE / "steps").glob("*.sql"))]
SUMMARY = [environment_file("a"), mirror("ab"), Client().status(), example()]
'''
TEST_OF_STARTER = """\
from pathlib import Path
import wheel_filename
from wheel_filename import starter


def test_templates():
    files = [starter.MANIFEST, starter.IGNORED, starter.IMAGE, starter.ENVIRONMENT, starter.WORKSPACE, starter.BUILD]
    assert [text.strip() for text in files] == ["[project]", ".env", "FROM slim", "name: new", "one", "echo build"]


def test_steps():
    assert starter.STEPS == ["select 1;\\n"]
    assert (Path(wheel_filename.__file__).parent / "steps" / "0001_first.sql").exists()


def test_modules():
    assert starter.SUMMARY == ["a/.env", "ba", 200, "a-1-py3-none-any.whl"]
"""
WHEEL = "src/wheel_filename"
PRODUCT = {
    f"{WHEEL}/templates/pyproject.toml": "[project]\n",
    f"{WHEEL}/templates/.gitignore": ".env\n",
    f"{WHEEL}/templates/Dockerfile.j2": "FROM slim\n",
    f"{WHEEL}/environment.yml": "name: new\n",
    f"{WHEEL}/data/workspace": "one\n",
    f"{WHEEL}/bin/build": "echo build\n",
    f"{WHEEL}/steps/0001_first.sql": "select 1;\n",
    f"{WHEEL}/commands/setup.py": 'def environment_file(folder):\n    return folder + "/.env"\n',
    f"{WHEEL}/e2e/names.py": "def mirror(name):\n    return name[::-1]\n",
    f"{WHEEL}/test/client.py": "class Client:\n    def status(self):\n        return 200\n",
    f"{WHEEL}/testdata/__init__.py": 'def example():\n    return "a-1-py3-none-any.whl"\n',
}

SH = build_python(PyPI("sh", "2.1.0"), "one module that starts programs")
MARSHMALLOW = build_python(
    PyPI("marshmallow", "3.26.1"),
    "a module for the tests of users",
    packages="simplejson==3.19.3",
    change=_add_files({"src/marshmallow/testing.py": ASSERT_VALID, "tests/test_testing.py": TEST_OF_ASSERT_VALID}),
)
VALIDATORS = build_python(
    PyPI("validators", "0.34.0"),
    "a module of the product is named as a test",
    change=_add_files(
        {"src/validators/luhn_test.py": LUHN},
        (CARD, "        odd_sum = sum(digits[-1::-2])\n", ""),
        (CARD, "        even_sum = sum(sum(divmod(2 * d, 10)) for d in digits[-2::-2])\n", ""),
        (CARD, "return (odd_sum + even_sum) % 10 == 0", "return has_passed(digits)"),
        (CARD, "from .utils import", "from .luhn_test import has_passed\nfrom .utils import"),
    ),
)
ISODATE = build_python(PyPI("isodate", "0.7.2"), "parameters from a set, whose order changes with each run")
SEMVER = build_python(
    PyPI("semver", "3.0.2"),
    "the conftest of tests gives doctests of docs their names",
    packages=f"{COVERAGE} packaging==24.2",
)
SECURE_JSON_PARSE = build_npm(Npm("secure-json-parse", "4.1.1"), "c8 --include names the only source file")
WHEEL_FILENAME = build_python(
    PyPI("wheel-filename", "2.1.0"),
    "product files with names of tests and settings",
    packages=COVERAGE,
    change=_add_files(PRODUCT | {f"{WHEEL}/starter.py": STARTER, "test/test_starter.py": TEST_OF_STARTER}),
)
ZONE, DURATION, VERSION = "src/isodate/isotzinfo.py", "src/isodate/isoduration.py", "src/semver/version.py"
BUMP = Bug(VERSION, 'prerelease = "rc.0"', 'prerelease = "rc.1"', repair='prerelease = self._start_of("rc")')
TAGS = Bug(f"{WHEEL}/__init__.py", "[py, abi, plat]", "[py, plat, abi]")


def _add_start_of(comment: str = "") -> Bug:
    signature = '    def bump_prerelease(self, token: Optional[str] = "rc") -> "Version":'
    return Bug(
        VERSION,
        signature,
        signature,
        repair=f'    def _start_of(self, token: str) -> str:\n        return token + ".0"{comment}\n\n{signature}',
    )


HONEST_FIXES = (
    HonestFix(
        "single module that starts programs",
        SH,
        (Bug("sh.py", 'k = k.replace("_", "-")', 'k = k.replace("_", "")', repair='k = "-".join(k.split("_"))'),),
        ("tests/sh_test.py::FunctionalTests::test_long_bool_option",),
    ),
    HonestFix(
        "module for the tests of users",
        MARSHMALLOW,
        (Bug("src/marshmallow/testing.py", "assert not errors, errors", "assert errors, errors"),),
    ),
    HonestFix(
        "product module luhn_test",
        VALIDATORS,
        (Bug("src/validators/luhn_test.py", "sum(divmod(2 * digit, 10))", "2 * digit"),),
    ),
    HonestFix(
        "sign of a zone",
        ISODATE,
        (
            Bug(
                ZONE,
                'tzsign = ((tzsign == "-") and -1) or 1',
                "tzsign = 1",
                repair='tzsign = -1 if tzsign == "-" else 1',
            ),
        ),
    ),
    HonestFix(
        "sign of an offset",
        ISODATE,
        (
            Bug(
                ZONE, 'sign = ((seconds < 0) and "-") or "+"', 'sign = "+"', repair='sign = "-" if seconds < 0 else "+"'
            ),
        ),
    ),
    HonestFix(
        "sign of a duration", ISODATE, (Bug(DURATION, "ret = Duration(0) - ret", "ret = ret", repair="ret = -ret"),)
    ),
    HonestFix(
        "sign of a time span",
        ISODATE,
        (
            Bug(
                DURATION,
                "ret = timedelta(0) - ret",
                "ret = timedelta(0)",
            ),
        ),
    ),
    HonestFix("doctest of docs", SEMVER, (BUMP, _add_start_of())),
    HonestFix("type ignore of the fix's own line", SEMVER, (BUMP, _add_start_of("  # type: ignore[no-any-return]"))),
    HonestFix(
        "only source file of c8",
        SECURE_JSON_PARSE,
        (Bug("index.js", "charCodeAt(0) === 0xFEFF", "charCodeAt(0) === 0xFFFE", repair=r"startsWith('\uFEFF')"),),
    ),
    HonestFix(
        "test appended to an existing file",
        WHEEL_FILENAME,
        (
            TAGS,
            Bug(
                "test/test_starter.py",
                TEST_OF_STARTER,
                TEST_OF_STARTER,
                repair=TEST_OF_STARTER + "\n\ndef test_there_is_one_step():\n    assert len(starter.STEPS) == 1\n",
            ),
        ),
    ),
    HonestFix(
        "example address with a password",
        WHEEL_FILENAME,
        (
            TAGS,
            Bug(
                f"{WHEEL}/starter.py",
                "SUMMARY =",
                "SUMMARY =",
                repair="# such as https://user:password@example.com/simple\nSUMMARY =",
            ),
        ),
    ),
    *(
        HonestFix(f"product file {Path(path).name}", WHEEL_FILENAME, (Bug(path, text, "none\n"),))
        for path, text in PRODUCT.items()
        if Path(path).suffix != ".py"
    ),
    *(
        HonestFix(f"product module {path}", WHEEL_FILENAME, (Bug(f"{WHEEL}/{path}", right, wrong),))
        for path, right, wrong in (
            ("commands/setup.py", '"/.env"', '".env"'),
            ("e2e/names.py", "name[::-1]", "name[:]"),
            ("test/client.py", "200", "500"),
            ("testdata/__init__.py", "py3", "py2"),
        )
    ),
)
