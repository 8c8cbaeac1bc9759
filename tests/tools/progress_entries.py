"""Entries of PROGRESS.txt for tests: the seed's three shapes filled in, and any others with hostile text."""

from typing import get_args

from hypothesis import strategies as st

from reknit.core.agents.reviewer import LEVELS
from reknit.core.review.progress_file.entries import (
    Entry,
    EntryVerdict,
    FailedEntry,
    FixEntry,
    ListedFinding,
    ReviewEntry,
)

AT = 1_794_824_640.0
"""2026-11-16 10:24 UTC."""

REVIEW = ReviewEntry(
    AT,
    "security",
    "blocking",
    "NEEDS_WORK",
    (
        ListedFinding(
            "SEC-001",
            "Injection",
            "Shell command from user input",
            "src/a.py",
            12,
            "The name is not quoted.",
            "Quote it.",
        ),
        ListedFinding(
            "SEC-002", "Secrets", "Token in a log line", "src/log.py", 7, "The token is logged.", "Leave it out."
        ),
    ),
)
REVIEW_TEXT = """\
[Review] 2026-11-16 10:24 UTC - security (blocking)

### Verdict: NEEDS_WORK

### Findings

1. **SEC-001**: Injection - Shell command from user input
   - File: src/a.py:12
   - Issue: The name is not quoted.
   - Suggestion: Quote it.

2. **SEC-002**: Secrets - Token in a log line
   - File: src/log.py:7
   - Issue: The token is logged.
   - Suggestion: Leave it out.

---
"""
FIX = FixEntry(AT, "security", ("SEC-001",), ("The name is quoted.",), ("src/a.py",), 1)
FIX_TEXT = """\
[Review Fix] 2026-11-16 10:24 UTC - security/SEC-001

### What was fixed
- The name is quoted.

### Files changed
- src/a.py

### Attempts
1 of 3

---
"""
FAILED = FailedEntry(AT, "security", ("SEC-002",), ("The token is logged.",), 3, "A test became red.")
FAILED_TEXT = """\
[Review Fix Failed] 2026-11-16 10:24 UTC - security/SEC-002

### Issue
- The token is logged.

### Attempts
3 of 3 (exhausted)

### Reason
A test became red.

---
"""
SILENT = ReviewEntry(AT, "security", "blocking", "NO_ANSWER", reason="gemini: crashed")
SILENT_TEXT = """\
[Review] 2026-11-16 10:24 UTC - security (blocking)

### Verdict: NO_ANSWER

### Reason
gemini: crashed

### Findings

None.

---
"""
EXAMPLES: dict[str, Entry] = {REVIEW_TEXT: REVIEW, FIX_TEXT: FIX, FAILED_TEXT: FAILED, SILENT_TEXT: SILENT}
THREE = f"{REVIEW_TEXT}\n{FIX_TEXT}\n{FAILED_TEXT}"

_PIECES = st.sampled_from(
    [
        *(
            "---",
            "----",
            "-",
            "- ",
            "* ",
            "+ x",
            "1. ",
            "2) **X-1**: y",
            "**",
            "**:",
            "*",
            ":",
            ":12",
            ":0",
            "/",
            ",",
            ", ",
        ),
        *("### Verdict: PASSED", "### Findings", "### Attempts", "### Reason", "###", "# Title", "None.", "1 of 3"),
        *(
            "[Review]",
            "[Review] 2026-11-16 10:24 UTC - security (blocking)",
            "[Review Fix]",
            "[Review Fix Failed] 2026-",
        ),
        *("   - File: a.py:1", "   - Issue: x", "- Suggestion:", " (blocking)", " - ", " -", "- ", "UTC -"),
        *("\\u{}", "\\u{2028}", "\\u{", "\\u", "\\", "{", "}", "\\n", "\\u{ffffff}", "\\u\\u{}{"),
        *("\n", "\n\n", "\r", "\r\n", " ", "  ", "     ", "\t", "\0", "\x0b", "\x0c", "\x1b[2K", "\x1c", "\x85"),
        *("\u2028", "\u2029", "\u202e", "\ufeff", "\u00a0", "\u3000", "\ud800", "\udfff", "\U0001f600", "é", "word"),
    ]
)
TEXT = st.lists(_PIECES, max_size=6).map("".join) | st.text(st.characters(exclude_categories=()), max_size=20)
_TEXTS = st.lists(TEXT, max_size=3).map(tuple)
_MINUTES = st.integers(-1_035_593_280, 4_223_371_679)
"""Of the years 1 to 9999."""
_AT = _MINUTES.map(lambda minute: minute * 60.0)
_COUNTS = st.integers(0, 5) | st.integers(0, 999_999_999)
_FINDINGS = st.builds(ListedFinding, TEXT, TEXT, TEXT, TEXT, _COUNTS, TEXT, TEXT)

REVIEWS = st.builds(
    ReviewEntry,
    _AT,
    TEXT,
    st.sampled_from(LEVELS),
    st.sampled_from(get_args(EntryVerdict)),
    st.lists(_FINDINGS, max_size=3).map(tuple),
    TEXT,
)
FIXES = st.builds(FixEntry, _AT, TEXT, _TEXTS, _TEXTS, _TEXTS, _COUNTS, _COUNTS)
FAILURES = st.builds(FailedEntry, _AT, TEXT, _TEXTS, _TEXTS, _COUNTS, TEXT, _COUNTS)
ENTRIES: st.SearchStrategy[Entry] = REVIEWS | FIXES | FAILURES
