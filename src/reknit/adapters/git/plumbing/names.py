"""Names that git, on some file systems, treats as its own folder or settings."""

_IGNORED_BY_HFS = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF],
)


def is_git_name(name: str) -> bool:
    """`.git` in any case, and every spelling that macOS or Windows would read as `.git`."""
    plain = name.translate(_IGNORED_BY_HFS).split(":")[0].split("\\")[0].casefold().rstrip(" .")
    return plain in (".git", "git~1")


def is_git_settings_name(name: str) -> bool:
    """git refuses to store a link with such a name (`.gitmodules` and its short forms)."""
    plain = name.translate(_IGNORED_BY_HFS).casefold()
    return plain.startswith((".git", "gitmod~", "gi7"))
