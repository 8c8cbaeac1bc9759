from reknit.core.testing.command import RunnerCall, TestCommand, drop_options, set_report_name


def test_the_manifest_is_named_from_the_top_of_the_repository() -> None:
    assert TestCommand("go", ("go",), "junit", origin="go.mod").manifest == "go.mod"
    assert TestCommand("go", ("go",), "junit", origin="go.mod", folder="svc").manifest == "svc/go.mod"


def test_the_report_has_the_name_that_is_chosen_and_others_keep_theirs() -> None:
    ours = TestCommand(
        "x",
        ("x", "--out={outbox}/report.json", "report.xml"),
        "report",
        "{outbox}/report.json",
        env=(("A", "{outbox}/report.json"), ("B", "1")),
    )
    named = set_report_name(ours, "word")
    assert named.argv == ("x", "--out={outbox}/word.json", "report.xml")
    assert (named.report, named.env) == ("{outbox}/word.json", (("A", "{outbox}/word.json"), ("B", "1")))
    users = TestCommand("command", ("x", "{outbox}/mine.xml"), "junit", "{outbox}/mine.xml")
    assert set_report_name(users, "word") == users


def test_options_are_taken_out_with_their_values() -> None:
    words = ("--a", "--b", "x", "--c=1", "--b=y", "file", "--ab", "--b")
    assert drop_options(words, ("--a", "--c"), ("--b",)) == ("file", "--ab")


def test_a_call_is_shown_as_it_was_typed() -> None:
    assert RunnerCall(("npx", "jest"), ("a b",)).typed == "npx jest 'a b'"
