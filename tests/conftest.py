"""Holds for every test: no real LLM can be reached, and a slow machine fails no property test."""

import os

import pytest
from hypothesis import settings

for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ADVISOR_MODEL", "ADVISOR_STUDIES"):
    os.environ.pop(name, None)

settings.register_profile("advisor", deadline=None, derandomize=True)
settings.load_profile("advisor")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The real study comes last: what is quick to fail fails first."""
    items.sort(key=lambda item: "e2e" in item.path.parts)
