"""How a plan that reknit wrote is told from one that a person has edited."""

import hashlib


def written_key(repository: str, file: str, text: str) -> str:
    """The question that the run which wrote exactly this text has answered."""
    parts = "\0".join((repository, file, text)).encode("utf-8", "surrogateescape")
    return f"plan {hashlib.sha256(parts).hexdigest()}"
