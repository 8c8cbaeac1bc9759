import pytest

from reknit.core.agents.reviewer import Reviewer


@pytest.mark.parametrize(
    ("languages", "paths", "is_for"),
    [
        pytest.param((), ["a.go"], True, id="no filter"),
        pytest.param(("py", "TS"), ["src/A.PY", "b.go"], True, id="one of the files"),
        pytest.param(("go",), ["a.py", "b.ts"], False, id="none of the files"),
        pytest.param(("go",), ["go", ".go", "a.go/x"], False, id="only an extension counts"),
        pytest.param(("go",), [], False, id="nothing changed"),
    ],
)
def test_the_filter_looks_at_the_changed_files(languages: tuple[str, ...], paths: list[str], is_for: bool) -> None:
    assert Reviewer("r", "blocking", "R", "text", languages).is_for(paths) is is_for
