"""Token prices: a table of list prices in USD per million tokens, and the cost of a response."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import NoReturn, get_args

from reknit.core.errors import UsageError
from reknit.core.gateway.access import ProviderName
from reknit.core.gateway.metering import Tokens

PER_USD = 10**12
"""Money is counted in whole trillionths of a dollar: sums are exact, so a cap is never exceeded by rounding."""

_MAX_PRICE_USD = 10_000.0
_PRICES = ("input", "cached", "cache_write", "output")
_ROW_KEYS = {"model", "max_output", "long", "cache_write_short", *_PRICES}
_LONG_KEYS = {"above", "cache_write_short", *_PRICES}
_HELP = "see the prices.toml that ships with reknit for the format of a row"


@dataclass(frozen=True)
class Prices:
    """Prices per token in trillionths of a dollar, which equal millionths of a dollar per million tokens."""

    input: int
    cached: int
    cache_write: int
    """Price for the vendor's longest cache lifetime, which is the most expensive."""
    cache_write_short: int
    output: int

    def compute_cost(self, tokens: Tokens) -> int:
        short = min(tokens.cache_write_short, tokens.cache_write)
        return (
            tokens.input * self.input
            + (tokens.cache_write - short) * self.cache_write
            + short * self.cache_write_short
            + tokens.cached * self.cached
            + tokens.output * self.output
        )


@dataclass(frozen=True)
class WorstCase:
    """The most that one token of a request can cost."""

    input: int
    output: int


@dataclass(frozen=True)
class PriceRow:
    """The prices of the models that match a glob."""

    model: str
    """Glob of model names, in lower case."""
    short: Prices
    long: Prices | None = None
    """Prices of the whole request if its prompt exceeds `above` tokens."""
    above: int = 0
    max_output: int | None = None

    def is_for(self, model: str) -> bool:
        return fnmatchcase(model.lower(), self.model)

    def compute_cost(self, tokens: Tokens) -> int:
        prices = self.long if self.long and tokens.prompt > self.above else self.short
        return prices.compute_cost(tokens)

    def find_worst_case(self, most_prompt: int) -> WorstCase:
        """Return the worst case for a prompt of at most `most_prompt` tokens."""
        tiers = [self.short, self.long] if self.long and most_prompt > self.above else [self.short]
        inputs = [max(tier.input, tier.cached, tier.cache_write, tier.cache_write_short) for tier in tiers]
        return WorstCase(max(inputs), max(tier.output for tier in tiers))


@dataclass(frozen=True)
class PriceTable:
    """The price rows of every provider."""

    rows: Mapping[ProviderName, tuple[PriceRow, ...]]

    def find_row(self, provider: ProviderName, model: str) -> PriceRow:
        """Return the first row that matches the model; without one, the provider's most expensive row."""
        rows = self.rows[provider]
        match = next((row for row in rows if row.is_for(model)), None)
        return match or replace(max(rows, key=_get_worst_price), max_output=None)


def _get_worst_price(row: PriceRow) -> tuple[int, int]:
    worst = row.find_worst_case(row.above + 1)
    return worst.output, worst.input


def parse_prices(text: str, *, source: str = "prices.toml", fallback: PriceTable | None = None) -> PriceTable:
    """Parse a price table. `fallback`: the rows for a model that has none in this text."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise UsageError("prices", f"{source} is not TOML: {problem}", help=_HELP, where=source) from None
    for name in content:
        if name not in get_args(ProviderName):
            _refuse(source, name, "is not a provider; the providers are " + ", ".join(get_args(ProviderName)))
    rows: dict[ProviderName, tuple[PriceRow, ...]] = {}
    for provider in get_args(ProviderName):
        rows[provider] = _parse_rows(content, provider, source) + (fallback.rows[provider] if fallback else ())
        if not rows[provider]:
            _refuse(source, provider, "has no row")
    return PriceTable(rows)


def _parse_rows(content: Mapping[str, object], provider: ProviderName, source: str) -> tuple[PriceRow, ...]:
    rows = content.get(provider, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        _refuse(source, provider, f"must be a list of rows: [[{provider}]]")
    own = tuple(_parse_row(row, f"{provider} row {number}", source) for number, row in enumerate(rows, start=1))
    if provider == "openai_chat":
        return own + _parse_rows(content, "openai", source)  # the same models over another wire format
    return own


def _parse_row(row: Mapping[str, object], place: str, source: str) -> PriceRow:
    model = row.get("model")
    if not isinstance(model, str) or not model:
        _refuse(source, f"{place}: model", "must be a name, or a glob such as 'gpt-5*'")
    place = f"{place} ({model})"
    long = row.get("long")
    if long is not None and not isinstance(long, dict):
        _refuse(source, f"{place}: long", "must be a table with `above` and prices")
    return PriceRow(
        model=model.lower(),
        short=_parse_tier(row, _ROW_KEYS, place, source),
        long=_parse_tier(long, _LONG_KEYS, f"{place}: long", source) if long else None,
        above=_parse_count(long, "above", f"{place}: long", source) if long else 0,
        max_output=_parse_count(row, "max_output", place, source) if "max_output" in row else None,
    )


def _parse_tier(table: Mapping[str, object], allowed_keys: set[str], place: str, source: str) -> Prices:
    for name in table:
        if name not in allowed_keys:
            _refuse(source, f"{place}: {name}", "is not a known key; the keys are " + ", ".join(sorted(allowed_keys)))
    prices = {name: _parse_price(table, name, place, source) for name in _PRICES}
    short = (
        _parse_price(table, "cache_write_short", place, source)
        if "cache_write_short" in table
        else prices["cache_write"]
    )
    return Prices(**prices, cache_write_short=short)


def _parse_price(table: Mapping[str, object], name: str, place: str, source: str) -> int:
    value = table.get(name)
    if value is None:
        _refuse(source, f"{place}: {name}", "is missing")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MAX_PRICE_USD:
        _refuse(source, f"{place}: {name}", f"must be USD per million tokens, got {value!r}")
    return round(value * 1_000_000)


def _parse_count(table: Mapping[str, object], name: str, place: str, source: str) -> int:
    value = table.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        _refuse(source, f"{place}: {name}", f"must be a number of tokens above 0, got {value!r}")
    return value


def _refuse(source: str, subject: str, why: str) -> NoReturn:
    raise UsageError("prices", f"{source}: {subject} {why}", help=_HELP, where=source)
