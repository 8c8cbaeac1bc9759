"""Makes the names that a box shows: its user, host, HOME and outbox, and the files that reknit puts there.

They look ordinary and differ from run to run, so that no name tells the tested code that it is being tested.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from reknit.core.box import BOX_HOME, OUTBOX

_CONSONANTS, _VOWELS = "bdfgklmnprstv", "aeiou"
_SYLLABLES = 3
"""Number of syllables of every name. All names have one length, so texts with a path wrap at the same place."""


@dataclass(frozen=True)
class BoxNames:
    """The names of one box."""

    user: str
    host: str
    outbox: str
    """Absolute path."""

    @property
    def home(self) -> str:
        return f"/home/{self.user}"

    def fill_paths(self, text: str) -> str:
        """Replace the placeholders in a word of a command by the paths of this box."""
        return text.replace(OUTBOX, self.outbox).replace(BOX_HOME, self.home)


def make_box_names(seed: str) -> BoxNames:
    """Return the names for a seed; the same seed gives the same names."""
    user, host, outbox = make_file_names(seed, 3)
    return BoxNames(user, host, f"/{outbox}")


def make_file_names(seed: str, count: int) -> tuple[str, ...]:
    """Return `count` different names. They are made up, because tested code could compare with a list of words."""
    letters = _iterate_letters(seed)
    names = dict[str, None]()
    while len(names) < count:
        names["".join(next(letters) for _ in range(2 * _SYLLABLES))] = None
    return tuple(names)


def _iterate_letters(seed: str) -> Iterator[str]:
    """Yield a consonant and a vowel in turn, forever."""
    number = 0
    while True:
        for first, second in zip(*[iter(hashlib.sha256(f"{seed} {number}".encode()).digest())] * 2, strict=True):
            yield _CONSONANTS[first % len(_CONSONANTS)]
            yield _VOWELS[second % len(_VOWELS)]
        number += 1
