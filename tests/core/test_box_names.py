from reknit.core.box_names import make_box_names, make_file_names


def test_the_same_seed_gives_the_same_names_and_another_gives_others() -> None:
    assert make_box_names("a") == make_box_names("a")
    assert make_box_names("a") != make_box_names("b")


def test_names_are_different_ordinary_and_of_one_length() -> None:
    seen = [make_box_names(str(number)) for number in range(200)]
    for names in seen:
        words = (names.user, names.host, names.outbox[1:])
        assert len({*words}) == 3
        assert all(word.isalpha() and word.islower() and len(word) == 6 for word in words)
        assert names.home == f"/home/{names.user}"
    assert len({names.user for names in seen}) > 190
    assert len({*make_file_names("x", 20)}) == 20


def test_paths_are_filled_in() -> None:
    names = make_box_names("a")
    assert names.fill_paths("--a={outbox}/b:<box-home>/c") == f"--a={names.outbox}/b:{names.home}/c"
    assert names.fill_paths("outbox {gateway}") == "outbox {gateway}"
