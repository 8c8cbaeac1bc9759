"""Events that no agent would send, or only a broken one: always the same, none of a window that has a marker."""

import json
import random
from collections.abc import Callable, Iterator, Mapping

Event = Mapping[str, object]
_VALUES: tuple[object, ...] = (
    None, True, 0, -1, 1e308, 10**400, "", " ", "\0", "x" * 70_000, "\ud800", "\udcff", [], {}, [[[]]], {"a": []},
)  # fmt: skip
_FOLDERS = (
    "/nowhere/at/all", "relative", "./.", "../..", "/..", "//", "/proc/self/fd", "/proc/self/root/proc/self/cwd",
    "/dev/null", "/dev/stdin", "/a\0b", "/Größe und Maß", "/" + "x" * 300, "/x" * 5000, "~", "$HOME", "/tmp\n", "C:\\",
)  # fmt: skip


def hostile_events(intact: Event, markers: str, count: int, seed: int = 16) -> Iterator[bytes]:
    """`intact`: of a window without a marker; `markers`: the folder that has one of the window `mine`."""
    chance = random.Random(seed)
    kinds: tuple[Callable[[], bytes], ...] = (
        lambda: _truncated(chance, intact),
        lambda: _flipped(chance, intact),
        lambda: _bytes(intact, {chance.choice(list(intact)): chance.choice(_VALUES)}),
        lambda: _bytes(intact, {"session_id": _session(chance, markers)}),
        lambda: _bytes(intact, {"cwd": chance.choice(_FOLDERS)}),
        lambda: _nested(chance, intact),
        lambda: chance.randbytes(chance.randrange(2000)),
        lambda: _bytes(intact, {}).replace(b"done", chance.randbytes(9)),
        lambda: _bytes(intact, {}) + chance.choice((b"\0", b"{}", _bytes(intact, {"session_id": "mine"}))),
        lambda: _large(chance, intact),
    )
    for number in range(count):
        yield kinds[number % len(kinds)]()


def _bytes(intact: Event, changes: Event) -> bytes:
    return json.dumps({**intact, **changes}).encode()


def _truncated(chance: random.Random, intact: Event) -> bytes:
    whole = _bytes(intact, {})
    return whole[: chance.randrange(len(whole))]


def _flipped(chance: random.Random, intact: Event) -> bytes:
    data = bytearray(_bytes(intact, {}))
    for _ in range(chance.randint(1, 8)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data)


def _session(chance: random.Random, markers: str) -> object:
    """Other spellings of the file that is the marker of `mine`."""
    folder = markers.rpartition("/")[2]
    spellings = (
        "mine/", "/mine", "./mine", "mine/.", "mine\0", "mine\n", " mine", "MINE", "Mine", "mine\u200b", "ｍine",
        "mine*", "min?", ["mine"], {"mine": 1}, f"../{folder}/mine", f"{markers}/mine",
        f"../../hooks/{folder}/mine", "..", ".", "unclaimed", "--session=mine", "mine --active", "mine" * 40,
    )  # fmt: skip
    return chance.choice(spellings)


def _nested(chance: random.Random, intact: Event) -> bytes:
    depth = chance.choice((10, 1000, 100_000))
    opening, closing = chance.choice(((b"[", b"]"), (b'{"a":', b"}")))
    inner = opening * depth + b"1" + closing * depth
    return chance.choice((inner, opening * depth, _bytes(intact, {})[:-1] + b', "x": ' + inner + b"}"))


def _large(chance: random.Random, intact: Event) -> bytes:
    return _bytes(intact, {"last_assistant_message": "x" * chance.choice((70_000, 1 << 20, 3 << 20))})
