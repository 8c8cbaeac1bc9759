"""Layers appear whole, stay while they are used, and make room for others."""

import fcntl
import os
from pathlib import Path

import pytest

from reknit.adapters.setup import layer_store
from reknit.adapters.setup.layer_store import LayerStore


def keep(store: LayerStore, tmp_path: Path, key: str, size: int = 100) -> None:
    source = tmp_path / f"made-{key}" / ".venv"
    source.mkdir(parents=True)
    (source / "file").write_bytes(b"x" * size)
    with store.start_build(key) as new:
        assert new is not None
        assert new.keep({".venv": source}) == 0


def names(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "layers").iterdir())


@pytest.fixture
def store(tmp_path: Path) -> LayerStore:
    return LayerStore(tmp_path / "layers", 1000)


def test_a_layer_is_found_by_its_key(store: LayerStore, tmp_path: Path) -> None:
    assert store.hold("one", "me") is None
    keep(store, tmp_path, "one")
    layer = store.hold("one", "me")
    assert layer is not None
    ((place, folder),) = layer.folders
    assert (place, Path(folder, "file").read_bytes()) == (".venv", b"x" * 100)
    assert names(tmp_path) == ["one"]
    store.release("me")
    store.release("me")


def test_only_one_process_builds_a_layer(store: LayerStore, tmp_path: Path) -> None:
    other = LayerStore(tmp_path / "layers", 1000)
    with store.start_build("one") as new, other.start_build("one") as second:
        assert new is not None
        assert second is None
    keep(store, tmp_path, "one")
    with other.start_build("one") as late:
        assert late is None
    assert names(tmp_path) == ["one"]


def test_what_a_dead_process_left_is_removed(store: LayerStore, tmp_path: Path) -> None:
    keep(store, tmp_path, "one")
    for left in ("two.new", "abc.new"):
        (tmp_path / "layers" / left).mkdir()
    (tmp_path / "layers" / "two.new" / "half").write_text("x")
    with store.start_build("two") as new:
        assert new is not None
        assert names(tmp_path) == ["abc.new", "one", "two.build", "two.new"]
        store.trim()  # what is being built stays
        assert names(tmp_path) == ["one", "two.build", "two.new"]
    assert names(tmp_path) == ["one"]


def test_the_least_recently_used_layers_are_removed(store: LayerStore, tmp_path: Path) -> None:
    for number, key in enumerate(("one", "two", "three", "four")):
        keep(store, tmp_path, key, 300)
        os.utime(tmp_path / "layers" / key / "lock", (number, number))
    assert store.hold("one", "me") is not None  # used last now
    store.release("me")
    store.trim()
    assert names(tmp_path) == ["four", "one", "three"]
    keep(store, tmp_path, "five", 600)
    store.trim(but="five")
    assert names(tmp_path) == ["five", "one"]


def test_a_layer_in_use_stays_until_its_use_ends(store: LayerStore, tmp_path: Path) -> None:
    other = LayerStore(tmp_path / "layers", 1000)
    for key in ("one", "two"):
        keep(store, tmp_path, key, 600)
        assert store.hold(key, key) is not None
    store.trim()
    other.trim()
    assert names(tmp_path) == ["one", "two"]
    store.release("two")
    assert names(tmp_path) == ["one"]
    assert store.hold("two", "me") is None


def test_a_layer_that_is_too_large_is_not_kept(store: LayerStore, tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "file").write_bytes(b"x" * 1500)
    with store.start_build("one") as new:
        assert new is not None
        assert new.keep({".venv": tmp_path / "made"}) == 500
    assert names(tmp_path) == []


def test_a_layer_that_is_removed_while_it_is_asked_for_counts_as_missing(store: LayerStore, tmp_path: Path) -> None:
    keep(store, tmp_path, "one")
    place = tmp_path / "layers" / "one"
    opened = os.open(place / "lock", os.O_RDWR)
    fcntl.flock(opened, fcntl.LOCK_EX)
    (place / "lock").rename(place / "old")
    (place / "lock").touch()
    assert store.hold("one", "me") is not None
    os.close(opened)


def test_the_layers_with_a_key(store: LayerStore, tmp_path: Path) -> None:
    assert store.names("one") == []
    for name in ("one", "one.a", "one.b", "two"):
        keep(store, tmp_path, name)
    with store.start_build("one.c"):
        assert store.names("one") == ["one", "one.a", "one.b"]


@pytest.mark.parametrize("lost", ["lock", "layer.json"])
def test_a_layer_that_lost_power_left_in_pieces_is_built_again(store: LayerStore, tmp_path: Path, lost: str) -> None:
    for name in ("one", "two"):
        keep(store, tmp_path, name)
        (tmp_path / "layers" / name / lost).unlink()
    assert store.hold("one", "me") is None
    with store.start_build("one") as new:
        assert new is not None
        assert new.keep({}) == 0
    store.trim()
    assert names(tmp_path) == ["one"]
    assert store.hold("one", "me") is not None


def test_a_description_without_content_counts_as_missing(store: LayerStore, tmp_path: Path) -> None:
    keep(store, tmp_path, "one")
    (tmp_path / "layers" / "one" / "layer.json").write_text("")
    assert store.hold("one", "me") is None


def test_there_are_not_more_than_so_many(store: LayerStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layer_store, "MAX_LAYERS", 2)
    for number, name in enumerate(("one", "two", "three")):
        keep(store, tmp_path, name, 0)
        os.utime(tmp_path / "layers" / name / "lock", (number, number))
    store.trim()
    assert names(tmp_path) == ["three", "two"]
