"""Reads YAML that a user may have edited."""

from typing import Any

import yaml


def parse_mapping(text: str) -> dict[str, Any]:
    """Returns the mapping in a YAML text; raises ValueError, in one line, for anything else."""
    try:
        content = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # dates and nesting raise errors of their own
        raise ValueError(f"not valid YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict):
        raise ValueError("not a YAML mapping")
    return content
