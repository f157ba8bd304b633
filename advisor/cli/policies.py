"""`advisor policies` and `advisor policies show NAME`: what there is, and what one of them does."""

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from advisor.cli import output

if TYPE_CHECKING:
    from policies.describe import ParameterDescription, PolicyDescription


def policies(context: typer.Context, as_json: output.JsonFlag = False) -> int:
    """Lists the data policies, placebos last; `show NAME` explains one."""
    context.obj = as_json
    return 0 if context.invoked_subcommand else _list(as_json)


def show(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A policy's name.")],
    as_json: output.JsonFlag = False,
) -> int:
    """Explains one policy: formula, what it needs, its parameters, how its delivery is proved."""
    from policies.describe import describe

    told = describe(name)
    if as_json or context.obj:
        output.emit({"policy": told.model_dump(mode="json")})
        return 0
    console = output.data()
    console.print(f"[bold]{told.name}[/bold], {told.family}; compared with {told.control}", markup=True)
    for title, text in _facts(told):
        console.print(f"\n[bold]{title}[/bold]", markup=True)
        console.print(text, markup=False)
    return 0


def _facts(told: "PolicyDescription") -> list[tuple[str, str]]:
    facts = [
        ("What it does", told.signal),
        ("Formula", told.formula),
        ("Needs", ", ".join(told.requires)),
        ("Parameters", "\n".join(_parameter(parameter) for parameter in told.parameters)),
        ("Source", told.source),
        ("Changes nothing", told.inert_when),
        ("Proof of delivery", "\n".join(told.delivery)),
        ("Also called", ", ".join(told.aliases)),
        ("In full", re.sub(r"(?<!\n)\n(?!\n)", " ", told.about)),
    ]
    return [(title, text or "-") for title, text in facts]


def _parameter(told: "ParameterDescription") -> str:
    notes = (told.default_of, told.takes, told.unit and f"unit: {told.unit}")
    return f"{told.name} = {told.default} ({'; '.join(note for note in notes if note)}): {told.about}"


def _list(as_json: bool) -> int:
    from rich.padding import Padding

    from advisor.reading.vocabulary import known_names
    from policies.describe import describe
    from policies.errors import InputError

    rows: list[dict[str, Any]] = []
    for name in known_names():
        try:
            rows.append(_row(describe(name)))
        except InputError as error:  # a third party's, broken: it must not hide the others
            rows.append({"name": name, "family": "broken", "placebo": False, "fault": str(error)})
    rows.sort(key=lambda row: bool(row["placebo"]))
    if as_json:
        output.emit({"policies": rows})
        return 0
    console = output.data()
    for row in rows:
        console.print(f"[bold]{row['name']}[/bold]  {row['family']}", markup=True)
        for line in _lines(row):
            console.print(Padding.indent(line, 2), markup=False)
    console.print("\nadvisor policies show NAME explains one.", markup=False)
    return 0


def _row(told: "PolicyDescription") -> dict[str, Any]:
    fields = ("name", "family", "control", "signal", "source", "inert_when")
    return {field: getattr(told, field) for field in fields} | {
        "placebo": told.family == "placebo",
        "parameters": {parameter.name: parameter.default for parameter in told.parameters},
    }


def _lines(row: dict[str, Any]) -> list[str]:
    if "fault" in row:
        return [row["fault"]]
    parameters = ", ".join(f"{key}={value}" for key, value in row["parameters"].items())
    return [
        row["signal"] or "acts in its own way",
        f"against {row['control']}; parameters: {parameters or 'none'}",
        f"source: {row['source']}",
        f"inert: {row['inert_when'] or 'not said'}",
    ]
