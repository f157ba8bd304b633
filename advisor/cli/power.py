"""`power`: seeds <-> effects <-> cost, before anything runs."""

from typing import Annotated

import typer

from advisor.cli import options, output
from policies.errors import InputError


def power(
    seeds: Annotated[
        str | None, typer.Option("--seeds", metavar="LIST", help="Numbers of pairs: 8, or 3,5,8-12 for a curve.")
    ] = None,
    budget: options.Budget = None,
    treatments: Annotated[int, typer.Option("--treatments", metavar="K", help="Treatments against one control.")] = 1,
    recipe: options.RecipeName = None,
    model: options.Model = None,
    steps: options.Steps = None,
    sesoi: options.Sesoi = None,
    confidence: options.Confidence = None,
    summary: options.Primary = None,
    sd: Annotated[
        list[str] | None,
        typer.Option("--sd", metavar="POINTS", help="SD of a paired difference; or SUMMARY=POINTS, repeatable."),
    ] = None,
    sd_df: Annotated[int | None, typer.Option("--sd-df", metavar="N", help="Degrees of freedom behind --sd.")] = None,
    pilot: Annotated[
        str | None, typer.Option("--pilot", metavar="SCORES|STUDY", help="Take the spread from these scores.")
    ] = None,
    hours_per_run: Annotated[
        float | None, typer.Option("--hours-per-run", metavar="HOURS", help="GPU-hours of one run, scoring included.")
    ] = None,
    as_json: output.JsonFlag = False,
) -> int:
    """What a number of seeds or a budget can show, and what an effect takes; nothing runs."""
    from advisor.api import power as design

    with output.talk().status("simulating studies ..."):
        answer = design(
            seeds=None if seeds is None else options.parse_seed_list(seeds, "--seeds"),
            budget=budget, treatments=treatments, recipe=recipe, model=model, steps=steps, sesoi=sesoi,
            confidence=confidence, summary=summary, sd=_spreads(sd) if sd else None, sd_df=sd_df, pilot=pilot,
            hours_per_run=hours_per_run,
        ).answer  # fmt: skip
    if as_json:
        output.emit(answer)
    else:
        from advisor.views.power import power_view

        output.data().print(power_view(answer))
    return 0


def _spreads(words: list[str]) -> dict[str, float]:
    """`1.37` for every summary, `flat_12=1.2` for one; comma lists are split."""
    from tools.design_power import EVERY_SUMMARY

    found: dict[str, float] = {}
    for word in (part.strip() for given in words for part in given.split(",")):
        name, _, number = word.rpartition("=")
        name = name.strip() or EVERY_SUMMARY
        try:
            value = float(number)
        except ValueError as error:
            raise InputError(f"--sd {word!r} is no number of points; write 1.37, or SUMMARY=1.37") from error
        if name in found:
            raise InputError(f"--sd gives {'every summary' if name == EVERY_SUMMARY else name} twice; give it once")
        found[name] = value
    return found
