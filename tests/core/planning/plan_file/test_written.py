from reknit.core.planning.plan_file.written import written_key


def test_every_part_counts() -> None:
    key = written_key("/r", "a.md", "text")
    assert key == written_key("/r", "a.md", "text")
    others = {written_key("/s", "a.md", "text"), written_key("/r", "b.md", "text"), written_key("/r", "a.md", "texts")}
    assert len({key, *others}) == 4
