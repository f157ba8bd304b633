"""`summaries`: the benchmark summaries that a verdict reads, built in or a person's own, with their weights."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from advisor.cli import output

if TYPE_CHECKING:
    from tools.scores.summary_file import SummaryFile


def summaries(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Your own summaries, YAML.")] = None,
    as_json: output.JsonFlag = False,
) -> int:
    """Lists the benchmark summaries with their weights; of a file, checks it as `analyze --summaries` would.

    A file: `summaries:` with a name and one of `weights: {benchmark: share}`, `domains: [..]`, `benchmarks: [..]` each;
    beside it, if wanted, `primary:`, `sesoi:` (a number, or one by summary) and `domains: {benchmark: domain}`.
    """
    rows = _built_in() if file is None else _own(file)
    if as_json:
        output.emit({"summaries": rows})
        return 0
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("name", "verdict", "weights", "about"):
        table.add_column(name, overflow="fold")
    for row in rows:
        role = "primary" if row["primary"] else "read" if row["in_verdict_set"] else "-"
        table.add_row(row["name"], role, _shares(row["weights"]), row["about"])
    output.data().print(table)
    return 0


def _built_in() -> list[dict[str, Any]]:
    from tools.scores.summaries import VERDICT_SET, get, names
    from training.benchmarks.catalog import suite, suites

    domains = {row.id: row.domain for row in suite(suites()[0])}
    return [
        {
            "name": name,
            "primary": name == VERDICT_SET[0],
            "in_verdict_set": name in VERDICT_SET,
            "about": (get(name).__doc__ or "").strip(),
            "weights": get(name)(domains),
            "sesoi": None,
        }
        for name in names()
    ]


def _own(path: Path) -> list[dict[str, Any]]:
    """Over the benchmarks that the file names, and those of the built-in suites."""
    from tools.scores.summary_file import read_summary_file, verdict_set_of
    from training.benchmarks.catalog import suite, suites

    file = read_summary_file(path)
    known = {row.id: row.domain for row in suite(suites()[0])}
    named = [name for one in file.summaries.values() for name in (*(one.weights or ()), *(one.benchmarks or ()))]
    others = (set(named) | set(file.domains)) - set(known)
    benchmarks = tuple(dict.fromkeys((*file.domains, *named, *(() if others else known))))
    chosen = verdict_set_of(file, benchmarks or tuple(known), known)
    primary = file.primary or next(iter(chosen.summaries))
    return [
        {
            "name": name,
            "primary": name == primary,
            "in_verdict_set": True,
            "about": _said(file, name),
            "weights": weights,
            "sesoi": file.sesoi.get(name) if isinstance(file.sesoi, dict) else file.sesoi,
        }
        for name, weights in chosen.summaries.items()
    ]


def _said(file: "SummaryFile", name: str) -> str:
    """How the file says it."""
    one = file.summaries.get(name)
    if one is None:
        return "default"
    if one.domains is not None:
        return f"domains {', '.join(one.domains)} alike"
    return "benchmarks alike" if one.benchmarks is not None else "weights"


def _shares(weights: dict[str, float]) -> str:
    """Benchmarks of one weight together, the heaviest first."""
    by_share: dict[float, list[str]] = {}
    for name, weight in weights.items():
        by_share.setdefault(round(weight, 6), []).append(name)
    parts = [f"{share:.4g} {', '.join(names)}" for share, names in sorted(by_share.items(), reverse=True)]
    return "; ".join(parts)
