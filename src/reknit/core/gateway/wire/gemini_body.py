"""The fields allowed in a request to the Gemini API, by their camelCase names."""

import re

from reknit.core.gateway.wire import shapes
from reknit.core.gateway.wire.shapes import Check, Fields, anything, data, many, plain, plains


def camel(name: str) -> str:
    """The API accepts names in camelCase and in snake_case."""
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), name)


def _fields(allowed: Fields) -> Check:
    return shapes.fields(allowed, spelling=camel)


def _plain_fields(*names: str) -> Check:
    return _fields(dict.fromkeys(names, plain))


# A file given by its URI is not listed: the vendor would fetch it.
_INLINE = _fields({"mimeType": plain, "data": data, "displayName": plain})
_ANSWER = _fields(
    {
        **dict.fromkeys(("id", "name", "willContinue", "scheduling"), plain),
        "response": anything,
        "parts": many(_fields({"inlineData": _INLINE})),
    }
)
_PART = _fields(
    {
        "text": plain,
        "thought": plain,
        "thoughtSignature": plain,
        "inlineData": _INLINE,
        "functionCall": _fields({"id": plain, "name": plain, "args": anything}),
        "functionResponse": _ANSWER,
        "mediaResolution": _plain_fields("level", "numTokens"),
    }
)
_CONTENT = _fields({"role": plain, "parts": many(_PART)})
_FUNCTION = _fields(
    {
        "name": plain,
        "description": plain,
        "behavior": plain,
        "parameters": anything,
        "parametersJsonSchema": anything,
        "response": anything,
        "responseJsonSchema": anything,
    }
)
_SEARCH = _fields({"timeRangeFilter": _plain_fields("startTime", "endTime"), "excludeDomains": plains})
_CONFIG = _fields(
    {
        **dict.fromkeys(
            (
                "temperature", "topP", "topK", "candidateCount", "maxOutputTokens", "responseMimeType", "seed",
                "presencePenalty", "frequencyPenalty", "responseLogprobs", "logprobs", "mediaResolution",
            ),
            plain,
        ),
        "stopSequences": plains,
        "responseModalities": plains,
        "responseSchema": anything,
        "responseJsonSchema": anything,
        "thinkingConfig": _plain_fields("includeThoughts", "thinkingBudget", "thinkingLevel"),
    }
)  # fmt: skip

_REQUEST: Fields = {
    "model": plain,
    "serviceTier": plain,
    "contents": many(_CONTENT),
    "systemInstruction": _CONTENT,
    "tools": many(_fields({"functionDeclarations": many(_FUNCTION), "googleSearch": _SEARCH})),
    "toolConfig": _fields({"functionCallingConfig": _fields({"mode": plain, "allowedFunctionNames": plains})}),
    "safetySettings": many(_plain_fields("category", "threshold", "method")),
    "generationConfig": _CONFIG,
}
FIELDS: Fields = {**_REQUEST, "generateContentRequest": _fields(_REQUEST)}

DROPPED = frozenset({"labels"})
"""What clients add for statistics: the response does not depend on it."""
