"""A plain tree as compact YAML: one line per entry of a list, and quotes only where YAML would read something else."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from reknit.core.planning.exploration.document import Tree
from reknit.core.text.truncate import byte_length, fair_shares

LEFT_OUT = "LeftOut"
_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./@+-]*+(?: [A-Za-z0-9_./@+-]++)*+")
_OTHER_MEANING = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
"""YAML has them only as escapes."""
_NOTE_BYTES = 20
"""For the number of a section's entries that are left out, beside its name."""


def as_yaml(tree: Mapping[str, Tree], most_bytes: int = 0) -> str:
    """At most `most_bytes`, if given: the longest lists are cut, and `LeftOut` says how many entries each lost.

    Only entries of lists and maps are cut, so a limit below a few KB may not be kept.
    """
    sections = list(_sections(tree))
    if most_bytes and sum(byte_length(section.text) for section in sections) > most_bytes:
        _cut(sections, most_bytes)
    lost: dict[str, Tree] = {section.name: section.lost for section in sections if section.lost}
    note = f"{LEFT_OUT}: {_flow(lost)}\n" if lost else ""
    return "".join(section.text for section in sections) + note


class _Section:
    """A name of the document with the value beside it, or with the lines below it."""

    def __init__(self, path: tuple[str, ...], beside: str, lines: Iterable[str] = ()) -> None:
        """`beside`: for lines, what stands there if there are none."""
        indent = "  " * (len(path) - 1)
        self.name, self.lost, self._beside = ".".join(path), 0, beside
        self._label = f"{indent}{_scalar(path[-1])}:"
        self.lines = [f"{indent}{line}\n" for line in lines]

    @property
    def head(self) -> str:
        return f"{self._label}\n" if self.lines or not self._beside else f"{self._label} {self._beside}\n"

    @property
    def text(self) -> str:
        return self.head + "".join(self.lines)

    def cut(self, most_bytes: int) -> None:
        kept = size = 0
        for line in self.lines:
            size += byte_length(line)
            if size > most_bytes:
                break
            kept += 1
        self.lost = len(self.lines) - kept
        del self.lines[kept:]


def _cut(sections: list[_Section], most_bytes: int) -> None:
    listed = [section for section in sections if section.lines]
    fixed = sum(byte_length(section.head) for section in sections) + byte_length(LEFT_OUT)
    notes = sum(byte_length(section.name) + _NOTE_BYTES for section in listed)
    wanted = [sum(map(byte_length, section.lines)) for section in listed]
    for section, share in zip(listed, fair_shares(wanted, max(most_bytes - fixed - notes, 0)), strict=True):
        section.cut(share)


def _sections(tree: Mapping[str, Tree], above: tuple[str, ...] = ()) -> Iterator[_Section]:
    """A map that has lists, such as the inventory, is one section per name in it."""
    for key, value in tree.items():
        path = (*above, key)
        if isinstance(value, dict) and any(isinstance(inner, list) for inner in value.values()):
            yield _Section(path, "")
            yield from _sections(value, path)
        elif isinstance(value, dict):
            yield _Section(path, "{}", (f"  {_scalar(inner)}: {_flow(each)}" for inner, each in value.items()))
        elif isinstance(value, list):
            yield _Section(path, "[]", (f"- {_flow(each)}" for each in value))
        else:
            yield _Section(path, _scalar(value))


def _flow(value: Tree) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_scalar(name)}: {_flow(inner)}' for name, inner in value.items())}}}"
    return _scalar(value)


def _scalar(value: str | int | bool | None) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    if _PLAIN.fullmatch(value) and value.lower() not in _OTHER_MEANING:
        return value
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))
