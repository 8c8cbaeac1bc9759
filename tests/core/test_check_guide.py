"""What `reknit explain CHECK` says."""

from reknit.core.check_answer import CHECKS
from reknit.core.check_guide import CHECK_GUIDE, explain_check, render_check_document


def test_every_check_is_explained_in_order() -> None:
    assert tuple(CHECK_GUIDE) == CHECKS
    for check in CHECKS:
        text, document = explain_check(check), render_check_document(check)
        assert text.startswith(f"{check}  ")
        assert all(str(words) in text for words in document.values())
        assert max(map(len, text.splitlines())) < 240
