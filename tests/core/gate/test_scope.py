"""What is beside a changed file, and who mentions it."""

import pytest

from reknit.core.gate.scope import MAX_NEAR_FILES, BaseFacts, find_shipped_places, gather_facts, list_manifests

TRACKED = ("go.mod", "src/a.py", "src/deep/b.py", "src/deep/er/c.py", "other/d.py", "vendor/x/y.go")


def test_files_near_a_change_are_known() -> None:
    facts = gather_facts(["src/deep/new.py", "vendor/z/new.go"], TRACKED, str)
    assert facts.near == {"go.mod", "src/a.py", "src/deep/b.py"}
    assert facts.folders == {"src", "src/deep", "vendor"}
    assert gather_facts(["a.py"], TRACKED, str) == BaseFacts(frozenset({"go.mod"}))


def test_a_module_of_go_is_known_however_far_above_it_is() -> None:
    tracked = ("go.mod", "api/go.mod", "api/a/b/c/d.go", "web/go.mod", "api/a/x.go")
    assert gather_facts(["api/a/b/c/new.go"], tracked, str).near == {"go.mod", "api/go.mod", "api/a/b/c/d.go"}


def test_a_package_is_known_however_far_above_it_is() -> None:
    tracked = ("shop/__init__.py", "shop/a/b/c/x.toml", "__init__.py", "other/__init__.py", "shop/a/x.py")
    facts = gather_facts(["shop/a/b/c/new.toml"], tracked, str)
    assert facts.near == {"__init__.py", "shop/__init__.py", "shop/a/b/c/x.toml"}


def test_only_so_many_files_are_near() -> None:
    tracked = [f"src/{number}.py" for number in range(MAX_NEAR_FILES + 1)]
    assert gather_facts(["src/new.py"], tracked, str).near == {*tracked[:-1]}


def test_a_file_does_not_mention_itself() -> None:
    facts = BaseFacts(mentions={"a": ("x.py", "y.py"), "b": ("z.py",)})
    assert list(facts.find_mentions(("a", "b", "c"), but="x.py")) == ["y.py", "z.py"]


FLAT = ("pyproject.toml", "shop/__init__.py", "shop/price.py", "tests/__init__.py", "tests/test_price.py", "helpers.py")
TWO = ("pyproject.toml", "setup.py", "setup.cfg", "shop/__init__.py", "shop.py", "qa/__init__.py", "qa/x.py", "z.py")
WEB = ("package.json", "index.js", "lib/a.js", "lib/testing/b.js", "test/a.js", "bin/x.js")


def test_the_manifests_above_a_change_are_read() -> None:
    tracked = ("pyproject.toml", "api/setup.cfg", "api/a/x.py", "web/package.json", "api/a/setup.py", "api/b/setup.py")
    assert list_manifests(["api/a/x.py"], tracked) == ("api/a/setup.py", "api/setup.cfg", "pyproject.toml")
    assert list_manifests(["web/x/y.js"], tracked) == ("pyproject.toml", "web/package.json")


@pytest.mark.parametrize(
    ("tracked", "path", "text", "places"),
    [
        pytest.param(FLAT, "pyproject.toml", "", {"shop"}, id="the only package"),
        pytest.param((*FLAT, "shop/test_a.py"), "pyproject.toml", "", set(), id="a package with tests right inside"),
        pytest.param((*FLAT, "shop/test_a.py"), "pyproject.toml", "[project]\nname='shop'", {"shop"}, id="named"),
        pytest.param(("pyproject.toml", "tests/__init__.py"), "pyproject.toml", "", set(), id="only tests"),
        pytest.param(TWO, "pyproject.toml", "not toml", set(), id="two packages and nothing named"),
        pytest.param(TWO, "pyproject.toml", "[project]\nname='Shop'", {"shop", "shop.py"}, id="the project's name"),
        pytest.param(TWO, "pyproject.toml", "[tool.poetry]\nname='z'", {"z.py"}, id="poetry's name"),
        pytest.param(
            TWO,
            "pyproject.toml",
            "[tool.poetry]\npackages=[{include='z.py'},{include='qa',format='sdist'}]",
            {"z.py"},
            id="poetry's packages",
        ),
        pytest.param(TWO, "pyproject.toml", "[tool.flit.module]\nname='z'", {"z.py"}, id="flit"),
        pytest.param(TWO, "pyproject.toml", "[tool.setuptools]\npy-modules=['z']", {"z.py"}, id="setuptools"),
        pytest.param(
            TWO,
            "pyproject.toml",
            "[tool.setuptools.packages.find]\ninclude=['shop*']\nexclude=['qa']\nwhere=['qa']",
            {"shop", "shop.py"},
            id="what is found and what is left out",
        ),
        pytest.param(
            TWO,
            "pyproject.toml",
            "[tool.hatch.build.targets]\nsdist={include=['qa']}\nwheel={packages=['shop'],include=['**/*.py']}",
            {"shop", "shop.py"},
            id="hatch",
        ),
        pytest.param(TWO, "pyproject.toml", "[tool.pdm.build]\nincludes=['z.py']", {"z.py"}, id="pdm"),
        pytest.param(TWO, "pyproject.toml", "[tool.uv.build-backend]\nmodule-name='z'", {"z.py"}, id="uv"),
        pytest.param(
            TWO,
            "pyproject.toml",
            "[tool.pytest.ini_options]\naddopts='-p qa'\ntestpaths=['qa']",
            set(),
            id="the runner's",
        ),
        pytest.param(TWO, "pyproject.toml", "[project.optional-dependencies]\ntest=['qa']", set(), id="a dependency"),
        pytest.param(
            TWO, "setup.py", "setup(name='x', py_modules=['z'], tests_require=['qa'])", {"z.py"}, id="setup.py"
        ),
        pytest.param(
            TWO, "setup.py", "setup(\n  packages=find_packages(exclude=['qa']),\n)", set(), id="found packages"
        ),
        pytest.param(
            TWO, "setup.cfg", "[options]\npy_modules =\n    z\n    y\ntest =\n  qa\n", {"z.py"}, id="setup.cfg"
        ),
        pytest.param(
            ("api/setup.py", "api/src/shop/__init__.py", "api/src/helpers.py", "api/src/tests/__init__.py"),
            "api/setup.py",
            "",
            {"api/src/shop"},
            id="a package below src",
        ),
        pytest.param(WEB, "package.json", '{"files": ["lib/", "index.js", "*"]}', {"lib", "index.js"}, id="files"),
        pytest.param(
            WEB,
            "package.json",
            '{"main": "./index.js", "bin": {"x": "bin/x.js"}}',
            {"index.js", "bin/x.js"},
            id="entries",
        ),
        pytest.param(
            WEB, "package.json", '{"exports": {"./*": {"import": "./lib/testing/*.js"}}}', {"lib/testing"}, id="exports"
        ),
        pytest.param(WEB, "package.json", '{"private": true, "files": ["lib"]}', set(), id="never published"),
        pytest.param(WEB, "package.json", '{"files": 3', set(), id="not readable"),
        pytest.param(
            ("web/package.json", "web/lib/a.js"), "web/package.json", '{"files": ["lib"]}', {"web/lib"}, id="nested"
        ),
    ],
)
def test_what_a_manifest_ships(tracked: tuple[str, ...], path: str, text: str, places: set[str]) -> None:
    assert find_shipped_places({path: text}, tracked) == places


def test_java_ships_what_is_in_main() -> None:
    tracked = ("api/src/main/java/shop/Price.java", "api/src/test/java/shop/PriceTest.java", "notsrc/main/x.java")
    assert find_shipped_places({}, tracked) == {"api/src/main"}
