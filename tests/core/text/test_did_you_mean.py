import pytest

from reknit.core.text.did_you_mean import did_you_mean


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        pytest.param("Levle", "did you mean `level`?", id="close, in another case"),
        pytest.param("zzz", "", id="nothing is close"),
        pytest.param("level" + "x" * 10_000, "", id="long text"),
    ],
)
def test_the_nearest_name_is_the_hint(word: str, hint: str) -> None:
    assert did_you_mean(word, ["name", "level"]) == hint
