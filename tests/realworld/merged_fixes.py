"""The merged fixes, of releases whose source archives have the tests."""

from tests.realworld.merged_fix import MergedFix
from tests.realworld.python_projects import INSTALL, PYTEST, VENV


def _with(*packages: str, pytest: str = PYTEST, version: str = "") -> tuple[str, ...]:
    """`version`: of a project that takes its own from the history, which an archive has not."""
    pretend = f"SETUPTOOLS_SCM_PRETEND_VERSION={version} " if version else ""
    return VENV, " ".join((f"{pretend}{INSTALL} -e . {pytest}", *packages))


WERKZEUG = ("pytest-timeout==2.3.1", "pytest-xprocess==1.0.2", "ephemeral-port-reserve==1.1.4")

MERGED_FIXES = (
    MergedFix(
        "click",
        ("8.1.2", "8.1.3"),
        "an error for an option with both multiple and is_flag",
        ("src/click/core.py",),
        ("tests/test_options.py",),
        _with(pytest="pytest==7.1.2"),
    ),
    MergedFix(
        "jinja2",
        ("3.1.2", "3.1.3"),
        "the xmlattr filter does not allow keys with spaces",
        ("src/jinja2/filters.py",),
        ("tests/test_filters.py",),
        _with(),
    ),
    MergedFix(
        "jinja2",
        ("3.1.4", "3.1.5"),
        "the sandboxed environment handles indirect calls to str.format",
        ("src/jinja2/sandbox.py",),
        ("tests/test_security.py",),
        _with("trio==0.27.0"),
    ),
    MergedFix(
        "jinja2",
        ("3.1.5", "3.1.6"),
        "the attr filter does not bypass the environment's attribute lookup",
        ("src/jinja2/filters.py",),
        ("tests/test_security.py",),
        _with("trio==0.27.0"),
    ),
    MergedFix(
        "markupsafe",
        ("2.1.4", "2.1.5"),
        "striptags collapses spaces after it removed comments",
        ("src/markupsafe/__init__.py",),
        ("tests/test_markupsafe.py",),
        _with(),
    ),
    MergedFix(
        "h11",
        ("0.14.0", "0.15.0"),
        "Content-Lengths of more than 20 digits are refused",
        ("h11/_headers.py",),
        ("h11/tests/test_headers.py",),
        _with(),
    ),
    MergedFix(
        "h11",
        ("0.15.0", "0.16.0"),
        "malformed ends of chunks are refused",
        ("h11/_readers.py",),
        ("h11/tests/test_io.py",),
        _with(),
    ),
    MergedFix(
        "itsdangerous",
        ("2.1.0", "2.1.1"),
        "a date overflow in a timestamp is a bad signature",
        ("src/itsdangerous/timed.py",),
        ("tests/test_itsdangerous/test_timed.py",),
        _with("freezegun==1.5.1"),
    ),
    MergedFix(
        "humanize",
        ("4.9.0", "4.10.0"),
        "metric works with a precision that is too low for the value",
        ("src/humanize/number.py",),
        ("tests/test_number.py",),
        _with("freezegun==1.5.1", version="4.9.0"),
    ),
    MergedFix(
        "humanize",
        ("4.9.0", "4.10.0"),
        "naturaldelta of fractions and negative values",
        ("src/humanize/time.py",),
        ("tests/test_time.py",),
        _with("freezegun==1.5.1", version="4.9.0"),
    ),
    MergedFix(
        "jmespath",
        ("1.0.0", "1.0.1"),
        "the parser's cache on Python 3.11",
        ("jmespath/parser.py",),
        ("tests/__init__.py", "tests/test_parser.py"),
        _with(),
    ),
    MergedFix(
        "boltons",
        ("24.0.0", "24.1.0"),
        "sentinels are themselves when they are copied",
        ("boltons/typeutils.py",),
        ("tests/test_typeutils.py",),
        _with(),
    ),
    MergedFix(
        "werkzeug",
        ("3.1.2", "3.1.3"),
        "the name of an IPv6 server is put into brackets",
        ("src/werkzeug/sansio/utils.py",),
        ("tests/sansio/test_utils.py",),
        _with(*WERKZEUG),
    ),
    MergedFix(
        "pyjwt",
        ("2.10.0", "2.10.1"),
        "no part of the issuer is accepted as the issuer",
        ("jwt/api_jwt.py",),
        ("tests/test_api_jwt.py",),
        _with(),
    ),
    MergedFix(
        "xmltodict",
        ("0.14.1", "0.14.2"),
        "whitespace alone is stripped, as it was before 0.14.1",
        ("xmltodict.py",),
        ("tests/test_xmltodict.py",),
        _with(),
    ),
    MergedFix(
        "lark",
        ("1.2.1", "1.2.2"),
        "no ambiguity is left in a tree in which it is to be resolved",
        ("lark/parsers/earley.py",),
        ("tests/test_parser.py",),
        _with("regex==2024.9.11", "js2py==0.74"),
    ),
    MergedFix(
        "mistune",
        ("3.1.0", "3.1.1"),
        "the table of contents of a text without headings",
        ("src/mistune/toc.py",),
        ("tests/test_hooks.py",),
        _with(),
    ),
    MergedFix(
        "tomlkit",
        ("0.12.1", "0.12.2"),
        "the division of an integer gives a float",
        ("tomlkit/items.py",),
        ("tests/test_items.py",),
        _with("pyyaml==6.0.2"),
    ),
    MergedFix(
        "funcy",
        ("1.17", "1.18"),
        "autocurry keeps the docstring",
        ("funcy/funcs.py",),
        ("tests/test_funcs.py",),
        _with("whatever==0.7"),
    ),
    MergedFix(
        "croniter",
        ("2.0.1", "2.0.2"),
        "get_prev of 29 February in a leap year",
        ("src/croniter/croniter.py",),
        ("src/croniter/tests/test_croniter.py",),
        _with("pytz==2024.2", "tzlocal==5.2", "six==1.16.0"),
    ),
)
