"""Tool: what a design can show before anything runs: seeds <-> effect <-> cost, and whether a budget will do."""

from collections.abc import Mapping
from typing import NamedTuple

from pydantic import Field, field_serializer

from policies.errors import BudgetError, InputError
from policies.model import StrictModel
from tools.design.design_study import DesignDefaults
from tools.design.recipe_choice import CPU_RECIPE
from tools.plan.analysis import Analysis, range_faults
from tools.plan.cost import SeedPrice, hours_unit, run_device_hours
from tools.plan.prior import Prior
from tools.report.claims.plan_warnings import shortfalls
from tools.statistics.power.curve import CurvePoint, power_curve
from tools.statistics.power.model import PowerStatement
from tools.statistics.power.priors import prior
from tools.statistics.power.setting import WANTED
from tools.text.numbers import rounded_up
from training.recipe import Recipe, load_recipe

SHOWN = (3, 5, 8, 12, 20, 40)
"""Pairs that a curve shows where none are named."""
MOST_PAIRS = 100_000
"""More are not simulated."""
MOST_POINTS = 60
EVERY_SUMMARY = "*"
"""Key of `PowerQuestion.sd` for the summaries that are not named."""

ONE_SD = (
    "one SD is assumed under every summary: those over fewer benchmarks usually vary more, and then it takes more "
    "pairs; --sd SUMMARY=POINTS gives each its own"
)


class PowerQuestion(StrictModel):
    """What somebody wants to know; what is left out has the defaults of a study."""

    recipe: str | None = None
    model: str | None = None
    """Whose spread is assumed; its price is unknown unless `hours_per_run` is given."""
    steps: int | None = None
    treatments: int = Field(default=1, ge=1, le=999)
    seeds: tuple[int, ...] = ()
    """Numbers of pairs to look at; the first one is answered in full."""
    budget: float | None = Field(default=None, gt=0)
    """Device-hours."""
    hours_per_run: float | None = Field(default=None, gt=0)
    confidence: float = DesignDefaults().confidence
    sesoi: float = DesignDefaults().sesoi
    primary: str | None = None
    sd: dict[str, float] = Field(default={})
    """Summary (or `EVERY_SUMMARY`) -> SD of one seed's paired difference, score points; empty: from a prior."""
    sd_df: int | None = Field(default=None, ge=1)
    """Degrees of freedom that `sd` rests on; None: taken as exact."""
    pilot: str | None = None
    """A score table, or a study of one's own, to take the spread from."""


class DesignPower(StrictModel):
    """The answer."""

    schema_version: int = 1
    setting: str
    """What the spread is of."""
    power: PowerStatement
    """Of the number of pairs that was asked about, that the budget pays for, or that a study has by default."""
    curve: tuple[CurvePoint, ...]
    price: SeedPrice | None
    """None: not known."""
    budget: float | None
    answers: bool
    """P(`supported`) at SESOI is 0.80 or more with `power.n` pairs, also at the upper limit of the spread."""
    shortfalls: tuple[str, ...]
    """Why that many pairs, or that budget, cannot answer the question, each reason with its options."""
    notes: tuple[str, ...]

    @field_serializer("price")
    def _price_by_name(self, price: SeedPrice | None) -> dict[str, object] | None:
        return None if price is None else price._asdict()


class _Spread(NamedTuple):
    prior: Prior
    summaries: dict[str, dict[str, float]]
    setting: str
    notes: tuple[str, ...] = ()


def design_power(question: PowerQuestion) -> DesignPower:
    """Answers without any run. The same question gives the same numbers.

    Raises InputError where no spread is known and for values out of range, BudgetError where the budget pays for no
    pair of runs.
    """
    from tools.statistics.power.statement import power_statement
    from tools.statistics.random_streams import rng_for

    notes: list[str] = []
    faults = range_faults(question.confidence, question.sesoi)
    if faults:
        raise InputError("; ".join(faults))
    recipe = load_recipe(question.recipe or CPU_RECIPE, steps=question.steps)
    spread = _spread(question, recipe)
    notes += spread.notes
    analysis = Analysis(
        confidence=question.confidence,
        family_size=question.treatments,
        primary=question.primary or next(iter(spread.summaries)),
        summaries=spread.summaries,
        sesoi=question.sesoi,
    )
    price = _price(question, recipe)
    n = _asked(question, price, notes)
    key = question.model_dump_json()
    statement = power_statement(n, analysis, spread.prior, rng_for(key, "power"))
    pairs = _shown(question, statement)
    return DesignPower(
        setting=spread.setting,
        power=statement,
        curve=power_curve(pairs, analysis, spread.prior, rng_for(key, "power")),
        price=price,
        budget=question.budget,
        answers=statement.probability_supported_upper >= WANTED,
        shortfalls=shortfalls(statement, price, "a plan within this budget" if question.budget else f"n = {n}"),
        notes=tuple(notes),
    )


def _spread(question: PowerQuestion, recipe: Recipe) -> _Spread:
    if question.sd and (question.pilot or question.model):
        other = "--pilot" if question.pilot else "--model"
        raise InputError(f"--sd and {other} both say what the spread is; give one of them")
    if question.sd_df is not None and not question.sd:
        raise InputError(f"--sd-df {question.sd_df} belongs to --sd; give both, or none")
    if question.pilot:
        from tools.evaluation.pilots import pilot_spread

        found = pilot_spread(question.pilot, question.model)
        return _Spread(found.prior, found.summaries, f"pilot {question.pilot}", found.notes)
    summaries = recipe_summaries(recipe)
    if question.sd:
        given = _given(question.sd, question.sd_df, summaries)
        notes = (ONE_SD,) if EVERY_SUMMARY in question.sd and len(question.sd) == 1 else ()
        return _Spread(given, summaries, "a spread of your own", notes)
    names = (question.model,) if question.model else (recipe.name, recipe.model)
    found_prior = prior(*names)
    return _Spread(found_prior, summaries, found_prior.names[0])


def recipe_summaries(recipe: Recipe) -> dict[str, dict[str, float]]:
    """The verdict set of a study with this recipe: summary -> weights."""
    from tools.scores.summaries import verdict_set
    from training.benchmarks.catalog import suite

    return verdict_set({row.id: row.domain for row in suite(recipe.suite)})


def _given(sd: Mapping[str, float], df: int | None, summaries: Mapping[str, object]) -> Prior:
    faults = [
        f"unknown summary {name!r} (it is one of {', '.join(summaries)})"
        for name in sd
        if name != EVERY_SUMMARY and name not in summaries
    ]
    faults += [f"an SD of {value:g} is out of range: give points above 0, at most 100" for value in sd.values()
               if not 0 < value <= 100]  # fmt: skip
    missing = [name for name in summaries if name not in sd] if EVERY_SUMMARY not in sd else []
    if missing:
        faults.append(f"no SD for {', '.join(missing)}: give one number for all with --sd POINTS")
    if faults:
        raise InputError(f"--sd: {'; '.join(faults)}")
    values = {name: sd.get(name, sd.get(EVERY_SUMMARY, 0.0)) for name in summaries}
    return Prior(names=("given",), source="given by you", df=df, sd=values)


def _price(question: PowerQuestion, recipe: Recipe) -> SeedPrice | None:
    arms = question.treatments + 1
    if question.hours_per_run is not None:
        return SeedPrice(arms, question.hours_per_run, hours_unit(recipe) if question.recipe else "GPU-hours")
    if question.model or question.sd or question.pilot:
        own = question.recipe is not None
        return SeedPrice(arms, run_device_hours(recipe), hours_unit(recipe)) if own else None
    return SeedPrice(arms, run_device_hours(recipe), hours_unit(recipe))


def _asked(question: PowerQuestion, price: SeedPrice | None, notes: list[str]) -> int:
    """The number of pairs to answer in full."""
    wrong = [n for n in question.seeds if not 1 <= n <= MOST_PAIRS]
    if wrong:
        raise InputError(f"{wrong[0]} seeds cannot be judged; ask for 1 to {MOST_PAIRS}")
    if len(set(question.seeds)) > MOST_POINTS:
        raise InputError(f"{len(set(question.seeds))} numbers of seeds are too many for one curve; name {MOST_POINTS}")
    if question.budget is not None:
        fits = _paid(question.budget, price)
        if question.seeds and question.seeds[0] > fits:
            raise BudgetError(
                f"{question.seeds[0]} pairs cost more than the budget of {question.budget:g}: {fits} would fit; raise "
                "the budget or leave --seeds out"
            )
        if not question.seeds:
            notes.append(f"{fits} seed pair{'' if fits == 1 else 's'}: what the budget pays for")
        return question.seeds[0] if question.seeds else fits
    if question.seeds:
        return question.seeds[0]
    notes.append(f"seeds: {DesignDefaults().seeds} (none were named)")
    return DesignDefaults().seeds


def _paid(budget: float, price: SeedPrice | None) -> int:
    if price is None:
        raise InputError("a budget says nothing without a price: give --hours-per-run HOURS, or a recipe")
    block = price.arms * price.device_hours_per_run
    fits = int(budget / block * (1 + 1e-9))
    if fits < 1:
        raise BudgetError(
            f"a budget of {budget:g} does not pay for one run of each of {price.arms} arms, which takes about "
            f"{rounded_up(block)} {price.unit}: give at least {rounded_up(block)}"
        )
    return min(fits, MOST_PAIRS)


def _shown(question: PowerQuestion, statement: PowerStatement) -> set[int]:
    """The pairs of the curve: those named, else a round choice with what was asked and what it takes."""
    if len(question.seeds) > 1:
        return set(question.seeds)
    needed = (statement.seeds_needed_supported, statement.seeds_needed_negative_equivalent)
    return {*SHOWN, statement.n, *(n for n in needed if n is not None and n <= MOST_PAIRS)}
