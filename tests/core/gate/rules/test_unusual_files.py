"""Files that tools or CI execute need a person; source, documentation and data do not, wherever they are."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from reknit.core.gate.judge import apply_waivers, judge
from reknit.core.gate.mention_words import collect_words
from reknit.core.gate.rules.file_kinds import find_unusual_files
from reknit.core.gate.rules.protected_files import find_protected_config
from reknit.core.gate.scope import MAX_NEAR_FILES, BaseFacts, Scope, gather_facts
from reknit.core.gate.waiver import Waiver, Waivers, can_be_offered
from reknit.core.repository.change import REGULAR, Change, FileChange
from tests.core.gate.rules.file_names import EXECUTED, ORDINARY

BASE = (
    "package.json",
    "web/package.json",
    "web/pyproject.toml",
    "web/Cargo.toml",
    "shop/__init__.py",
    "shop/commands/__init__.py",
)
SCOPE = Scope((), "", 20, 1000, "pytest")


def _known(change: Change, mentions: Mapping[str, tuple[str, ...]], tracked: tuple[str, ...] = BASE) -> Scope:
    return replace(SCOPE, facts=replace(gather_facts(change.paths, tracked, str), mentions=mentions))


def _refusals(file: FileChange, scope: Scope) -> list[str]:
    rules = (("protected-config", find_protected_config), ("unusual-file", find_unusual_files))
    return [each.rule for rule, look in rules for each in apply_waivers(rule, look, Change((file,)), scope)[0]]


def _versions(path: str) -> Iterator[FileChange]:
    yield FileChange(path, None, b"x = 1\n", 0, REGULAR)
    yield FileChange(path, b"x = 1\n", b"x = 2\n", REGULAR, REGULAR)
    yield FileChange(path, b"x = 1\n", None, REGULAR, 0)


def test_the_tables_are_as_long_as_they_should_be() -> None:
    assert len({*EXECUTED.split()}) == len(EXECUTED.split()) >= 350
    assert len({*ORDINARY.split()}) == len(ORDINARY.split()) >= 180


@pytest.mark.parametrize("folder", ["", "web/"])
@pytest.mark.parametrize("name", EXECUTED.split())
def test_what_tools_execute_needs_a_person(name: str, folder: str) -> None:
    """Also if the product's source names it, and if nothing is known about base."""
    path = folder + name
    for file in _versions(path):
        change = Change((file,))
        by_source = dict.fromkeys(collect_words(change, BaseFacts()), ("lib/app.py",))
        for scope in (_known(change, {}), _known(change, by_source), SCOPE):
            [rule] = _refusals(file, scope)
            assert can_be_offered(rule, path, Waivers())
            allowed = replace(scope, waivers=Waivers((Waiver(rule, path),)))
            assert _refusals(file, allowed) == []


@pytest.mark.parametrize("path", ORDINARY.split())
def test_source_documentation_and_data_need_nobody(path: str) -> None:
    for file in _versions(path):
        assert _refusals(file, _known(Change((file,)), {})) == []


PACKAGE = ("src/dotenv/__init__.py", "src/dotenv/new.py", "pyproject.toml")


@pytest.mark.parametrize(
    ("path", "mentions", "beside", "is_product"),
    [
        pytest.param("src/dotenv/templates/pyproject.toml", "/{name}'", (), True, id="a template by its name"),
        pytest.param("src/dotenv/templates/.gitignore", "templates/", (), True, id="a template by its folder"),
        pytest.param(
            "src/dotenv/templates/Dockerfile.j2", '"templates"', (), True, id="a template by its folder's name"
        ),
        pytest.param(
            "src/dotenv/templates/web/package.json", '"{name}"', (), True, id="deeper in a folder of templates"
        ),
        pytest.param(
            "src/dotenv/templates/.github/workflows/a.yml", "templates/", (), True, id="a hidden folder in it"
        ),
        pytest.param("src/dotenv/templates/.zshrc", "'{name}'", (), True, id="a hidden file that is on no list"),
        pytest.param("src/dotenv/templates/a/main.py", "", (), True, id="source is source"),
        pytest.param("src/dotenv/templates/pyproject.toml", "", (), False, id="a template that nobody names"),
        pytest.param("src/dotenv/templates/conftest.py", "templates/", (), False, id="pytest executes it anywhere"),
        pytest.param("src/dotenv/templates/sitecustomize.py", "templates/", (), False, id="python executes it"),
        pytest.param("src/dotenv/templates/x.pth", "templates/", (), False, id="python reads it"),
        pytest.param("src/dotenv/templates/.git/config", "templates/", (), False, id="git reads it"),
        pytest.param("src/dotenv/data/Makefile", '/{name}"', (), True, id="data of a package"),
        pytest.param("src/dotenv/data/a/b/Makefile", '/{name}"', (), True, id="deep in a package"),
        pytest.param("src/dotenv/data/.npmrc", "'{name}'", (), True, id="hidden data of a package"),
        pytest.param("src/dotenv/data/Makefile", "", (), False, id="data of a package that nobody names"),
        pytest.param("src/dotenv/data/Makefile", '/{name}"', ("src/dotenv/data/a.py",), False, id="code beside it"),
        pytest.param("src/dotenv/Makefile", '"{name}"', (), False, id="in the package's own folder"),
        pytest.param("src/dotenv/pyproject.toml", '"{name}"', (), False, id="a manifest in the package's own folder"),
        pytest.param("services/api/Dockerfile", '"{name}"', (), False, id="in no package"),
        pytest.param("api/Dockerfile", '"{name}"', ("__init__.py",), False, id="a package at the top holds everything"),
        pytest.param("pyproject.toml", '"{name}"', (), False, id="at the top"),
        pytest.param("src/dotenv/commands/setup.py", "", ("src/dotenv/commands/__init__.py",), True, id="a module"),
        pytest.param("src/dotenv/commands/setup.py", "", (), True, id="a module in a folder of a package"),
        pytest.param(
            "src/dotenv/commands/setup.py", "", ("src/dotenv/commands/package.json",), False, id="a project in it"
        ),
        pytest.param("src/commands/setup.py", "", (), False, id="a manifest that is no module"),
        pytest.param("lib/api/setup.py", "", ("lib/api/__init__.py", "lib/api/pyproject.toml"), False, id="a project"),
        pytest.param("src/dotenv/environment.yml", "", (), True, id="settings of a package"),
        pytest.param("src/dotenv/environment.yml", "", ("src/dotenv/setup.py",), True, id="a module is no manifest"),
        pytest.param("src/dotenv/environment.yml", "", ("src/dotenv/package.json",), False, id="settings of a project"),
        pytest.param("src/build.rs", "", (), True, id="a module of rust"),
        pytest.param("crates/a/build.rs", "", ("crates/a/Cargo.toml",), False, id="what cargo executes"),
        pytest.param("data/workspace", '/{name}"', (), True, id="data without an ending"),
        pytest.param("data/workspace", "", (), False, id="that nobody names"),
        pytest.param("lib/WORKSPACE", '/{name}"', (), False, id="in bazel's own spelling"),
        pytest.param("words", '"{name}"', (), False, id="without an ending, at the top"),
        pytest.param("lib/app.yaml", "", (), True, id="settings in a folder"),
        pytest.param("app.yaml", "", (), False, id="settings at the top"),
        pytest.param("app.yaml", '"{name}"', (), True, id="settings at the top that source names"),
        pytest.param("lib/app.yaml", "", ("lib/go.mod",), False, id="settings at the top of a project"),
        pytest.param("openapi.yaml", "", (), True, id="a description of an interface"),
        pytest.param("lib/a.xyz", "", (), False, id="an unknown kind"),
        pytest.param("lib/a.xyz", "'{name}'", (), True, id="an unknown kind that source names"),
        pytest.param("lib/.hidden.json", "'{name}'", (), False, id="hidden data in no package"),
    ],
)
def test_what_base_shows_decides(path: str, mentions: str, beside: tuple[str, ...], is_product: bool) -> None:
    file = FileChange(path, b"x = 1\n", b"x = 2\n", REGULAR, REGULAR)
    word = mentions.format(name=path.rpartition("/")[2])
    by = {word: ("src/dotenv/new.py",)} if word else {}
    assert set(by) <= {*collect_words(Change((file,)), BaseFacts())}
    assert (_refusals(file, _known(Change((file,)), by, (*PACKAGE, *beside))) == []) is is_product


@pytest.mark.parametrize(
    ("user", "is_product"),
    [
        ("src/dotenv/new.py", True),
        ("src/dotenv/deep/new.py", True),
        ("scripts/release.py", False),
        ("src/dotenv/test_new.py", False),
        ("src/dotenv/tests/new.py", False),
        ("src/dotenv/setup.py", False),
        ("src/dotenv/conftest.py", False),
        ("src/dotenv/.hooks/a.py", False),
        ("src/dotenv/README.md", False),
        ("src/dotenv/Makefile", False),
    ],
)
def test_only_source_beside_it_makes_a_file_the_products(user: str, is_product: bool) -> None:
    for path in ("src/dotenv/templates/.gitignore", "src/dotenv/data/.gitignore"):
        file = FileChange(path, b"a\n", b"b\n", REGULAR, REGULAR)
        scope = _known(Change((file,)), {"/.gitignore'": (user,)}, PACKAGE)
        assert (_refusals(file, scope) == []) is is_product


@pytest.mark.parametrize(
    "path", ["src/dotenv/templates/.gitignore", "src/dotenv/data/.npmrc", "src/dotenv/templates/Makefile"]
)
def test_a_new_file_of_a_tool_is_never_the_products(path: str) -> None:
    file = FileChange(path, None, b"a\n", 0, REGULAR)
    by = dict.fromkeys(collect_words(Change((file,)), BaseFacts()), ("src/dotenv/new.py",))
    assert _refusals(file, _known(Change((file,)), by, PACKAGE)) == ["protected-config"]


@pytest.mark.parametrize(
    ("path", "is_accepted"), [("data/words", False), ("words", False), ("data/a.xyz", True), ("data/.words", False)]
)
def test_a_new_file_of_no_known_kind_needs_an_ending_and_source_that_names_it(path: str, is_accepted: bool) -> None:
    file = FileChange(path, None, b"#!/bin/sh\n", 0, REGULAR)
    by = dict.fromkeys(collect_words(Change((file,)), BaseFacts()), ("src/dotenv/new.py",))
    assert (_refusals(file, _known(Change((file,)), by)) == []) is is_accepted
    assert _refusals(file, _known(Change((file,)), {})) == ["unusual-file"]


def test_a_change_cannot_make_a_project_of_a_folder_nor_name_its_own_file() -> None:
    manifest = FileChange("src/dotenv/go.mod", None, b"module x\n", 0, REGULAR)
    settings = FileChange("src/dotenv/environment.yml", b"a\n", b"b\n", REGULAR, REGULAR)
    odd = FileChange("src/dotenv/a.xyz", None, b"a\n", 0, REGULAR)
    source = FileChange("src/dotenv/new.py", b"x\n", b"x = 'a.xyz'\n", REGULAR, REGULAR)
    change = Change((manifest, settings, odd, source))
    verdict = judge(change, _known(change, {}, PACKAGE))
    assert [(each.rule, each.path) for each in verdict.refusals] == [
        ("protected-config", "src/dotenv/go.mod"),
        ("unusual-file", "src/dotenv/a.xyz"),
    ]


def test_a_script_that_base_has_is_source() -> None:
    for before, rules in ((b"#!/bin/sh\n", []), (b"echo\n", ["unusual-file"])):
        file = FileChange("bin/build", before, b"#!/bin/sh\necho\n", REGULAR, REGULAR)
        assert _refusals(file, _known(Change((file,)), {})) == rules


def test_among_tests_another_rule_decides() -> None:
    file = FileChange("tests/data/words", b"a\n", b"b\n", REGULAR, REGULAR)
    verdict = judge(Change((file,)), _known(Change((file,)), {}))
    assert {each.rule for each in verdict.refusals} == {"protected-test"}


def test_settings_below_the_top_are_data_if_nothing_is_known() -> None:
    for path, rules in (
        ("ml/config.yaml", []),
        ("config.yaml", ["unusual-file"]),
        ("ml/fly.toml", ["protected-config"]),
    ):
        assert _refusals(FileChange(path, b"a\n", b"b\n", REGULAR, REGULAR), SCOPE) == rules


def test_in_a_folder_with_too_many_files_nothing_is_known() -> None:
    file = FileChange("lib/fly.toml", b"a\n", b"b\n", REGULAR, REGULAR)
    many = tuple(f"lib/{number}.py" for number in range(MAX_NEAR_FILES))
    assert _refusals(file, _known(Change((file,)), {}, many)) == ["protected-config"]
    assert _refusals(file, _known(Change((file,)), {}, many[:-1])) == []


def test_the_sentence_says_why() -> None:
    file = FileChange(".gdbinit", None, b"shell x\n", 0, REGULAR)
    [refusal] = judge(Change((file,)), SCOPE).refusals
    why = "is no source, documentation or data that base's source uses; a tool may execute it"
    assert (refusal.rule, refusal.path, refusal.sentence) == ("unusual-file", ".gdbinit", f".gdbinit {why}")
