"""Recognises a lockfile that no longer fits its manifest: only a change of the lockfile mends that."""

import re
from collections.abc import Collection

_MOST_CHARS = 20_000
_SIGNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("package-lock.json", r"npm ci\W{1,3}can only install packages when your package\.json and package-lock"),
        ("package-lock.json", r"package\.json and package-lock\.json (?:or npm-shrinkwrap\.json )?are not in sync"),
        ("pnpm-lock.yaml", r"ERR_PNPM_OUTDATED_LOCKFILE|pnpm-lock\.yaml is not up to date with"),
        ("yarn.lock", r"lockfile would have been (?:modified|created) by this install"),
        ("yarn.lock", r"your lockfile needs to be updated, but yarn was run with"),
        ("uv.lock", r"lockfile at [`'\"]uv\.lock[`'\"] needs to be updated"),
        ("poetry.lock", r"poetry\.lock (?:is not up to date with|was last generated)|poetry\.lock is outdated"),
        ("pdm.lock", r"lock file hash doesn't match pyproject\.toml"),
        ("Cargo.lock", r"Cargo\.lock needs to be updated but --(?:locked|frozen)"),
        ("Cargo.lock", r"cannot (?:update|create) the lock file \S{1,300} because --(?:locked|frozen)"),
        ("go.sum", r"missing go\.sum entry"),
        ("go.mod", r"updates to go\.mod needed"),
        ("Gemfile.lock", r"Gemfile\.lock[^\n]{0,80} (?:frozen|deployment) mode|gemspecs? for[^\n]{0,80}changed"),
    )
)
_TESTS_RAN = re.compile(
    r"--- FAIL|panicked at|AssertionError|\b[1-9]\d{0,6} (?:tests? )?fail(?:ed|ing|ures?)\b|^E {2,8}assert ", re.M
)


def stale_lock(output: str) -> str:
    """The name of the lockfile; empty if the output does not say that one is stale, or if tests failed beside it."""
    text = output[-_MOST_CHARS:]
    if _TESTS_RAN.search(text):
        return ""
    return next((name for name, sign in _SIGNS if sign.search(text)), "")


def lock_path(name: str, tracked: Collection[str]) -> str:
    """Its path in the repository; a pattern if there are several."""
    found = [path for path in tracked if path == name or path.endswith(f"/{name}")]
    if len(found) == 1:
        return found[0]
    return f"**/{name}" if found else name
