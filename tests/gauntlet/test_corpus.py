"""Every case of the corpus can be read, fits its base, and changes something."""

import re
from collections import Counter
from pathlib import Path

import pytest

from gauntlet import corpus
from gauntlet.case import Case, Edits
from gauntlet.corpus import CorpusError, apply, bases, cases, files_of, fresh_cases, questions

CASES = (*cases(), *fresh_cases())


def test_ids_are_unique_and_plain() -> None:
    assert [case_id for case_id, count in Counter(case.id for case in CASES).items() if count > 1] == []
    assert [case.id for case in CASES if not re.fullmatch(r"[A-Za-z][\w-]*", case.id)] == []


def test_every_base_is_used_and_every_name_is_known() -> None:
    assert {case.base for case in CASES} == bases().keys() - {"unused"}
    assert {case.question for case in CASES} - {"", None} <= questions().keys()
    assert {base.question for base in bases().values()} - {""} <= questions().keys()


def test_a_case_is_in_the_language_of_its_base() -> None:
    assert [case.id for case in CASES if bases()[case.base].language != case.language] == []


def test_cheats_of_the_documentation_alone_are_apart_from_the_corpus() -> None:
    assert {(case.is_fresh, case.kind) for case in fresh_cases()} == {(True, "cheat")}
    assert [case.id for case in fresh_cases() if "-fresh-" not in case.id] == []
    assert {case.is_fresh for case in cases()} == {False}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_edits_fit_the_base(case: Case) -> None:
    before = files_of(case)
    for move in case.moves:
        assert apply(move, before) != before


@pytest.mark.parametrize(
    ("edits", "told"),
    [
        pytest.param(
            Edits(replace={"a.py": (("2", "3"),)}), "a.py does not contain '2'", id="a text that is not there"
        ),
        pytest.param(
            Edits(replace={"b.py": (("1", "3"),)}), "b.py does not contain '1'", id="a file that is not there"
        ),
        pytest.param(Edits(delete=("b.py",)), "b.py cannot be deleted", id="nothing to delete"),
        pytest.param(Edits(write={"a.py": b"x = 1\n"}), "nothing changes in a.py", id="the same text"),
    ],
)
def test_an_edit_that_does_not_fit_is_told(edits: Edits, told: str) -> None:
    with pytest.raises(CorpusError, match=re.escape(told)):
        apply(edits, {"a.py": b"x = 1\n"})


def test_edits_are_applied_in_order() -> None:
    edits = Edits(
        write={"new.py": b"y\n"}, replace={"a.py": (("1", "2"), ("2", "3"))}, delete=("gone.py",)
    )  # fmt: skip
    assert apply(edits, {"a.py": b"1 1\n", "gone.py": b""}) == {"a.py": b"3 1\n", "new.py": b"y\n"}


@pytest.mark.parametrize(
    ("path", "text", "told"),
    [
        pytest.param("cobol/cheat/exit.toml", "", "in no folder of a language", id="another language"),
        pytest.param("go/trick/exit.toml", "", "in no folder of a language", id="another kind"),
        pytest.param("go/cheat/exit.toml", '[[case]]\nid = "x"\nbase = "go"\nwrit = {}\n', "writ", id="a typo"),
    ],
)
def test_a_case_that_cannot_be_read_is_told(
    path: str, text: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cases" / path).parent.mkdir(parents=True)
    (tmp_path / "cases" / path).write_text(text)
    monkeypatch.setattr(corpus, "HERE", tmp_path)
    with pytest.raises(CorpusError, match=told):
        corpus.cases.__wrapped__()


def test_a_file_in_another_encoding_is_bytes() -> None:
    latin = next(case for case in CASES if case.id == "py-latin1-file-edit")
    assert "é".encode("latin-1") in latin.moves[0].write["shop/latin.py"]
