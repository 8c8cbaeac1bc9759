"""Another value in the place of a literal, of the same type and far from it, for languages that check types."""

import re

_WHOLE = re.compile(r"(\d[\d_]{0,30})([uifIUFlLnzs]\w{0,8})?")
_BROKEN = re.compile(r"(\d[\d_]{0,30})\.(\d[\d_]{0,30})?([fFdD]\w{0,8})?")
_TRUTH = {"true": "false", "false": "true"}


def far(literal: str) -> str:
    """Empty if there is none: hexadecimal numbers, characters, anything that is not a literal.

    A number stays in the range of the smallest type that can hold it, and near no number that rounding would reach.
    """
    if literal in _TRUTH:
        return _TRUTH[literal]
    if literal[:1] == "-":
        number = far(literal[1:]) if literal[1:2].isdigit() else ""
        return f"-{number}" if number else ""
    if found := _WHOLE.fullmatch(literal):
        return _other(found[1]) + (found[2] or "") if found[1] == "0" or found[1][0] != "0" else ""
    if found := _BROKEN.fullmatch(literal):
        return f"{_other(found[1])}.{found[2] or '0'}{found[3] or ''}"
    if literal[:1] in ('"', "`") and len(literal) > 1 and literal[-1] == literal[0]:
        return f"{literal[0]}another {literal[1:]}"
    return ""


def _other(digits: str) -> str:
    value = int(digits.replace("_", ""))
    return str(value + 61 if value < 64 else value // 2 - 3)
