import pytest

from reknit.core.finding import Finding, Source
from reknit.core.gate.stale_lock import find_lock_path, find_lock_to_allow, find_stale_lock
from reknit.core.gate.waiver import Waiver, Waivers


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("npm error `npm ci` can only install packages when your package.json and package-lock", "package-lock.json"),
        ("npm ERR! package.json and package-lock.json are not in sync", "package-lock.json"),
        ("ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with frozen-lockfile", "pnpm-lock.yaml"),
        ("YN0028: The lockfile would have been modified by this install, which is explicitly forbidden.", "yarn.lock"),
        ("error Your lockfile needs to be updated, but yarn was run with `--frozen-lockfile`.", "yarn.lock"),
        ("error: The lockfile at `uv.lock` needs to be updated, but `--locked` was provided.", "uv.lock"),
        ("pyproject.toml changed significantly since poetry.lock was last generated.", "poetry.lock"),
        ("Please run `pdm lock` to update the lock file", "pdm.lock"),
        ("error: the lock file /ci/Cargo.lock needs to be updated but --locked was passed", "Cargo.lock"),
        ("error: cannot update the lock file /ci/Cargo.lock because --locked was passed", "Cargo.lock"),
        ("main.go:4:2: missing go.sum entry for module providing package x", "go.sum"),
        ("go: updates to go.mod needed; to update it: go mod tidy", "go.mod"),
        ("AssertionError: expected 2", ""),
        ("npm ci\nadded 300 packages\n", ""),
        ("the docs mention yarn.lock and uv.lock", ""),
        ("Lock file hash doesn't match pyproject.toml, packages may be outdated", ""),
        ("Warning: poetry.lock is not up to date with pyproject.toml.", ""),
        ("##[warning]poetry.lock is not up to date\n##[error]poetry.lock is outdated", "poetry.lock"),
    ],
)  # fmt: skip
def test_a_stale_lockfile_is_known_by_the_words_of_its_tool(said: str, name: str) -> None:
    assert find_stale_lock(f"Run install\n{said}\n") == name


def test_the_lockfile_is_named_by_its_path() -> None:
    assert find_lock_path("go.sum", ["a.go", "back/go.sum", "not-go.sum"]) == "back/go.sum"
    assert find_lock_path("go.sum", ["go.sum", "back/go.sum"]) == "**/go.sum"
    assert find_lock_path("go.sum", []) == "go.sum"
    assert find_lock_path("go.sum", ["go.sum", "back/go.sum"], "back/api") == "back/go.sum"
    assert find_lock_path("go.sum", ["go.sum", "back/go.sum"], "front") == "**/go.sum"
    assert find_lock_path("go.sum", ["go.sum"], "front") == "go.sum"


@pytest.mark.parametrize(
    "beside",
    [
        "3 failed, 2 passed", "FAILED (failures=1)", "FAILED (errors=2)", "not ok 3 - adds", "# fail 1", "Failures: 2",
        "Traceback (most recent call last):", "src/a.ts(1,2): error TS2304: Cannot find name", "error[E0308]: mismatch",
        "SyntaxError: Unexpected token", "ModuleNotFoundError: No module named 'a'", "Found 3 errors in 1 file",
        "4 problems (4 errors, 0 warnings)", "--- FAIL: TestA", "thread 'main' panicked at src/lib.rs", "1 failing",
    ],
)  # fmt: skip
def test_what_else_failed_is_repaired_first(beside: str) -> None:
    for said in ("ERR_PNPM_OUTDATED_LOCKFILE", "missing go.sum entry", "poetry.lock is outdated"):
        assert find_stale_lock(said)
        assert not find_stale_lock(f"{said}\n{beside}\n")
        assert not find_stale_lock(f"{beside}\n{said}\n")


NOW = Waivers(ends_at_once=True)


def asked(*allow: str, file: str = "back/go.sum", source: Source = "ci", forbid: tuple[str, ...] = ()) -> str:
    waivers = tuple(Waiver(*each.split(":", 1)) for each in allow)
    finding = Finding("C-1", source, "ci", "install", file, message="missing go.sum entry")
    return find_lock_to_allow(finding, Waivers(waivers, forbid, ends_at_once=True))


@pytest.mark.parametrize("pattern", ["back/go.sum", "back/*", "back/**", "**/go.sum", "**/*.sum"])
def test_a_pattern_that_covers_the_lockfile_allows_it(pattern: str) -> None:
    assert asked(f"protected-config:{pattern}") == ""
    assert asked(f"protected-config:{pattern}", file="**/go.sum") == ""
    assert asked(f"too-much:{pattern}") == "back/go.sum"
    assert asked(f"protected-config:{pattern}", forbid=("protected-config:**",)) == "back/go.sum"
    assert asked(f"protected-config:{pattern}", file="**/go.sum", forbid=("protected-config:**",)) == "**/go.sum"


@pytest.mark.parametrize("pattern", ["go.sum", "front/go.sum", "back/go.mod", "xback/go.sum"])
def test_a_pattern_that_does_not_cover_it_does_not(pattern: str) -> None:
    assert asked(f"protected-config:{pattern}") == "back/go.sum"


def test_words_about_another_file_ask_for_no_other_file_and_those_of_a_reviewer_for_none() -> None:
    assert asked(file=".github/workflows/release.yml") == "go.sum"
    assert asked(source="review") == ""


def test_a_run_that_began_before_there_were_waivers_is_not_asked() -> None:
    finding = Finding("C-1", "ci", "ci", "install", message="missing go.sum entry")
    assert find_lock_to_allow(finding, Waivers()) == ""
    assert find_lock_to_allow(finding, NOW) == "go.sum"
