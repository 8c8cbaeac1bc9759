"""Real suites that take half a minute and more, each with one bug: what a proven fix costs is measured on them."""

from collections.abc import Callable
from pathlib import Path

from tests.realworld.python_projects import INSTALL, PYTEST, VENV
from tests.realworld.real_project import Bug, RealProject
from tests.realworld.sources import PyPI

REPEAT = "pytest-repeat==0.9.3"
"""Runs each test several times: how a suite that is too short is made long enough."""


def _repeated(times: int) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        manifest = root / "pyproject.toml"
        manifest.write_text(
            manifest.read_text().replace(
                "[tool.pytest.ini_options]", f'[tool.pytest.ini_options]\naddopts = "--count={times}"'
            )
        )

    return change


def _repeat_parso(root: Path) -> None:
    settings = root / "pytest.ini"
    settings.write_text(settings.read_text().replace("--doctest-modules", "--doctest-modules --count=3"))


def _some_of_networkx(root: Path) -> None:
    (root / "pytest.ini").write_text("[pytest]\ntestpaths = networkx/algorithms/tests networkx/generators\n")


SUITES = (
    RealProject(
        "packaging",
        "27,000 quick tests",
        {".": PyPI("packaging", "24.2")},
        (Bug("src/packaging/utils.py", 'if filename.endswith(".tar.gz"):', 'if filename.endswith(".tar.bz2"):'),),
        setup=(VENV, f"{INSTALL} -e . {PYTEST} pretend==1.0.9"),
        in_ci=True,
    ),
    RealProject(
        "parso",
        "doctests and a cache on disk",
        {".": PyPI("parso", "0.8.4")},
        (
            Bug(
                "parso/utils.py",
                "raise TypeError('version must be a string like \"3.8\"')",
                "raise ValueError('version must be a string like \"3.8\"')",
            ),
        ),
        setup=(VENV, f"{INSTALL} -e . {PYTEST} {REPEAT}"),
        change=_repeat_parso,
    ),
    RealProject(
        "jinja2",
        "src layout, warnings are errors",
        {".": PyPI("jinja2", "3.1.4")},
        (
            Bug(
                "src/jinja2/filters.py",
                "return len(_word_re.findall(soft_str(s)))",
                "return len(_word_re.findall(soft_str(s))) + 1",
            ),
        ),
        setup=(VENV, f"{INSTALL} -e . {PYTEST} {REPEAT} trio==0.27.0"),
        change=_repeated(15),
    ),
    RealProject(
        "click",
        "src layout, tests that start processes",
        {".": PyPI("click", "8.1.8")},
        (Bug("src/click/types.py", 'return f"x{op}{self.min}"', 'return f"{self.min}{op}x"'),),
        setup=(VENV, f"{INSTALL} -e . {PYTEST} {REPEAT}"),
        change=_repeated(15),
    ),
    RealProject(
        "networkx",
        "slow tests",
        {".": PyPI("networkx", "3.4.2")},
        (
            Bug(
                "networkx/algorithms/dominating.py",
                "return len(set(G) - testset - nbrs) == 0",
                "return len(set(G) - testset - nbrs) <= 1",
            ),
        ),
        setup=(VENV, f"{INSTALL} -e . {PYTEST}"),
        change=_some_of_networkx,
    ),
)
