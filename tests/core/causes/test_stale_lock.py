import pytest

from reknit.core.causes.stale_lock import lock_path, stale_lock


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
        ("WARNING: Lock file hash doesn't match pyproject.toml, packages may be outdated", "pdm.lock"),
        ("error: the lock file /ci/Cargo.lock needs to be updated but --locked was passed", "Cargo.lock"),
        ("error: cannot update the lock file /ci/Cargo.lock because --locked was passed", "Cargo.lock"),
        ("main.go:4:2: missing go.sum entry for module providing package x", "go.sum"),
        ("go: updates to go.mod needed; to update it: go mod tidy", "go.mod"),
        ("AssertionError: expected 2", ""),
        ("npm ci\nadded 300 packages\n", ""),
        ("the docs mention yarn.lock and uv.lock", ""),
        ("ERR_PNPM_OUTDATED_LOCKFILE\n3 failed, 2 passed", ""),
    ],
)  # fmt: skip
def test_a_stale_lockfile_is_known_by_the_words_of_its_tool(said: str, name: str) -> None:
    assert stale_lock(f"Run install\n{said}\n") == name


def test_the_lockfile_is_named_by_its_path() -> None:
    assert lock_path("go.sum", ["a.go", "back/go.sum", "not-go.sum"]) == "back/go.sum"
    assert lock_path("go.sum", ["go.sum", "back/go.sum"]) == "**/go.sum"
    assert lock_path("go.sum", []) == "go.sum"
