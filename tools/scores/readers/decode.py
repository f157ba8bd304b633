"""Decodes bytes to text in the encodings that spreadsheets write, and rejects binary data."""

import gzip
import zlib
from typing import NamedTuple

from policies.errors import InputError

_SAMPLE = 4096


class Text(NamedTuple):
    """The text of a file, with notes on its encoding."""

    text: str
    notes: tuple[str, ...]


def unpacked(data: bytes, source: str) -> bytes:
    """Returns the content of a gzip file, other data unchanged. Raises InputError for a damaged gzip file."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{source}: the gzip file is damaged ({error}): create it again") from None


def decode(data: bytes, source: str) -> Text:
    """Decodes UTF-8 with or without BOM, UTF-16, else Windows-1252 with a note. Raises InputError for binary data."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or _looks_like_utf16(data):
        encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-16-le" if data[1] == 0 else "utf-16-be"
        try:
            return Text(data.decode(encoding), (f"{source} is UTF-16 text",))
        except UnicodeDecodeError:
            raise _binary(source) from None
    if b"\x00" in data[:_SAMPLE]:
        raise _binary(source)
    try:
        return Text(_printable(data.decode("utf-8-sig"), source), ())
    except UnicodeDecodeError:
        pass
    try:
        text = _printable(data.decode("cp1252"), source)
    except UnicodeDecodeError:
        raise _binary(source) from None
    return Text(text, (f"{source} is not UTF-8 text, so it was read as Windows-1252: check names with accents",))


def _looks_like_utf16(data: bytes) -> bool:
    """Whether this is UTF-16 without BOM: in mostly Latin text, every other byte is 0."""
    head = data[:_SAMPLE]
    zeros = (head[0::2].count(0), head[1::2].count(0))
    return len(head) >= 4 and max(zeros) > 0.4 * len(head) and min(zeros) == 0


def _printable(text: str, source: str) -> str:
    head = text[:_SAMPLE]
    controls = sum(ord(mark) < 32 and mark not in "\t\r\n\f" for mark in head)
    if controls > 0.01 * len(head):
        raise _binary(source)
    return text


def _binary(source: str) -> InputError:
    return InputError(f"{source} is neither a text table nor another supported format: use CSV, TSV, JSONL or Parquet")
