import pytest

from reknit.core.testing.reported import ReportedTests, make_relative, read_objects, read_text, replace_home


def test_a_test_that_is_reported_twice_has_its_worst_result() -> None:
    found = ReportedTests()
    found.add("a", "failed", "one")
    found.add("a", "passed", "nothing")
    found.add("a", "failed", "two", file="a.js")
    assert (found.results, found.messages, found.files) == ({"a": "failed"}, {"a": "one\ntwo"}, {"a": "a.js"})


@pytest.mark.parametrize(
    ("path", "relative"),
    [("/r/a/b.js", "b.js"), ("/t/x/b.js", "x/b.js"), ("/ra/b.js", "/ra/b.js"), ("a.js", "a.js"), ("", "")],
)
def test_paths_are_relative_to_the_first_folder_that_holds_them(path: str, relative: str) -> None:
    assert make_relative(path, ("/r/a/", "", "/t")) == relative


def test_values_of_another_type_are_none() -> None:
    value: dict[str, object] = {"a": 1, "b": "x", "c": [{"d": 1}, 2], "e": "f"}
    assert (read_text(value, "a"), read_text(value, "b"), read_text(value, "z")) == ("", "x", "")
    assert (read_objects(value, "c"), read_objects(value, "e")) == ([{"d": 1}], [])


def test_home_has_the_same_name_in_every_run() -> None:
    found = ReportedTests()
    found.add("a.py::t[/home/toruna/x]", "failed", "no /home/toruna/x", file="a.py")
    found.add("a.py::u", "passed")
    named = replace_home(found, "/home/toruna")
    assert named.results == {"a.py::t[<box-home>/x]": "failed", "a.py::u": "passed"}
    assert named.messages == {"a.py::t[<box-home>/x]": "no ~/x"}
    assert named.files == {"a.py::t[<box-home>/x]": "a.py"}
    assert replace_home(found, "") == found
