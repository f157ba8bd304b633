"""A part of a report that somebody else wrote: heading and finished Markdown."""

from typing import NamedTuple


class Section(NamedTuple):
    """The heading has no marks, since its level is the report's affair; empty: none."""

    heading: str
    content: str
