import pytest

from reknit.core.text import xml_stream
from reknit.core.text.xml_stream import XmlProblem, feed, new_parser


def test_a_long_text_is_fine_and_a_long_tag_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_stream, "PIECE", 1_000)
    monkeypatch.setattr(xml_stream, "LONGEST_TAG", 10_000)
    filler = b"x" * 50_000
    for text in (b"<a>" + filler + b"</a>", b"<a><![CDATA[" + filler + b"]]></a>", b"<b/>".join([b"<a>", b"</a>"])):
        for _ in feed(new_parser(), text):
            pass
    for tag in (b'<a b="' + filler + b'"/>', b"<a><!--" + filler + b"--></a>", b"<" + filler + b"/>"):
        with pytest.raises(XmlProblem, match="a tag of many megabytes"):
            for _ in feed(new_parser(), tag):
                pass


def test_deep_nesting_is_no_hang() -> None:
    for _ in feed(new_parser(), b"<a>" * 100_000 + b"</a>" * 100_000):
        pass
