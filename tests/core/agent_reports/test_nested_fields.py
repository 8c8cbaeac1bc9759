from reknit.core.agent_reports.fields import Field, IntegerRule, InvalidValue, Text
from reknit.core.agent_reports.nested_fields import ListOf, ObjectOf, TextOrNull

PAIR = ObjectOf(
    (Field("name", "A name.", Text(5)), Field("count", "How many.", IntegerRule(0))),
    lambda values: (values["name"], values["count"]),
    ("", 0),
)


def test_nothing_is_an_empty_text() -> None:
    rule = TextOrNull(5)
    assert rule.read(None) == ""
    assert rule.read(" a ") == "a"
    assert rule.read("") == InvalidValue("0 characters")
    assert rule.schema() == {"type": ["string", "null"], "minLength": 1, "maxLength": 5}


def test_a_list_names_the_first_wrong_place() -> None:
    rule = ListOf(Text(3), most=2)
    assert rule.read(["a", "b"]) == ("a", "b")
    assert rule.read(["a", 7]) == InvalidValue("7 at [1]")
    assert rule.read(["a"] * 3) == InvalidValue("a list of 3")
    assert rule.read(None) == InvalidValue("null")
    assert rule.expected == "a list of 1 to 2, each text of 1 to 3 characters"


def test_an_object_takes_its_fields_and_no_others() -> None:
    assert PAIR.read({"name": "a", "count": 2}) == ("a", 2)
    assert PAIR.read([]) == InvalidValue("a list")
    wrong = PAIR.read({"name": "a", "counts": 2})
    assert isinstance(wrong, InvalidValue)
    assert "did you mean 'count'?" in wrong.got
    assert "count: expected an integer >= 0, got nothing" in wrong.got
