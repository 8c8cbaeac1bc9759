import pytest

from reknit.core.text.workflow_command import Annotation, annotation_line


@pytest.mark.parametrize(
    ("found", "line"),
    [
        pytest.param(Annotation("error", "bad", "no"), "::error title=bad::no", id="no place"),
        pytest.param(Annotation("notice", "t", "x", "a.py", 7), "::notice file=a.py,line=7,title=t::x", id="a line"),
        pytest.param(Annotation("warning", "t", "x", "a.py"), "::warning file=a.py,title=t::x", id="a file"),
        pytest.param(Annotation("error", "t", "x", "", 7), "::error title=t::x", id="a line of no file"),
        pytest.param(
            Annotation("error", "a,b::c\n::set-env", "1%\r\n::error::2", "a:b,c=d\n.py", 1),
            "::error file=a%3Ab%2Cc=d%0A.py,line=1,title=a%2Cb%3A%3Ac%0A%3A%3Aset-env::1%25%0D%0A::error::2",
            id="nothing breaks out",
        ),
    ],
)
def test_an_annotation_is_one_line(found: Annotation, line: str) -> None:
    assert annotation_line(found) == line
    assert "\n" not in annotation_line(found)
