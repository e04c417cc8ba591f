"""Names on the wire."""


def wire_name(attribute: str) -> str:
    """The field of an attribute: `session_id` is `sessionId`, and `class_` is `class`."""
    first, *others = attribute.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)
