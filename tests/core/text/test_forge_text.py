"""Whatever others wrote, Markdown shows it as the text it is."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from reknit.core.text.forge_text import (
    WorkflowAnnotation,
    escape_markdown,
    escape_prose,
    neutralize_commit_text,
    neutralize_quote,
    render_annotation,
    to_code_span,
)
from reknit.core.text.format import to_one_line
from tests.tools.work import quickly

FORGE = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
HOSTILE = st.text(st.sampled_from("ab1 `*_[]()<>|\\~$&#@!:;/-.\"'wW"), max_size=40).map(to_one_line)


def text_of(rendered: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", rendered)).replace("\u200b", "").strip()


def tags_of(rendered: str) -> list[str]:
    return re.findall(r"<(\w+)", rendered)


@given(HOSTILE)
def test_plain_text_is_shown_as_it_is_in_a_sentence(text: str) -> None:
    rendered = FORGE.render(f"said {escape_markdown(text)} there")
    assert tags_of(rendered) == ["p"]
    assert text_of(rendered) == f"said {text} there"


@given(HOSTILE)
def test_plain_text_is_shown_as_it_is_in_a_table(text: str) -> None:
    rendered = FORGE.render(f"| a | b |\n|--|--|\n| {escape_markdown(text)} | end |")
    assert tags_of(rendered) == ["table", "thead", "tr", "th", "th", "tbody", "tr", "td", "td"]
    assert re.findall("<td>(.*)</td>", rendered)[1] == "end"
    assert text_of(re.findall("<td>(.*)</td>", rendered)[0]) == text.strip()


@given(HOSTILE)
def test_a_sentence_with_commands_holds_nothing_but_text_and_code(text: str) -> None:
    rendered = FORGE.render(f"said {escape_prose(text)} there")
    assert set(tags_of(rendered)) <= {"p", "code"}


@given(HOSTILE)
def test_code_is_one_piece(text: str) -> None:
    rendered = FORGE.render(f"said {to_code_span(text)} there")
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
    assert escape_markdown(text) == told


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
    assert escape_prose(text) == told


TOKEN = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    ("words", "left"),
    [
        pytest.param("make lint [skip ci] pass", "make lint (skip ci) pass", id="skip ci"),
        pytest.param("[CI-Skip] [No CI] [[actions skip]]", "(CI-Skip) (No CI) [(actions skip)]", id="in other words"),
        pytest.param("[skipci] [noci] [issue:12]", "(skipci) (noci) (issue:12)", id="in one word"),
        pytest.param("***NO_CI***\nskip-checks: true", "NO_CI\nskip-checks true", id="of other services"),
        pytest.param("******no_ci****\nskip-checks: :: x", "no_ci\nskip-checks x", id="what is left is none either"),
        pytest.param("fixes #12, o/r#3, GH-4, GL-5", "fixes no. 12, o/rno. 3, no. 4, no. 5", id="closes issues"),
        pytest.param(
            "closes https://x.io/o/r/issues/7,https://x.io/o/r/-/work_items/8",
            "closes https://x.io/o/r/issues/no. 7,https://x.io/o/r/-/work_items/no. 8",
            id="by their addresses",
        ),
        pytest.param("@all and a@b", "(at)all and a(at)b", id="calls people"),
        pytest.param(f"key {TOKEN}", "key [GitHub token redacted]", id="a secret"),
        pytest.param("test_price[1-decimal] issues/7.md", "test_price[1-decimal] issues/7.md", id="a test's own name"),
    ],
)
def test_words_do_nothing(words: str, left: str) -> None:
    assert neutralize_commit_text(words) == left


@pytest.mark.parametrize(
    "hostile", ["[" + "ci " * 50_000, "[ci " * 50_000, "skip-checks " + " :" * 50_000, "://" * 50_000]
)
def test_a_hostile_name_takes_no_time(hostile: str) -> None:
    with quickly():
        neutralize_commit_text(hostile)


@pytest.mark.parametrize(
    ("found", "line"),
    [
        pytest.param(WorkflowAnnotation("error", "bad", "no"), "::error title=bad::no", id="no place"),
        pytest.param(
            WorkflowAnnotation("notice", "t", "x", "a.py", 7), "::notice file=a.py,line=7,title=t::x", id="a line"
        ),
        pytest.param(WorkflowAnnotation("warning", "t", "x", "a.py"), "::warning file=a.py,title=t::x", id="a file"),
        pytest.param(WorkflowAnnotation("error", "t", "x", "", 7), "::error title=t::x", id="a line of no file"),
        pytest.param(
            WorkflowAnnotation("error", "a,b::c\n::set-env", "1%\r\n::error::2", "a:b,c=d\n.py", 1),
            "::error file=a%3Ab%2Cc=d%0A.py,line=1,title=a%2Cb%3A%3Ac%0A%3A%3Aset-env::1%25%0D%0A::error::2",
            id="nothing breaks out",
        ),
    ],
)
def test_an_annotation_is_one_line(found: WorkflowAnnotation, line: str) -> None:
    assert render_annotation(found) == line
    assert "\n" not in render_annotation(found)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("<img src=http://evil/x>", "‹img src=http: //evil/x›"),
        ("![x](http://e) [c](JavaScript:alert(1))", "![x] (http: //e) [c] (JavaScript :alert(1))"),
        ("see www.evil.com", "see www .evil.com"),
        ("assert a[0](1) == 2: a comment", "assert a[0] (1) == 2: a comment"),
    ],
)
def test_a_quote_has_no_html_and_no_link(text: str, quote: str) -> None:
    assert neutralize_quote(text) == quote
