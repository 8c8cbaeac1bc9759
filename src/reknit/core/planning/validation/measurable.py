"""Whether an acceptance criterion is concrete: it says something that can be measured, and no vague verb."""

import re

_CODE = re.compile(r"`[^`\n]*`")
_START, _END = r"(?<![\w/.-])", r"(?![\w/-]|\.\w)"
"""A whole word of prose: `tests/address.py` is a path, and `has-many` is another word."""
_VAGUE = re.compile(
    rf"{_START}(?:improv(?:e|es|ed|ing)|consider(?:s|ed|ing)?|address(?:ed|ing)?|addresses){_END}", re.IGNORECASE
)
_NOUN = re.compile(
    r"(?:the|an|each|every|its|ip|mac|e-?mail|url|memory|bind|listen|host|return|postal|street)\s+$", re.I
)
"""Before `address`: then it is a place and not a verb."""
_MEASURES = re.compile(
    rf"{_START}(?:(?<!\ba )pass|passes|exists?|match(?:es)?|contains?|equals?|returns?|exits?|prints?|has|have|within"
    rf"|at\s+least|at\s+most){_END}|>=|<=|≥|≤|(?<![\w.#/-])\d",
    re.IGNORECASE,
)
_BEFORE = 20


def vague_word(criterion: str) -> str:
    """The first verb that promises nothing; empty: there is none. Code between backticks is quoted, not said."""
    text = _CODE.sub(" ` ", criterion)
    for found in _VAGUE.finditer(text):
        may_be_a_place = found[0].lower() in ("address", "addresses")
        if not may_be_a_place or not _NOUN.search(text[max(0, found.start() - _BEFORE) : found.start()]):
            return found[0].lower()
    return ""


def is_measurable(criterion: str) -> bool:
    return bool(_MEASURES.search(_CODE.sub(" ` ", criterion)))


def why_not_concrete(criterion: str) -> str:
    """Empty: it is."""
    if vague := vague_word(criterion):
        return f"“{vague}” cannot be measured"
    return (
        ""
        if is_measurable(criterion)
        else "nothing in it can be measured: no passes, exists, matches, at least, number …"
    )
