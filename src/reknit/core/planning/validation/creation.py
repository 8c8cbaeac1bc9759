"""Whether a task's title says that it creates the file it names next."""

import re

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def _forms(*verbs: str) -> frozenset[str]:
    """`add` -> add, adds, added, adding."""
    found: set[str] = set()
    for verb in verbs:
        stem = verb.removesuffix("e")
        found |= {verb, f"{verb}s", f"{stem}ed", f"{stem}ing"}
    return frozenset(found)


_CREATES = _forms(
    "add", "create", "scaffold", "backfill", "introduce", "generate", "draft", "bootstrap", "initialise", "initialize",
    "establish", "author", "re-add", "recreate", "implement", "provide", "define", "publish",
) | {"write", "writes", "wrote", "written", "writing", "new"}  # fmt: skip
_CONFIGURES = _forms("configure", "enable") | {"set", "sets", "setup"}
"""A file of configuration that is named next may be new, wherever: `configure dependabot in .github/dependabot.yml`."""
_MOVES = _forms("move", "rename", "extract", "convert", "migrate") | {
    "split", "splits", "splitting", "copy", "copies", "copied", "copying",
}  # fmt: skip
"""What stands after `to` or `into` is new."""
_CHANGES = _forms(
    "fix", "update", "refresh", "refactor", "remove", "delete", "rewrite", "repair", "correct", "clean", "edit",
    "change", "replace", "use", "test", "check", "verify", "review", "read", "call", "document", "simplify", "extend",
    "bump", "reorder", "sort", "adjust", "align", "harden", "deprecate", "expand",
) | {"fixes", "modify", "modifies", "drop", "drops", "run", "runs"}  # fmt: skip
_ABOUT = frozenset(
    {
        "about", "after", "against", "before", "by", "following", "for", "from", "inside", "like", "of", "on", "onto",
        "per", "than", "to", "using", "via", "with",
    }
)  # fmt: skip
"""What follows is there already: `add tests for a.py`, `add a section to README.md`."""
_PLACES = frozenset({"in", "under", "at", "below"})
_NAMES = frozenset({"as", "called", "named", "into"})
_FILES = frozenset(
    {
        "adr", "config", "configuration", "directory", "doc", "docs", "document", "documentation", "file", "files",
        "folder", "guide", "guides", "module", "modules", "package", "page", "pages", "record", "runbook", "script",
        "scripts", "spec", "specs", "template", "templates", "test", "tests", "workflow", "workflows",
    }
)  # fmt: skip
"""Things that are files: one that is added `in` a path may be that path; a retry that is added `in` it is not."""


class Creation:
    """Reads a title from left to right, a piece at a time."""

    def __init__(self) -> None:
        self._verb = ""
        self._is_file = False
        self.is_next_new = False

    @property
    def configures(self) -> bool:
        return self._verb == "configures"

    def read(self, prose: str) -> None:
        """The words between two paths, or before the first."""
        for word in _WORD.findall(prose.lower()):
            self._read(word)

    def _read(self, word: str) -> None:
        if word in _CREATES:
            self._verb, self._is_file, self.is_next_new = "creates", False, True
        elif word in _MOVES:
            self._verb, self.is_next_new = "moves", False
        elif word in _CONFIGURES:
            self._verb, self.is_next_new = "configures", False
        elif word in _ABOUT:
            self.is_next_new = self._verb == "moves" and word == "to"
        elif word in _PLACES:
            self.is_next_new = self._verb == "creates" and self._is_file
        elif word in _NAMES:
            self.is_next_new = self._verb in ("creates", "moves")
        elif word in _FILES:  # some are verbs as well: what was said before decides
            self._is_file = True
        elif word in _CHANGES:
            self._verb, self.is_next_new = "", False
