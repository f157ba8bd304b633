"""`recipes`, `benchmarks` and `summaries`: what there is."""

from typing import Any

from advisor.cli import output


def recipes(as_json: output.JsonFlag = False) -> int:
    """Lists the recipes: what a run holds fixed."""
    from training.recipe import load_recipe, recipe_names

    loaded = [load_recipe(name) for name in recipe_names()]
    fields = ("name", "title", "device", "devices", "model", "suite", "steps")
    return _show("recipes", [{field: getattr(recipe, field) for field in fields} for recipe in loaded], as_json)


def benchmarks(as_json: output.JsonFlag = False) -> int:
    """Lists the benchmarks of every suite."""
    from training.benchmarks.catalog import suite, suites

    return _show("benchmarks", [row._asdict() for name in suites() for row in suite(name)], as_json)


def _show(title: str, rows: list[dict[str, Any]], as_json: bool) -> int:
    if as_json:
        output.emit({title: rows})
        return 0
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in rows[0] if rows else ():
        table.add_column(name.replace("_", " "))
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    output.data().print(table)
    return 0


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key}={item}" for key, item in value.items()) or "-"
    return "-" if value in (None, "") else str(value)
