"""The store of answers with their ETags."""

from reknit.adapters.github.api.etags import CachedResponse, CacheKey, EtagStore

ONE, TWO, THREE = (CacheKey(f"/x?page={number}", "json", "me") for number in (1, 2, 3))
KEPT = CachedResponse('W/"1"', b"{}", more=False)


def test_an_answer_is_found_by_address_form_and_identity() -> None:
    store = EtagStore()
    store.keep(ONE, KEPT)

    assert store.find(ONE) == KEPT
    assert store.find(TWO) is None
    assert store.find(CacheKey(ONE.url, "diff", "me")) is None
    assert store.find(CacheKey(ONE.url, "json", "you")) is None


def test_what_was_used_longest_ago_goes_first() -> None:
    store = EtagStore(most=2)
    store.keep(ONE, KEPT)
    store.keep(TWO, KEPT)
    store.find(ONE)
    store.keep(THREE, KEPT)

    assert [store.find(asked) is not None for asked in (ONE, TWO, THREE)] == [True, False, True]


def test_it_holds_256_by_default() -> None:
    store = EtagStore()
    for number in range(300):
        store.keep(CacheKey(f"/{number}", "json", "me"), KEPT)

    assert [store.find(CacheKey(f"/{number}", "json", "me")) is not None for number in (43, 44)] == [False, True]
