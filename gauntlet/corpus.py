"""Reads the corpus: bases are folders of files, cases are TOML; a case's language, kind and class are its file's path.

gauntlet/bases/NAME/...                            the files of a base, on top of those it is made `from`
gauntlet/bases.toml                                its language, test command and question
gauntlet/cases/LANGUAGE/KIND/CLASS.toml            [[case]] with `id`, `base` and edits
gauntlet/fresh/LANGUAGE/cheat/CLASS.toml           the same, written from the documentation alone; apart from the corpus
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, get_args

from gauntlet.case import LANGUAGES, Base, Case, Edits, Files, Kind, Question

HERE = Path(__file__).parent
_FIELDS = {"id", "base", "note", "command", "question", "given", "moves", "write", "replace", "delete", "encoding"}


class CorpusError(Exception):
    """A case or base that cannot be read."""


@cache
def bases() -> Mapping[str, Base]:
    return {name: _base(name, described) for name, described in _described()["base"].items()}


@cache
def questions() -> Mapping[str, Question]:
    return {
        name: Question(tuple(each["argv"]), {path: text.encode() for path, text in each.get("files", {}).items()})
        for name, each in _described()["question"].items()
    }


@cache
def cases() -> tuple[Case, ...]:
    return tuple(case for path in sorted((HERE / "cases").glob("*/*/*.toml")) for case in _cases_of(path))


@cache
def fresh_cases() -> tuple[Case, ...]:
    paths = sorted((HERE / "fresh").glob("*/*/*.toml"))
    return tuple(replace(case, is_fresh=True) for path in paths for case in _cases_of(path))


def files_of(case: Case) -> Files:
    """The project as the agent finds it."""
    return apply(case.given, bases()[case.base].files)


def apply(edits: Edits, files: Files) -> Files:
    """Every edit must change something: a corpus that no longer fits its bases is told at once."""
    after = dict(files)
    for path, pairs in edits.replace.items():
        for old, new in pairs:
            if path not in after or old.encode() not in after[path]:
                raise CorpusError(f"{path} does not contain {old!r}")
            after[path] = after[path].replace(old.encode(), new.encode(), 1)
    after.update(edits.write)
    for path in edits.delete:
        if after.pop(path, None) is None:
            raise CorpusError(f"{path} cannot be deleted: it is not there")
    if after == files and edits.paths:
        raise CorpusError(f"nothing changes in {', '.join(sorted(edits.paths))}")
    return after


@cache
def _described() -> Mapping[str, Any]:
    return tomllib.loads((HERE / "bases.toml").read_text())


def _base(name: str, described: Mapping[str, Any]) -> Base:
    files: dict[str, bytes] = {}
    under: Mapping[str, Any] = {}
    if parent := described.get("from"):
        under = _described()["base"][parent]
        files.update(_base(parent, under).files)
    folder = HERE / "bases" / name
    files.update({path.relative_to(folder).as_posix(): path.read_bytes() for path in _files_in(folder)})
    for path in described.get("without", ()):
        del files[path]
    whole = {**under, **described}
    return Base(
        name=name,
        language=whole["language"],
        files=files,
        command=whole.get("command", ""),
        question=whole.get("question", ""),
        show=tuple(whole.get("show", ())),
        needs=tuple(whole.get("needs", ())),
    )


def _files_in(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)


def _cases_of(path: Path) -> Iterator[Case]:
    language, kind, group = path.parts[-3], path.parts[-2], path.stem
    if language not in LANGUAGES or kind not in get_args(Kind):
        raise CorpusError(f"{path} is in no folder of a language and a kind")
    for each in tomllib.loads(path.read_text())["case"]:
        if unknown := each.keys() - _FIELDS:
            raise CorpusError(f"{path}: {each['id']} has unknown fields: {', '.join(sorted(unknown))}")
        moves = each.get("moves", [each])
        yield Case(
            id=each["id"],
            kind=kind,  # type: ignore[arg-type]  # checked above
            language=language,
            group=group,
            base=each["base"],
            moves=tuple(_edits(move, each.get("encoding", {})) for move in moves),
            given=_edits(each.get("given", {}), each.get("encoding", {})),
            command=each.get("command", ""),
            question=each.get("question"),
            note=each.get("note", ""),
        )


def _edits(told: Mapping[str, Any], encoding: Mapping[str, str]) -> Edits:
    return Edits(
        write={path: text.encode(encoding.get(path, "utf-8")) for path, text in told.get("write", {}).items()},
        replace={path: tuple((old, new) for old, new in pairs) for path, pairs in told.get("replace", {}).items()},
        delete=tuple(told.get("delete", ())),
    )
