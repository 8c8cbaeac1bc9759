"""Texts on which a regular expression is slow if it can be slow, derived from the parsed pattern."""

import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

FULL = 1_000_000
_SMALL = (300, 2_000)
_TO_THE_END = 2
"""So many of the texts, the slowest ones at the last small size, are fed in full length."""
_AGAIN = 5
"""A late text is fed so often again: the shortest time is the expression's, the rest is the machine's."""
_REFERENCE = re.compile("(?:ab|cd){1,20}x")
_REFERENCE_TEXT = "ab" * 250_000
_REFERENCE_S = 0.024
"""Time of the reference on an idle machine. Other programs on the same cores have tripled it."""
_PATIENCE_S = 10.0
"""What takes longer than this is slow on any machine, and is not fed again."""
_RUNS = (
    " ", "\t", "\n", "\r\n", "0", "a", "A", "_", "-", ".", "/", "\\", "(", "[", "{", "'", '"', "`", "#", "é", "\x00",
    "a ", "a.", "a/", "a\n", " \n", "::", "//", "--", "a: ", "1 ", "@a", " 'a", ' "a', " `a",
)  # fmt: skip
_BREAKS = ("", "\x01", "\n", "!", " x")
_MAX_PUMPS = 7
_TRIED = tuple("a0 \t\n_-./A:\\\"'#(=+é\x01")


@dataclass(frozen=True)
class Slow:
    method: str
    text: str
    """The beginning of it."""
    characters: int
    seconds: float


def slowest(pattern: str | bytes, flags: int, methods: Sequence[str], limit_s: float, size: int = FULL) -> Slow:
    """The worst that was seen; it stops at the first text that takes longer than the limit."""
    compiled = re.compile(pattern, flags)
    worst = Slow("", "", 0, 0.0)
    for method in _distinct(methods):
        timed: list[tuple[float, Callable[[int], str]]] = []
        for make in _texts(pattern, flags):
            seconds = 0.0
            for length in (length for length in _SMALL if length <= size):
                text = make(length)
                seconds = _timed(compiled, method, text, limit_s)
                if seconds > limit_s:
                    return Slow(method, text[:80], length, seconds)
            timed.append((seconds, make))
        timed.sort(key=lambda pair: pair[0], reverse=True)
        for _seconds, make in timed[:_TO_THE_END]:
            for length in (size // 64, size // 16, size // 4, size):
                text = make(length)
                seconds = _timed(compiled, method, text, limit_s)
                worst = max(worst, Slow(method, text[:80], length, seconds), key=lambda slow: slow.seconds)
                if seconds > limit_s:
                    return worst
    return worst


def _distinct(methods: Sequence[str]) -> list[str]:
    """Those that only differ in what they return are tried once, by the one that reads the whole text."""
    searching = {"search", "findall", "finditer", "split", "sub", "subn"}
    return [*(["sub"] if searching & {*methods} else []), *sorted({*methods} - searching)]


def _timed(compiled: re.Pattern[Any], method: str, text: str, limit_s: float) -> float:
    given: Any = text.encode()[: len(text)] if isinstance(compiled.pattern, bytes) else text
    seconds = _seconds(compiled, method, given)
    for _ in range(_AGAIN):
        if not limit_s < seconds < _PATIENCE_S:
            break
        slowness = max(1.0, _seconds(_REFERENCE, "sub", _REFERENCE_TEXT) / _REFERENCE_S)
        seconds = min(seconds, _seconds(compiled, method, given) / slowness)
    return seconds


def _seconds(compiled: re.Pattern[Any], method: str, given: Any) -> float:
    start = time.thread_time()  # other threads of a test process are no part of it
    if method == "sub":
        compiled.sub(given[:0], given)
    else:
        getattr(compiled, method)(given)
    return time.thread_time() - start


def _texts(pattern: str | bytes, flags: int) -> Iterator[Callable[[int], str]]:
    for prefix, pump, ending in sorted({*_shapes(pattern, flags)}):
        if pump:
            yield lambda size, prefix=prefix, pump=pump, ending=ending: (  # type: ignore[misc]
                prefix + pump * ((size - len(prefix)) // len(pump) + 1) + ending
            )


def _shapes(pattern: str | bytes, flags: int) -> Iterator[tuple[str, str, str]]:
    for run in _RUNS:
        yield from (("", run, ending) for ending in ("", "\x01"))
    if isinstance(pattern, bytes):
        pattern = pattern.decode("latin-1")
    tree = parser.parse(pattern, flags & ~re.UNICODE)
    whole = _example(tree)
    for text in {whole, whole[:-1], whole[: len(whole) // 2]}:
        yield from (("", text, ending) for ending in ("", "\x01"))
    for prefix, pumps in _repeats(tree, ""):
        for pump in pumps:
            yield from ((prefix, pump, ending) for ending in _BREAKS)
            yield from ((prefix + pump * 3 + " ", pump, ending) for ending in ("", "\x01"))
            # The beginning again and again, with a long tail each time: every one of them starts a search.
            yield from (("", prefix + pump * count, ending) for count in (0, 1, 100) for ending in ("", "\x01"))
            yield from (("", pump * 300 + end, "") for end in ("\n", " ", "\x01"))


def _repeats(tree: Any, prefix: str) -> Iterator[tuple[str, list[str]]]:
    """For each repetition: what stands before it, and what can be repeated in it."""
    for operator, argument in tree:
        if operator in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            _least, most, body = argument
            if most > 8:
                yield prefix, _bodies(body)
            yield from _repeats(body, prefix)
        elif operator is sre.BRANCH:
            for branch in argument[1]:
                yield from _repeats(branch, prefix)
        elif operator is sre.SUBPATTERN:
            yield from _repeats(argument[-1], prefix)
        elif operator is sre.ATOMIC_GROUP:
            yield from _repeats(argument, prefix)
        elif operator in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _repeats(argument[1], prefix)
        prefix += _example_of(operator, argument)


def _bodies(body: Any) -> list[str]:
    if len(body) == 1 and body[0][0] in (sre.IN, sre.ANY, sre.NOT_LITERAL):
        return [character for character in _TRIED if _fits(body[0], character)][:_MAX_PUMPS] or [_example(body)]
    if len(body) == 1 and body[0][0] is sre.BRANCH:
        return [_example(branch) for branch in body[0][1][1]]
    example = _example(body)
    return [example, *(example + character for character in " a\n" if example)]


def _example(tree: Any) -> str:
    return "".join(_example_of(operator, argument) for operator, argument in tree)


def _example_of(operator: Any, argument: Any) -> str:
    """A short text that fits; what only looks around has none."""
    if operator is sre.LITERAL:
        return chr(argument)
    if operator in (sre.IN, sre.ANY, sre.NOT_LITERAL):
        return next((character for character in _TRIED if _fits((operator, argument), character)), _first(argument))
    if operator in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        least, most, body = argument
        return _example(body) * (least or int(most >= 1 and least == 0 and len(body) > 1))
    if operator is sre.BRANCH:
        return _example(argument[1][0])
    if operator is sre.SUBPATTERN:
        return _example(argument[-1])
    return _example(argument) if operator is sre.ATOMIC_GROUP else ""


def _first(argument: Any) -> str:
    for operator, value in argument if isinstance(argument, list) else ():
        if operator is sre.LITERAL:
            return chr(value)
        if operator is sre.RANGE:
            return chr(value[0])
    return ""


def _fits(node: Any, character: str) -> bool:
    """By asking the engine for a pattern of this one element."""
    state = parser.State()
    one = parser.SubPattern(state, [node])
    return re._compiler.compile(one, 0).fullmatch(character) is not None  # type: ignore[attr-defined]
