"""The shape of the code: no circles, one way to the agent's tools, nothing that only tests use."""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.source_tree import PACKAGES, ROOT, imports, modules, tree
from tools import catalogue

AGENT_TOOLS = ("plan_study", "design_power", "launch_runs", "study_status", "compare_arms", "write_report",
               "read_verdict", "analyze_scores", "scoring_coverage")  # fmt: skip
REGISTRIES = ("policies.builtin.",)
"""Packages whose modules are found by listing the folder."""
REGISTERING = frozenset({"register", "summary", "scorer", "actuator", "register_trainer", "register_policy_loss"})
"""Decorators that make a function or class known by name: others find it in the registry."""
MODULES_FOR_PEOPLE = {"policies.testing": "third parties check their policies with it"}
"""Not imported by product code, each with its reason."""
NAMES_FOR_PEOPLE = {
    "policies.testing:check_policy": "third parties check their policies with it",
    "policies.synthetic:steps_changed": "measures what a policy does; policies/ is part of every run's key",
    "training.grading.reward:compute_score": "verl calls the file's function by this name",
    "training.verl_plugin.replay_buffer:OrderedReplayBuffer": "verl reads the name from the run's configuration",
}


def file_graph() -> dict[str, set[str]]:
    return {module: {found.module for found in imports(module)} - {module} for module in modules()}


def folder_graph() -> dict[str, set[str]]:
    """Folders with the files directly in them as nodes."""
    graph: dict[str, set[str]] = {}
    for module, used in file_graph().items():
        here = graph.setdefault(_folder(module), set())
        here |= {_folder(other) for other in used} - {_folder(module)}
    return graph


def _folder(module: str) -> str:
    return modules()[module].parent.relative_to(ROOT).as_posix()


def circle(graph: Mapping[str, set[str]]) -> list[str] | None:
    """A closed path, its first node repeated at the end; None where there is none."""
    done: set[str] = set()
    for start in sorted(graph):
        path: list[str] = []
        waiting: list[Iterator[str]] = [iter([start])]
        while waiting:
            node = next(waiting[-1], None)
            if node is None:
                waiting.pop()
                if path:
                    done.add(path.pop())
            elif node in path:
                return [*path[path.index(node) :], node]
            elif node not in done:
                path.append(node)
                waiting.append(iter(sorted(graph.get(node, ()))))
    return None


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": {"b"}}, ["b", "c", "b"]),
        ({"a": {"b", "c"}, "b": {"d"}, "c": {"d"}, "d": set()}, None),
    ],
)
def test_a_circle_is_found_and_named(graph: dict[str, set[str]], expected: list[str] | None) -> None:
    assert circle(graph) == expected


@pytest.mark.parametrize("graph", [file_graph, folder_graph])
def test_imports_run_in_no_circle(graph) -> None:
    found = circle(graph())
    assert found is None, f"circle: {' -> '.join(found)}"


def test_the_catalogue_is_the_only_way_from_the_advisor_to_the_agent_s_tools() -> None:
    around = [
        f"{module} imports {found.name} of {found.module}: use tools.catalogue"
        for module in modules()
        if module.startswith("advisor.")
        for found in imports(module)
        if found.module != "tools.catalogue" and found.name in AGENT_TOOLS and not found.typing_only
    ]
    assert not around, around


def test_no_module_of_the_advisor_imports_a_tool_s_module_whole() -> None:
    """`from tools import plan_study` would hide the function behind the module."""
    homes = {where.partition(":")[0] for name, where in _tools().items() if name in AGENT_TOOLS}
    whole = [
        f"{module} imports {found.module}: use tools.catalogue"
        for module in modules()
        if module.startswith("advisor.")
        for found in imports(module)
        if found.name is None and not found.typing_only and found.module in homes
    ]
    assert not whole, whole


def _tools() -> dict[str, str]:
    return {tool.name: tool.where for tool in catalogue.TOOLS}


@pytest.mark.parametrize("name", [tool.name for tool in catalogue.TOOLS])
def test_every_tool_of_the_catalogue_loads(name: str) -> None:
    assert callable(catalogue.tool(name).load())
    assert getattr(catalogue, name) is catalogue.tool(name).load()


def test_what_a_type_checker_sees_in_the_catalogue_is_what_loads() -> None:
    seen = {found.name: f"{found.module}:{found.name}" for found in imports("tools.catalogue") if found.typing_only}
    assert seen
    assert seen.items() <= _tools().items(), seen.items() - _tools().items()


@cache
def literals(module: str) -> str:
    """The strings of a file that are not docstrings."""
    texts = {node for node in ast.walk(tree(module)) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    loose = {node.value for node in ast.walk(tree(module)) if isinstance(node, ast.Expr)}
    return "\n".join(str(node.value) for node in texts - loose)


@cache
def _entry_points() -> str:
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"])


def _loaded_by_name(module: str) -> bool:
    """Text elsewhere names the module: an entry point, `python -m`, a plug-in's name, a file that is executed."""
    path = modules()[module]
    dotted, file = re.escape(module), re.escape("/".join(path.parts[-2:]))
    spelled = re.compile(rf"(?<![\w.]){dotted}\b|\b{file}|^{re.escape(path.name)}$", re.M)
    others = [literals(other) for other in modules() if other != module]
    others += [file.read_text(encoding="utf-8") for package in PACKAGES for file in (ROOT / package).rglob("*.yaml")]
    return any(spelled.search(text) for text in [_entry_points(), *others])


@cache
def _programs() -> frozenset[str]:
    """What pages, help texts, generated files and the Makefile say to run with `python -m`."""
    pages = [ROOT / "Makefile", *ROOT.glob("*.md")]
    pages += [page for package in (*PACKAGES, "tests") for page in (ROOT / package).rglob("*")]
    texts = (
        page.read_text(encoding="utf-8")
        for page in pages
        if page.suffix in {"", ".md", ".py", ".yaml"} and page.is_file()
    )
    return frozenset(name for text in texts for name in re.findall(r"python -m ([a-z_]+\.[a-z_.]+\w)", text))


def _started() -> set[str]:
    """What product code starts: the word after "-m" in a command."""
    commands = (
        [word.value if isinstance(word, ast.Constant) else None for word in node.elts]
        for module in modules()
        for node in ast.walk(tree(module))
        if isinstance(node, ast.List | ast.Tuple)
    )
    return {str(command[at + 1]) for command in commands for at, word in enumerate(command[:-1]) if word == "-m"}


def test_every_module_that_is_started_is_a_program() -> None:
    assert {"tools.supervise", "training.run", "training.score", "training.driver"} <= _started()
    missing = [name for name in _started() | _programs() if not _is_program(ROOT / f"{name.replace('.', '/')}.py")]
    assert not missing, missing


def _is_program(file: Path) -> bool:
    return file.is_file() and '__name__ == "__main__"' in file.read_text(encoding="utf-8")


def test_no_module_is_there_for_tests_alone() -> None:
    imported = {found.module for module in modules() for found in imports(module)}
    unused = [
        module
        for module, path in modules().items()
        if path.name != "__init__.py"
        and module not in imported | set(MODULES_FOR_PEOPLE) | {where.partition(":")[0] for where in _tools().values()}
        and not module.startswith(REGISTRIES)
        and not _loaded_by_name(module)
        and module not in _programs()
    ]
    assert not unused, f"only tests use: {unused}"
    assert not set(MODULES_FOR_PEOPLE) & imported, "an exception that is none"


@cache
def _uses(module: str) -> frozenset[tuple[str, ast.AST | None]]:
    """Names that a file reads, each with the top-level statement that it stands in."""
    found = set()
    for statement in tree(module).body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.add((node.id, statement))
            elif isinstance(node, ast.Attribute):
                found.add((node.attr, statement))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
                found.add((node.value, statement))  # a type in quotes, a name that getattr reads
    return frozenset(found)


def _registered(definition: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    called = (mark.func if isinstance(mark, ast.Call) else mark for mark in definition.decorator_list)
    return any((mark.id if isinstance(mark, ast.Name) else getattr(mark, "attr", "")) in REGISTERING for mark in called)


def _in_text(name: str) -> bool:
    """A template or YAML file names it, or a string `module.name`."""
    files = (file for package in PACKAGES for file in (ROOT / package).rglob("*") if file.suffix in {".j2", ".yaml"})
    word = re.compile(rf"\b{name}\b")
    dotted = re.compile(rf"[\w.]+[.:]{name}\b")
    return any(word.search(file.read_text(encoding="utf-8")) for file in files) or any(
        dotted.search(literals(module)) for module in modules()
    )


def test_no_public_function_or_class_is_there_for_tests_alone() -> None:
    uses = {pair for module in modules() for pair in _uses(module)}
    everywhere: dict[str, set[ast.AST | None]] = {}
    for name, statement in uses:
        everywhere.setdefault(name, set()).add(statement)
    unused = {
        f"{module}:{node.name}"
        for module in modules()
        for node in tree(module).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and not _registered(node)
        and not everywhere.get(node.name, set()) - {node}
        and not _in_text(node.name)
    }
    assert unused == set(NAMES_FOR_PEOPLE), f"only tests use: {sorted(unused - set(NAMES_FOR_PEOPLE))}"


def test_what_test_files_share_lies_in_helper_modules() -> None:
    pattern = re.compile(r"^\s*(?:from|import) tests\S*\.test_", re.MULTILINE)
    files = [file for file in (ROOT / "tests").rglob("*.py") if pattern.search(file.read_text(encoding="utf-8"))]
    assert not files, files
