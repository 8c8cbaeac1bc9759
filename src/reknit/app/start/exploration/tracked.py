"""What the tracked files of a repository tell: languages, documents, and expected files that are missing."""

from dataclasses import dataclass

from reknit.adapters.files.first_bytes import first_bytes
from reknit.adapters.git.exploration.history import tracked_files
from reknit.core.planning.context import Doc
from reknit.core.planning.exploration.docs import FIRST_BYTES, MOST_DOCS, doc_of, documents_among
from reknit.core.planning.exploration.expected_files import DOCUMENTS, GOVERNANCE, candidates, missing
from reknit.core.planning.exploration.listing import Listing


@dataclass(frozen=True)
class TrackedFiles:
    near: tuple[str, ...] = ()
    """Paths at the root and in the folders that exploration reads."""
    languages: tuple[tuple[str, int], ...] = ()
    docs: tuple[Doc, ...] = ()
    docs_not_listed: int = 0
    docs_missing: tuple[str, ...] = ()
    governance_missing: tuple[str, ...] = ()


def look_at_tracked(root: str) -> TrackedFiles:
    """As they are in the working tree; git is asked once."""
    listing = Listing(tracked_files(root))
    near = listing.near_the_top()
    documents = documents_among(near)
    begun = first_bytes(root, documents[:MOST_DOCS], FIRST_BYTES)
    expected = candidates(near)
    there = {*begun, *first_bytes(root, [path for path in expected if path not in begun], 1)}
    expected_there = [path for path in expected if path in there]
    return TrackedFiles(
        near=near,
        languages=listing.languages(),
        docs=tuple(doc_of(path, raw) for path, raw in begun.items()),
        docs_not_listed=max(len(documents) - MOST_DOCS, 0),
        docs_missing=missing(DOCUMENTS, expected_there),
        governance_missing=missing(GOVERNANCE, expected_there),
    )
