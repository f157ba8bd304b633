"""Large arrays in blocks of rows: what is in hand stays in the processor's cache, and copies stay small."""

from collections.abc import Iterator

_TOKENS = 1 << 18
"""In a block."""


def row_blocks(shape: tuple[int, ...]) -> Iterator[slice]:
    """Slices of whole rows that cover an array of `shape` (N, L), some 2**18 tokens each."""
    rows = max(1, _TOKENS // max(1, shape[1]))
    for start in range(0, shape[0], rows):
        yield slice(start, start + rows)
