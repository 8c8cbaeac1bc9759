"""Workflow commands of GitHub Actions: annotations, with untrusted text in them that stays text."""

from dataclasses import dataclass
from typing import Literal

AnnotationLevel = Literal["error", "warning", "notice"]


@dataclass(frozen=True)
class Annotation:
    level: AnnotationLevel
    title: str
    text: str
    file: str = ""
    line: int = 0


def annotation_line(found: Annotation) -> str:
    """`::error file=shop/a.py,line=7,title=…::…`"""
    place = [f"file={_property(found.file)}"] if found.file else []
    place += [f"line={found.line}"] if found.file and found.line else []
    return f"::{found.level} {','.join([*place, f'title={_property(found.title)}'])}::{_data(found.text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
