import pytest

from reknit.core.gate.rules.suppressions import find_suppressions
from reknit.core.gate.scope import Scope
from reknit.core.repository.change import Change, FileChange

SCOPE = Scope((), "", 20, 1000, "pytest")


def _refused(path: str, before: str | None, after: str | None) -> list[str]:
    change = FileChange(path, None if before is None else before.encode(), None if after is None else after.encode())
    refusals = list(find_suppressions(Change((change,)), SCOPE))
    assert all((refusal.rule, refusal.path) == ("suppression-added", path) for refusal in refusals)
    return [refusal.sentence for refusal in refusals]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "x = f()  # noqa"),
        ("a.py", "x = f()  # NOQA: E501"),
        ("a.py", "# ruff: noqa"),
        ("a.py", "# flake8: noqa"),
        ("a.py", "x = f()  # type: ignore[arg-type]"),
        ("a.py", "x = f()  #type:ignore"),
        ("a.py", "# mypy: ignore-errors"),
        ("a.py", "# pyright: basic"),
        ("a.py", "if x:  # pragma: no cover"),
        ("a.py", "x()  # nosec B101"),
        ("a.py", "# pylint: disable=all"),
        ("a.ts", "// eslint-disable-next-line"),
        ("a.js", "/* eslint eqeqeq: 0 */"),
        ("a.js", '/*eslint "no-var": "off" */'),
        ("a.ts", "/* eslint @typescript-eslint/no-explicit-any: off */"),
        ("a.js", "/* eslint"),
        ("a.js", "eslint"),
        ("a.js", " eslint eqeqeq: 0, curly: 2 */"),
        ("a.ts", ' eslint "@typescript-eslint/no-explicit-any": "off" */'),
        ("a.py", "import os  # ruff: ignore[F401]"),
        ("a.py", "# isort: skip_file"),
        ("a.py", "import os  # isort:skip"),
        ("a.py", "# isort: off"),
        ("a.py", "# ruff: isort: skip_file"),
        ("a.ts", "// @ts-ignore"),
        ("a.ts", "// @ts-expect-error later"),
        ("a.ts", "// @ts-nocheck"),
        ("a.js", "/* istanbul ignore next */"),
        ("a.js", "/* c8 ignore start */"),
        ("a.ts", "// biome-ignore lint: x"),
        ("a.go", "x := f() //nolint:errcheck"),
        ("a.go", "//lint:ignore SA1000 x"),
        ("A.java", '@SuppressWarnings("all")'),
        ("A.kt", '@Suppress("x")'),
        ("a.rs", "#[allow(dead_code)]"),
        ("a.rs", "#![allow(warnings)]"),
        ("a.cpp", "int x; // NOLINT"),
        ("run.sh", "make test || true"),
        ("run.sh", "make test || :"),
        ("ci.yml", "continue-on-error: true"),
        ("run.sh", "git commit --no-verify"),
        ("run.sh", "set +e"),
        ("a.ts", "const x = f() as any;"),
        ("a.ts", "const x = <any>f();"),
        ("a.py", "import os  # ruff: disable[F401]"),
        ("a.py", "# ruff: file-ignore[F401]"),
        ("a.py", "x = f()  # pyre-ignore"),
        ("a.py", "x = f()  # pyre-fixme[6]"),
        ("a.py", "# pylint: skip-file"),
        ("a.rs", "#[expect(dead_code)]"),
        ("a.c", '#pragma GCC diagnostic ignored "-Wall"'),
        ("a.c", '#pragma clang diagnostic ignored "-Wall"'),
        ("a.cs", "#pragma warning disable CS0168"),
        ("A.kt", '@file:Suppress("x")'),
        ("a.php", "// @phpstan-ignore-next-line"),
        ("A.java", "f(); // NOSONAR"),
        ("a.cpp", "// NOLINTNEXTLINE(x)"),
        ("a.ts", "// deno-lint-ignore no-explicit-any"),
        ("a.js", "// $FlowFixMe later"),
        ("a.ts", "// tslint:disable"),
        ("a.js", "/* v8 ignore next */"),
        ("a.rb", "x # rubocop:disable Style/X"),
        ("run.sh", "# shellcheck disable=SC2086"),
    ],
)
def test_an_added_suppression_is_refused(path: str, line: str) -> None:
    [sentence] = _refused(path, "one\n", f"one\n{line}\n")
    assert path in sentence
    assert len(_refused(path, None, f"{line}\n")) == 1


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        pytest.param("a.py", "x = f(a)  # noqa: E501\n", "x = f(b)  # noqa: E501\n", id="the-line-already-had-it"),
        pytest.param("a.py", "x = f()  # noqa\n", "x = f()\n", id="removed"),
        pytest.param("a.py", "x = f()  # noqa\n", None, id="file-deleted"),
        pytest.param("docs.md", "", "write `# noqa` or `|| true`\n", id="prose"),
        pytest.param("CHANGES.RST", "", "# type: ignore\n", id="prose-in-capitals"),
        pytest.param("a.js", "", "const on = options.on || true\n", id="an-expression-in-a-program"),
        pytest.param("a.py", "", "# no quarrel, type: anything\nnoqa = 1\n", id="similar-words"),
        pytest.param("a.rs", "", "#[derive(Debug)]\n", id="another-attribute"),
        pytest.param("a.js", "", "export default {\n  eslint: { run: 1 },\n  eslint,\n}\n", id="a-name-in-a-program"),
        pytest.param("a.js", "", "// as any of them\n", id="words-in-another-language"),
        pytest.param("a.yml", "", "jobs:\n  eslint\n", id="a-name-in-another-file"),
    ],
)
def test_what_silences_nothing_new(path: str, before: str, after: str | None) -> None:
    assert _refused(path, before, after) == []


JS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", ".astro")
TS = (".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte")
SCRIPTS = (".sh", ".bash", ".zsh", ".yml", ".yaml", ".mk")


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("eslint eqeqeq: 0", [f"a{ending}" for ending in JS]),
        ("f() as any", [f"a{ending}" for ending in TS]),
        ("make || true", [*(f"a{ending}" for ending in SCRIPTS), "Makefile", "app/Dockerfile", "justfile"]),
    ],
)
def test_some_are_suppressions_only_in_their_language(line: str, paths: list[str]) -> None:
    every = {*(f"a{ending}" for ending in (*JS, *TS, *SCRIPTS, ".py", ".go")), *paths}
    assert sorted(path for path in every if _refused(path, "x\n", f"x\n{line}\n")) == sorted(paths)


def test_a_long_marker_is_cut() -> None:
    [sentence] = _refused("a.py", "x\n", f"x  # noqa: {'E501,' * 90}\n")
    assert f"`# noqa: {'E501,' * 90}"[:61] + "` in a.py" in sentence


def test_each_kind_of_marker_in_a_file_is_named_once() -> None:
    found = _refused("a.py", "x\n", "x  # noqa\ny  # noqa\nz  # type: ignore\n")
    assert [sentence.split("`")[1] for sentence in found] == ["# noqa", "# type: ignore"]


def test_a_widened_suppression_is_new() -> None:
    assert len(_refused("a.py", "x = f()  # noqa: E501\n", "x = f()  # noqa\n")) == 1


def test_a_suppression_may_move_with_its_code_to_another_file() -> None:
    old = FileChange("old.py", b"import a  # noqa: F401\nx = 1\n", b"x = 1\n")
    for copies, count in ((1, 0), (2, 1)):
        new = FileChange("new.py", None, b"import a  # noqa: F401\n" * copies)
        assert len(list(find_suppressions(Change((new, old)), SCOPE))) == count
