"""Recognises that a lockfile no longer fits its manifest: only a change of the lockfile repairs that."""

import posixpath
import re
from collections.abc import Collection

from reknit.core.finding import Finding
from reknit.core.gate.path_pattern import EVERYTHING, matches
from reknit.core.gate.waiver import Waivers
from reknit.core.repository.paths import walk_up

RULE = "protected-config"
_OF_PROGRAMS = ("tests", "ci")
_MAX_OUTPUT_CHARS = 20_000
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
        ("pdm.lock", r"please run \W{0,4}pdm lock\W{0,4} to update the lock file"),
        ("Cargo.lock", r"Cargo\.lock needs to be updated but --(?:locked|frozen)"),
        ("Cargo.lock", r"cannot (?:update|create) the lock file \S{1,300} because --(?:locked|frozen)"),
        ("go.sum", r"missing go\.sum entry"),
        ("go.mod", r"updates to go\.mod needed"),
        ("Gemfile.lock", r"Gemfile\.lock[^\n]{0,80} (?:frozen|deployment) mode|gemspecs? for[^\n]{0,80}changed"),
    )
)
_WARNS = re.compile(r"\bwarn(?:ing)?\b", re.IGNORECASE)
"""A warning does not stop an installation: something else failed."""
_FAILED_OTHERWISE = re.compile(
    r"--- FAIL|panicked at|AssertionError|\b[1-9]\d{0,6} (?:tests? )?fail(?:ed|ing|ures?)\b|^E {2,8}assert "
    r"|FAILED \((?:failures|errors)=|^not ok \d|^# fail [1-9]|Failures: [1-9]|Traceback \(most recent call last\)"
    r"|\berror TS\d{4}|^error\[E\d{4}\]|\b(?:Syntax|Type|Reference|Name|Import|ModuleNotFound)Error\b"
    r"|Found [1-9]\d{0,6} errors?|\b[1-9]\d{0,6} problems? \(",
    re.MULTILINE,
)


def find_stale_lock(output: str) -> str:
    """Return the lockfile's name; empty: the output reports no stale one, or something else failed too."""
    text = output[-_MAX_OUTPUT_CHARS:]
    if _FAILED_OTHERWISE.search(text):
        return ""
    return next((name for name, sign in _SIGNS if _is_reported(sign, text)), "")


def _is_reported(sign: re.Pattern[str], text: str) -> bool:
    starts = (match.start() for match in sign.finditer(text))
    return any(not _WARNS.search(text[:start].rpartition("\n")[2]) for start in starts)


def find_lock_path(name: str, tracked: Collection[str], near: str = "") -> str:
    """Return the path of the lockfile: in the folder `near`, else in the nearest above, else elsewhere.

    If there are several elsewhere, the result is a pattern.
    """
    folder = next((place for place in walk_up(near) if posixpath.join(place, name) in tracked), "")
    if folder:
        return posixpath.join(folder, name)
    paths = [path for path in tracked if path == name or path.endswith(f"/{name}")]
    if len(paths) == 1:
        return paths[0]
    return f"**/{name}" if paths else name


def find_lock_to_allow(finding: Finding, waivers: Waivers) -> str:
    """Return the lockfile that must change but may not, so that no agent is paid in vain; empty: there is none.

    Only reports of programs count, because a reviewer's words prove nothing.
    """
    name = find_stale_lock(finding.message) if waivers.ends_at_once and finding.source in _OF_PROGRAMS else ""
    path = finding.file if posixpath.basename(finding.file) == name else name
    return path if name and not _is_allowed(path, name, waivers) else ""


def _is_allowed(path: str, name: str, waivers: Waivers) -> bool:
    if not path.startswith(EVERYTHING):
        return waivers.find_waiver(RULE, path) is not None
    patterns = [
        waiver.path for waiver in waivers.allowed if waiver.rule == RULE and not waivers.find_forbidding(RULE, path)
    ]
    return any(pattern.endswith(EVERYTHING) or matches(posixpath.basename(pattern), name) for pattern in patterns)
