"""Issues: what is open besides pull requests, which share their numbers."""

from dataclasses import dataclass

from tests.tools.github.tokens import Person


@dataclass
class Issue:
    id: int
    number: int
    title: str
    author: Person
    created_at: str
    labels: list[str]
    state: str = "open"
