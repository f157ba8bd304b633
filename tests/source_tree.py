"""The source of our packages: its files, and what they import of each other."""

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("advisor", "policies", "prompts", "tools", "training")


class Import(NamedTuple):
    """One imported name of ours."""

    module: str
    name: str | None
    typing_only: bool


@cache
def modules() -> Mapping[str, Path]:
    """Dotted name -> file, of our packages."""
    found = {}
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            dotted = ".".join(file.relative_to(ROOT).with_suffix("").parts)
            found[dotted.removesuffix(".__init__")] = file
    return found


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(modules()[module].read_text(encoding="utf-8"))


def _under_type_checking(module: str) -> set[ast.AST]:
    blocks = (
        node
        for node in ast.walk(tree(module))
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    )
    return {inner for block in blocks for statement in block.body for inner in ast.walk(statement)}


@cache
def imports(module: str) -> tuple[Import, ...]:
    """What a file imports of ours, inside functions and for types too."""
    found, typing_only = [], _under_type_checking(module)
    for node in ast.walk(tree(module)):
        late = node in typing_only
        if isinstance(node, ast.Import):
            found += [Import(alias.name, None, late) for alias in node.names if alias.name in modules()]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{module}: relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in modules():
                    found.append(Import(inner, None, late))
                elif node.module in modules():
                    found.append(Import(node.module, alias.name, late))
    return tuple(found)
