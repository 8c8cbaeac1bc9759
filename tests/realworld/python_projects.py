"""Python projects, and the bug that each was given."""

from tests.realworld.real_project import Bug, RealProject
from tests.realworld.sources import PyPI

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
        setup=("python3 -m venv .venv", ".venv/bin/pip install -q -e . pytest freezegun"),
    ),
)
