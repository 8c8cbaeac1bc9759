"""What a project tells agents, in a prompt: never cut without a word."""

from reknit.core.repository.conventions import CONVENTIONS_BYTES, render_conventions


def test_files_without_text_are_left_out() -> None:
    text = render_conventions([("CLAUDE.md", "Be brief.\n"), ("AGENTS.md", " \n"), ("GEMINI.md", "Use tabs.\n")])
    assert text == "# CLAUDE.md\nBe brief.\n\n# GEMINI.md\nUse tabs."
    assert render_conventions([]) == ""


def test_a_long_one_is_cut_at_a_whole_letter_and_says_so() -> None:
    text = render_conventions([("CLAUDE.md", "ä" * 4_000)])
    assert CONVENTIONS_BYTES - 100 <= len(text.encode()) <= CONVENTIONS_BYTES
    assert text.endswith("ä…\n[CLAUDE.md is cut here: it has 8,000 bytes]")


def test_a_long_one_leaves_room_for_the_others() -> None:
    text = render_conventions([("CLAUDE.md", "x" * 90_000), ("AGENTS.md", "Use tabs."), ("GEMINI.md", "y" * 90_000)])
    assert len(text.encode()) <= CONVENTIONS_BYTES
    assert "# AGENTS.md\nUse tabs.\n" in text
    assert text.count(" is cut here: it has 90,000 bytes]") == 2
