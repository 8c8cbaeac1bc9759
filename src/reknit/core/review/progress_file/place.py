"""Which file of a repository the entries of its reviews are in."""

from collections.abc import Collection

from reknit.core.review.progress_file.layout import find_other_text

USUAL = ("PROGRESS.txt", "plans/PROGRESS.txt")


def choose_path(existing: Collection[str], named: str = "") -> str:
    """Relative to the repository's root. `named`: the setting `review.progress`; ValueError if it may not be used."""
    if not named:
        return next((path for path in USUAL if path in existing), USUAL[0])
    if refusal := why_not(named):
        raise ValueError(refusal)
    return named


def why_not(path: str) -> str:
    """Why entries may not be written to this path; empty: they may."""
    if path.startswith("/"):
        return f"{path!r} must be relative to the repository's root"
    names = path.split("/")
    if ".." in names:
        return f"{path!r} must not contain '..'"
    if any(_is_git_name(name) for name in names):
        return f"{path!r} is inside a git folder"
    if "" in names or "." in names or not path.isprintable():
        return f"{path!r} is not the plain path of a file, such as 'docs/PROGRESS.txt'"
    return ""


def why_not_appended(path: str, text: str) -> str:
    """Return why no entry is added to a file with this text; empty: it may be.

    The usual files may hold a person's notes too. Any other file could be one that a program reads, such as `.env`.
    """
    line = 0 if path in USUAL else find_other_text(text)
    return f"{path!r} has other text than entries of reviews (line {line})" if line else ""


def _is_git_name(name: str) -> bool:
    """As file systems that ignore case, trailing dots or what follows a colon read it."""
    return name.partition(":")[0].casefold().rstrip(" .") in (".git", "git~1")
