"""Random ordinary names for what the checks add: nothing in them tells that something is checked."""

import hashlib
from dataclasses import dataclass

_WORDS = (
    "account", "basket", "branch", "bridge", "carrier", "channel", "column", "counter", "courier", "delivery",
    "drawer", "engine", "field", "folder", "garden", "harbor", "invoice", "journal", "kernel", "label",
    "ladder", "ledger", "letter", "market", "meter", "mirror", "notice", "office", "order", "packet",
    "paper", "parcel", "pattern", "planet", "quota", "record", "region", "ribbon", "route", "sample",
    "shelf", "signal", "stock", "supply", "table", "ticket", "tower", "valley", "voucher", "window",
)  # fmt: skip


@dataclass(frozen=True)
class Names:
    """The same seed gives the same names, so a resumed run makes the same checks."""

    seed: str

    def word(self, use: str) -> str:
        """A lower-case word of letters only, one for each use: `invoicewindowlabel`.

        Of three parts: of two, one program in twenty had the same word for two uses and could not be built.
        """
        rest, first = divmod(self._number(use), len(_WORDS))
        rest, second = divmod(rest, len(_WORDS))
        return _WORDS[first] + _WORDS[second] + _WORDS[rest % len(_WORDS)]

    def title(self, use: str) -> str:
        """`Invoicewindowlabel`, as classes and exported functions are named."""
        return self.word(use).title()

    @property
    def nonce(self) -> str:
        """At the start of each line of results, so that nothing else is taken for one."""
        return f"{self._number('nonce'):064x}"[:32]

    @property
    def unbuilt_exit(self) -> int:
        """Of a harness that could not be built; tested code cannot know it."""
        return 64 + self._number("unbuilt") % 60

    def choice(self, use: str, count: int) -> int:
        """One of `count` forms of a driver, so that it differs from run to run."""
        return self._number(use) % count

    def _number(self, use: str) -> int:
        return int.from_bytes(hashlib.sha256(f"{self.seed}/{use}".encode()).digest())
