"""Rows as JSON text, without losing anything that JSON cannot say."""

import base64
import datetime
import decimal
import json
import math

# A reader that uses double precision would change larger integers.
SAFE = 2**53


def _order(value):
    """The place of a member of a set: numbers by size, texts, and others, which Python may not be able to compare."""
    if isinstance(value, (int, float, decimal.Decimal)) and value == value:
        return (0, value, "")
    return (1, 0, value) if isinstance(value, str) else (2, 0, repr(value))


def _time(value):
    if value.tzinfo is not None:
        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return value.isoformat(timespec="milliseconds" if value.microsecond % 1000 == 0 else "microseconds") + "Z"


def _other(value):
    """Converts values for which JSON has no form."""
    if isinstance(value, datetime.datetime):
        return _time(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(value)).decode("ascii")
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=_order)
    raise TypeError(f"a row cannot hold a value of type {type(value).__name__}")


def _plain(value):
    """The value with what :mod:`json` would write wrongly in words: NaN, infinities, integers beyond 2**53."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if -SAFE < value < SAFE else str(int(value))
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        return value if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return _plain(_other(value))


def _is_simple(value):
    """Whether :mod:`json` writes a value correctly; the contents of containers are not checked."""
    kind = type(value)
    return kind is str or value is None or kind is bool or (kind is int and -SAFE < value < SAFE) or (
        kind is float and math.isfinite(value)
    )


def dumps(rows):
    """A list of dicts as JSON text in ASCII."""
    plain = [
        row if all(type(key) is str and _is_simple(value) for key, value in row.items()) else _plain(row)
        for row in rows
    ]
    return json.dumps(plain, separators=(",", ":"))
