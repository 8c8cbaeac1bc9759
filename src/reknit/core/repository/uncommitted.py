"""Files outside of any commit: ignored entries that a box may see, and uncommitted changes that a run ignores."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from reknit.core.text.format import pluralize, to_one_line

PROGRESS_FILES = ("PROGRESS.txt", "plans/PROGRESS.txt")
"""Files of the working tree in which reviews write their progress."""
MAX_RECORDED_NAMES = 50
"""Names kept in a run's record; the count covers all of them."""
MAX_SHOWN_NAMES = 5
MAX_NAME_CHARS = 120


def record_names(paths: Sequence[str]) -> tuple[str, ...]:
    """Cut each name to one plain line of limited length: the repository chooses its file names."""
    return tuple(to_one_line(path)[:MAX_NAME_CHARS] for path in paths[:MAX_RECORDED_NAMES])


def warn_uncommitted(names: Sequence[str], count: int, *, on_forge: bool = False, kind: str = "fix tests") -> str:
    """Return a warning about changes that the run ignores; empty: there are none.

    `on_forge`: the run works on what is pushed, not on the local commit. `kind`: of the run.
    """
    if not count:
        return ""
    some = [to_one_line(name)[:MAX_NAME_CHARS] for name in names[:MAX_SHOWN_NAMES]]
    more = f" and {count - len(some)} more" if count > len(some) else ""
    files = pluralize(count, "file")
    how = "commit and push them, then run it again" if on_forge else "commit them"
    how += ", or use `reknit fix tests --dirty`" if kind == "fix tests" and not on_forge else ""
    return f"ignored: uncommitted changes in {files}: {', '.join(some)}{more}; {how}"


CACHES = (
    "__pycache__", "*.pyc", "*.pyo", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".cache", ".tox",
    ".nox", ".coverage*", "coverage", "coverage.xml", "htmlcov", ".nyc_output", "dist", "build", "target", ".gradle",
    ".next", ".nuxt", ".svelte-kit", ".turbo", ".parcel-cache", ".vite", ".ipynb_checkpoints", ".idea", ".vscode",
    ".DS_Store", "*.log", "*.swp", "*.tmp",
)  # fmt: skip
"""Recreated by the tools that need them, or useful only to a person.

Build products below `build`, `dist` or `target` would save no time: every file of a fresh tree is newer than they are,
so a build starts from scratch. A test that needs one of them before it runs needs `workspace.setup` or a `carry` list.
"""

SECRETS = (
    ".env*", "*.env", ".npmrc", ".yarnrc*", ".netrc", "_netrc", ".pypirc", ".pgpass", ".htpasswd", ".git-credentials",
    "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ovpn", "*.tfvars", "*.tfvars.json",
    "*.tfstate*", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "credentials*", "*-credentials*", "secret*",
    "*-secret*", "service-account*", "service_account*", "kubeconfig*", "auth.json", "*.local.json",
)  # fmt: skip
"""Names of files that usually hold secrets."""

SECRET_FOLDERS = frozenset(
    (".ssh", ".aws", ".azure", ".gcloud", ".gnupg", ".kube", ".docker", ".terraform", ".secrets", "secrets", "secret",
     ".credentials", "credentials", ".claude", ".codex", ".gemini")
)  # fmt: skip
"""Everything below these is left out, whatever its name."""


@dataclass(frozen=True)
class CarryPlan:
    """The ignored entries of a repository, by what happens to them."""

    carried: tuple[str, ...]
    """Relative paths, without a trailing slash."""
    left_out: tuple[str, ...]
    secrets: tuple[str, ...] = ()
    """The entries of `left_out` that look like secrets: worth reporting to the user."""


def plan_carry(ignored: Sequence[str]) -> CarryPlan:
    """Choose the ignored entries for a box, from the list of `git ls-files --others --ignored --directory`."""
    paths = [path.rstrip("/") for path in ignored]
    secrets = tuple(path for path in paths if _is_secret(path))
    carried = tuple(path for path in paths if not _is_secret(path) and not _is_cache(path))
    return CarryPlan(carried, tuple(path for path in paths if path not in set(carried)), secrets)


def _is_cache(path: str) -> bool:
    return any(fnmatchcase(part, pattern) for part in path.split("/") for pattern in CACHES)


def _is_secret(path: str) -> bool:
    *folders, name = path.lower().split("/")
    return not SECRET_FOLDERS.isdisjoint((*folders, name)) or any(fnmatchcase(name, pattern) for pattern in SECRETS)
