"""A declared package that is missing was not installed; a file that is missing was not written."""

import pytest

from reknit.core.causes.reading import read_message
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.languages.javascript.causes import find_missing_package

FACTS = TreeFacts(
    frozenset({"yarn.lock"}),
    {
        "package.json": '{"dependencies": {"left-pad": "1", "@a/b": "1"}}',
        "packages/ui/package.json": '{"name": "@shop/ui"}',
        ".gitmodules": "path = vendor/icons\n",
    },
)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("npm error npx canceled due to missing packages and no YES option", ("environment", "node-modules")),
        ("Error: Cannot find module '/w/node_modules/left-pad/bin.js'", ("environment", "node-modules")),
        ("Error: Cannot find module '/w/node_modules/left-pad/x' imported from /a.mjs", ("doubtful", "node-modules")),
        ("Error: Cannot find module '@a/b' from 'src/a.ts'", ("environment", "node-modules")),
        ("Error: Failed to resolve import \"@shop/ui\" from \"src/a.ts\"", ("environment", "node-modules")),
        ("Error: Cannot find package '@a/b' imported from /w/a.mjs", ("environment", "node-modules")),
        ("Error: Cannot find module 'node:sqlite'", ("doubtful", "toolchain")),
        ("Error: Cannot find module 'ms'\nRequire stack:\n- /w/node_modules/x/a.js", ("environment", "node-modules")),
        ("Error: Cannot find module '../vendor/icons/a.svg'", ("environment", "submodule")),
        ("Error: Cannot find module '@/store'", ("code", "")),
        ("Error: Cannot find module 'nothing-like-it'", ("code", "")),
        ("TypeError: x is not a function", None),
    ],
)  # fmt: skip
def test_imports(message: str, expected: tuple[str, str] | None) -> None:
    found = find_missing_package(read_message(message), FACTS)
    assert (found and (found.verdict, found.kind)) == expected


def test_the_remedy_is_the_command_of_the_project() -> None:
    found = find_missing_package(read_message("Error: Cannot find module 'left-pad'"), FACTS)
    assert found is not None
    assert found.remedy == "`yarn install`"
