"""Which files of a commit mention a word: one search for all words, bounded."""

from collections.abc import Sequence

from reknit.adapters.git.plumbing.command import Git
from reknit.adapters.process import ProcessTimeout

TIMEOUT_S = 20.0
MOST_WORDS = 200
MOST_LINES_OF_A_FILE = 200


def mentions(git: Git, rev: str, words: Sequence[str]) -> dict[str, tuple[str, ...]] | None:
    """Word -> paths. None if there are too many words, or the search did not finish."""
    wanted = [word for word in dict.fromkeys(words) if word and not {*word} & {"\n", "\0"}]
    if not wanted:
        return {}
    if len(wanted) > MOST_WORDS:
        return None
    tree = git.known(rev, "tree")
    patterns = (part for word in wanted for part in ("-e", word))
    try:
        said = git.run(
            "grep", "-I", "-F", "-o", "-z", "--no-color", "--full-name", f"--max-count={MOST_LINES_OF_A_FILE}",
            *patterns, tree, "--", timeout_s=TIMEOUT_S,
        )  # fmt: skip
    except ProcessTimeout:
        return None
    found: dict[str, dict[str, None]] = {word: {} for word in wanted}
    for line in said.stdout.decode("utf-8", "replace").split("\n"):
        path, _, match = line.removeprefix(f"{tree}:").partition("\0")
        for word in wanted if match else ():
            if word in match:  # of two words that overlap, git prints the longer one
                found[word][path] = None
    return {word: tuple(paths) for word, paths in found.items() if paths}
