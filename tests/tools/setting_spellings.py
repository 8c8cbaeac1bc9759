"""Ways to write one setting into a repository's file so that a careless reader takes it and a careful one does not."""

import json
import random
import re
import tomllib
import typing
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr
from pydantic.fields import FieldInfo

LOOK_ALIKES = {
    "a": "аａ𝐚á", "b": "Ьｂ𝐛", "c": "сｃ𝐜", "d": "ԁｄ𝐝", "e": "еｅ𝐞é", "f": "ｆ𝐟ﬀ", "g": "ɡｇ𝐠", "h": "һｈ𝐡",
    "i": "іｉıİ", "k": "Kｋκ", "l": "ӏｌ𝐥", "m": "ｍ𝐦", "n": "ոｎ𝐧", "o": "оｏο", "p": "рｐ𝐩", "r": "ｒ𝐫",
    "s": "ſѕｓ", "t": "ｔ𝐭", "u": "ｕ𝐮", "v": "ѵｖ", "w": "ｗ𝐰", "x": "хｘ𝐱", "y": "уｙ𝐲", "_": "＿-‿",
}  # fmt: skip
INVISIBLE = ("\u200b", "\u200d", "\ufeff", "\u00ad", "\u0301", "\u2060")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Spelling:
    file: str
    text: str


def spellings(path: tuple[str, ...], field: FieldInfo, chance: random.Random) -> Iterator[Spelling]:
    """Without end, no two alike; the same chance gives the same ones."""
    value, told = toml(other_value(field.annotation)), set[Spelling]()
    while True:
        keys = tuple(_misspelt(key, chance) for key in path)
        if chance.random() < 0.15:
            keys = (chance.choice(WHOLE)(path),)
        body = chance.choice(LAYOUTS)(keys, value, chance)
        spelling = chance.choice(FILES)(body, chance)
        if spelling not in told:
            told.add(spelling)
            yield spelling


def _misspelt(key: str, chance: random.Random) -> str:
    for _ in range(chance.choice((1, 1, 2, 3))):
        key = chance.choice(KEYS)(key, chance)
    return key


def other_value(annotation: Any) -> Any:
    """A value of this type that is nobody's default."""
    origin, options = typing.get_origin(annotation), typing.get_args(annotation)
    simple = {str: "host", bool: True, int: 3, float: 7.5, SecretStr: "https://example.test/hook"}
    if annotation in simple:
        return simple[annotation]
    if origin is typing.Literal:
        return options[-1]
    if origin is tuple:
        return ["/etc"]
    if origin is dict:
        return {"A": "b"}
    return other_value(options[0])


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(inner)}" for key, inner in value.items()) + "}"
    return json.dumps(value)


def read_carelessly(spelling: Spelling, path: tuple[str, ...]) -> bool:
    """Would a reader that folds case, Unicode forms, dashes and prefixes take it for the setting?"""
    try:
        table: Any = tomllib.loads(spelling.text)
    except tomllib.TOMLDecodeError:
        return False
    return _holds(table, [_folded(key) for key in path])


def _holds(table: Any, path: list[str]) -> bool:
    if not path:
        return True
    if isinstance(table, list):
        return any(_holds(inner, path) for inner in table)
    if not isinstance(table, dict):
        return False
    for key, inner in table.items():
        folded = _folded(key)
        parts = [part for part in re.split(r"__|\.", folded) if part]
        if parts == path[: len(parts)] and _holds(inner, path[len(parts) :]):
            return True
        if folded in ("tool", "reknit") and _holds(inner, path):
            return True
    return False


def _folded(key: str) -> str:
    plain = unicodedata.normalize("NFKD", key.strip()).casefold()
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter) and letter not in INVISIBLE)
    return plain.replace("-", "_").removeprefix("reknit_")


def _random_case(key: str, chance: random.Random) -> str:
    return "".join(chance.choice((letter.lower(), letter.upper())) for letter in key)


def _look_alike(key: str, chance: random.Random) -> str:
    at = chance.randrange(len(key))
    return key[:at] + chance.choice(LOOK_ALIKES.get(key[at].lower(), key[at].upper())) + key[at + 1 :]


def _invisible(key: str, chance: random.Random) -> str:
    at = chance.randrange(len(key) + 1)
    return key[:at] + chance.choice(INVISIBLE) + key[at:]


def _spaced(key: str, chance: random.Random) -> str:
    return chance.choice((f" {key}", f"{key} ", f"\t{key}", f"{key}\n", f"{key}\0"))


KEYS: tuple[Callable[[str, random.Random], str], ...] = (
    _random_case,
    _random_case,
    _look_alike,
    _invisible,
    _spaced,
    lambda key, _: key,
    lambda key, _: key.title(),
    lambda key, _: key.upper(),
    lambda key, _: key.replace("_", "-"),
    lambda key, _: key.replace("_", "").lower(),
    lambda key, _: f"reknit_{key}",
)
WHOLE: tuple[Callable[[tuple[str, ...]], str], ...] = (
    "__".join,
    ".".join,
    lambda path: "REKNIT_" + "__".join(path).upper(),
    lambda path: "reknit_" + "__".join(path),
)


def _written(key: str, chance: random.Random) -> str:
    escaped = "".join(f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else letter for letter in key)
    forms = [json.dumps(key), f'"{escaped}"']
    if _BARE.fullmatch(key):
        forms += [key, key]
    if not re.search(r"[\x00-\x1f']", key):
        forms.append(f"'{key}'")
    return chance.choice(forms)


def _dotted(keys: tuple[str, ...], value: str, chance: random.Random) -> str:
    return chance.choice((".", " . ")).join(_written(key, chance) for key in keys) + f" = {value}\n"


def _table(keys: tuple[str, ...], value: str, chance: random.Random) -> str:
    header = ".".join(_written(key, chance) for key in keys[:-1])
    return (f"[{header}]\n" if header else "") + f"{_written(keys[-1], chance)} = {value}\n"


def _array(keys: tuple[str, ...], value: str, chance: random.Random) -> str:
    return _table(keys, value, chance).replace("[", "[[", 1).replace("]\n", "]]\n", 1)


def _inline(keys: tuple[str, ...], value: str, chance: random.Random) -> str:
    for key in reversed(keys[1:]):
        value = f"{{ {_written(key, chance)} = {value} }}"
    return f"{_written(keys[0], chance)} = {value}\n"


def _twice(keys: tuple[str, ...], value: str, chance: random.Random) -> str:
    return _dotted(keys, value, chance) + _table(tuple(key.swapcase() for key in keys), value, chance)


def _beside_its_own(keys: tuple[str, ...], value: str, chance: random.Random) -> str:
    return "loop.attempts = 2\n" + _table(keys, value, chance)


def _in_another_table(keys: tuple[str, ...], value: str, chance: random.Random) -> str:
    return f"[{chance.choice(('loop', 'checks', 'tool.reknit', 'reknit', 'Tool.Reknit'))}]\n" + _dotted(
        keys, value, chance
    )


LAYOUTS = (_dotted, _table, _array, _inline, _twice, _beside_its_own, _in_another_table)


def _in_pyproject(body: str, chance: random.Random) -> Spelling:
    prefix = chance.choice(("tool.reknit", "tool.reknit", "tool.Reknit", "Tool.reknit", '"tool"."reknit"'))
    text = body.replace("[[", f"[[{prefix}.") if "[[" in body else body.replace("[", f"[{prefix}.", 1)
    lines = text if body.startswith("[") else f"[{prefix}]\n{body}"
    return Spelling("pyproject.toml", lines)


FILES: tuple[Callable[[str, random.Random], Spelling], ...] = (
    lambda body, _: Spelling("reknit.toml", body),
    lambda body, _: Spelling("reknit.toml", body),
    _in_pyproject,
)
