"""How a plan that reknit wrote is distinguished from one that a person has edited."""

from reknit.core.planning.plan_file.plan import digest


def written_key(repository: str, file: str, text: str) -> str:
    """The question that the run which wrote exactly this text has answered."""
    parts = "\0".join((repository, file, text))
    return f"plan {digest(parts)}"
