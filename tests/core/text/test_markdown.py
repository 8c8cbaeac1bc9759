"""Whatever others wrote, Markdown shows it as the text it is."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from reknit.core.text.format import one_line
from reknit.core.text.markdown import code, plain, prose

FORGE = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
HOSTILE = st.text(st.sampled_from("ab1 `*_[]()<>|\\~$&#@!:;/-.\"'wW"), max_size=40).map(one_line)


def text_of(rendered: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", rendered)).replace("\u200b", "").strip()


def tags_of(rendered: str) -> list[str]:
    return re.findall(r"<(\w+)", rendered)


@given(HOSTILE)
def test_plain_text_is_shown_as_it_is_in_a_sentence(text: str) -> None:
    rendered = FORGE.render(f"said {plain(text)} there")
    assert tags_of(rendered) == ["p"]
    assert text_of(rendered) == f"said {text} there"


@given(HOSTILE)
def test_plain_text_is_shown_as_it_is_in_a_table(text: str) -> None:
    rendered = FORGE.render(f"| a | b |\n|--|--|\n| {plain(text)} | end |")
    assert tags_of(rendered) == ["table", "thead", "tr", "th", "th", "tbody", "tr", "td", "td"]
    assert re.findall("<td>(.*)</td>", rendered)[1] == "end"
    assert text_of(re.findall("<td>(.*)</td>", rendered)[0]) == text.strip()


@given(HOSTILE)
def test_a_sentence_with_commands_holds_nothing_but_text_and_code(text: str) -> None:
    rendered = FORGE.render(f"said {prose(text)} there")
    assert set(tags_of(rendered)) <= {"p", "code"}


@given(HOSTILE)
def test_code_is_one_piece(text: str) -> None:
    rendered = FORGE.render(f"said {code(text)} there")
    assert tags_of(rendered) == (["p", "code"] if text else ["p"])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("thanks @octocat", "thanks @&#8203;octocat", id="nobody is called"),
        pytest.param("see acme/shop#12 and #7", "see acme/shop#&#8203;12 and #&#8203;7", id="no issue is linked"),
        pytest.param("GH-12", "GH-&#8203;12", id="nor in the other spelling"),
        pytest.param("https://evil.example", "https:&#8203;//evil.example", id="no address becomes a link"),
        pytest.param("www.evil.example", "www&#8203;.evil.example", id="nor one without a scheme"),
        pytest.param("C# and # and a-b", "C# and # and a-b", id="the rest stays readable"),
        pytest.param("<!-- x -->", "&#60;!-- x --&#62;", id="nothing is hidden"),
    ],
)
def test_what_a_forge_would_act_on_is_taken_apart(text: str, told: str) -> None:
    assert plain(text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("run `git pull` then `x`", "run `git pull` then `x`", id="commands stay commands"),
        pytest.param("odd ` one", "odd &#96; one", id="a lone backtick is text"),
        pytest.param("a `` b", "a  b", id="nothing is no code"),
        pytest.param("`@octocat <!-- x`", "`@octocat <! -- x`", id="in code nobody is called, and no stamp is forged"),
    ],
)
def test_commands_in_a_sentence(text: str, told: str) -> None:
    assert prose(text) == told
