"""A project's own instructions to agents, cut to fit a prompt, with a note where they are cut."""

from collections.abc import Sequence

from reknit.core.text.truncate import in_fair_shares, truncate_bytes

CONVENTIONS = ("CLAUDE.md", "AGENTS.md", "GEMINI.md")
CONVENTIONS_BYTES = 4_000
_NOTE_BYTES = 80


def render_conventions(files: Sequence[tuple[str, str]], limit_bytes: int = CONVENTIONS_BYTES) -> str:
    """Each file gets a fair share; those without text are left out."""
    written = [(name, text.strip()) for name, text in files if text.strip()]
    return "\n\n".join(in_fair_shares(written, _section, limit_bytes - len(written), limit_bytes))


def _section(file: tuple[str, str], limit_bytes: int) -> str:
    name, text = file
    whole = f"# {name}\n{text}"
    if len(whole.encode()) <= limit_bytes:
        return whole
    return (
        f"{truncate_bytes(whole, limit_bytes - _NOTE_BYTES)}\n[{name} is cut here: it has {len(text.encode()):,} bytes]"
    )
