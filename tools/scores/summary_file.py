"""User-defined summaries: one YAML file, read strictly, with all faults reported at once.

primary: product_mix
sesoi: 1.0                       # or one for each summary
domains: {humaneval: code}       # for benchmarks whose domain the table does not give
summaries:
  product_mix: {weights: {gsm8k: 0.7, humaneval: 0.3}}
  no_science: {domains: [math, logic]}         # equal weight for each domain, and within it
  small: {benchmarks: [gsm8k, humaneval]}      # equal weight for each benchmark
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from policies.errors import InputError
from policies.model import StrictModel, describe_faults
from tools.scores.summaries import Weights, balanced, flat
from tools.scores.verdict_sets import VerdictSet, default_verdict_set
from training.support.nearest import nearest

ROUNDING = 1e-3
"""Weights that sum to 1 within this tolerance are taken as rounded, and divided by their sum."""
MOST_BYTES = 1_000_000

Name = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[^\s|][^\n\r|]*$")]
Points = Annotated[float, Field(gt=0, le=100)]


class SummaryDefinition(StrictModel):
    """One summary, defined in one of three ways."""

    weights: dict[Name, Annotated[float, Field(ge=0)]] | None = Field(default=None, min_length=1)
    """Benchmark -> weight, summing to 1."""
    domains: tuple[Name, ...] | None = Field(default=None, min_length=1)
    """Equal weight for each of these domains, and within it."""
    benchmarks: tuple[Name, ...] | None = Field(default=None, min_length=1)
    """Equal weight for each of these benchmarks."""

    @model_validator(mode="after")
    def _is_said_in_one_way(self) -> "SummaryDefinition":
        given = [name for name in ("weights", "domains", "benchmarks") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"give one of weights, domains and benchmarks, not {' and '.join(given) or 'none'}")
        total = sum((self.weights or {"": 1.0}).values())
        if abs(total - 1.0) > ROUNDING:
            raise ValueError(f"weights sum to {total:.6g}; make them sum to 1")
        for names in (self.domains, self.benchmarks):
            twice = [name for name in dict.fromkeys(names or ()) if (names or ()).count(name) > 1]
            if twice:
                raise ValueError(f"{twice[0]} is named twice")
        return self


class SummaryFile(StrictModel):
    """The whole file; every part is optional."""

    schema_version: Literal[1] = 1
    summaries: dict[Name, SummaryDefinition] = Field(default={}, max_length=100)
    """The verdict set, in this order; empty: the default set."""
    primary: Name | None = None
    """Default: the first."""
    sesoi: Points | dict[Name, Points] | None = None
    """Smallest effect of interest in score points: one number, or one for each summary."""
    domains: dict[Name, Name] = Field(default={})
    """Benchmark -> domain."""

    @model_validator(mode="after")
    def _names_only_its_summaries(self) -> "SummaryFile":
        if not self.summaries:
            return self
        if self.primary is not None and self.primary not in self.summaries:
            raise ValueError(f"primary {self.primary!r} is not one of the summaries {', '.join(self.summaries)}")
        if isinstance(self.sesoi, dict) and set(self.sesoi) != set(self.summaries):
            odd = sorted(set(self.sesoi) ^ set(self.summaries))
            raise ValueError(f"sesoi must name every summary and no other: {', '.join(odd)}")
        return self


def read_summary_file(path: Path) -> SummaryFile:
    """Reads and checks the file. Raises InputError with all faults in one line."""
    import yaml

    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path} is larger than {MOST_BYTES:,} bytes, so it is not a summary file; name another")
        content = yaml.load(path.read_text(encoding="utf-8-sig"), _loader())  # noqa: S506 - derived from SafeLoader
    except OSError as fault:
        raise InputError(f"cannot read the summary file {path}: {fault.strerror}") from fault
    except UnicodeDecodeError as fault:
        raise InputError(f"{path} is not UTF-8 text: save the summary file as UTF-8") from fault
    except (yaml.YAMLError, RecursionError) as fault:
        raise InputError(f"{path} is not YAML: {' '.join(str(fault).split())}") from fault
    if not isinstance(content, dict):
        raise InputError(
            f"{path} is not a mapping: begin with `summaries:` and a name under it (advisor summaries --help)"
        )
    try:
        return SummaryFile.model_validate(content)
    except ValidationError as fault:
        raise InputError(f"{path}: {describe_faults(fault)}") from fault


def verdict_set_of(file: SummaryFile, benchmarks: Sequence[str], domains: Mapping[str, str]) -> VerdictSet:
    """Returns the file's summaries, or the default ones, over these benchmarks; the file's domains take precedence.

    Raises InputError listing every benchmark and domain that is not in the table, with the nearest names.
    """
    known = {name: domain for name in benchmarks if (domain := file.domains.get(name) or domains.get(name, ""))}
    faults = list(_faults(file, benchmarks, known))
    if faults:
        raise InputError(f"the summary file does not fit the table: {'; '.join(faults)}")
    if not file.summaries:
        return default_verdict_set(benchmarks, known)
    found = {name: _weights(definition, known) for name, definition in file.summaries.items()}
    primary = file.primary or next(iter(found))
    ordered = {primary: found[primary]} | found
    notes = tuple(
        f"the weights of {name} are rounded, so they were divided by their sum"
        for name, definition in file.summaries.items()
        if definition.weights and abs(sum(definition.weights.values()) - 1.0) > 1e-9
    )
    return VerdictSet(ordered, known, notes)


def _weights(definition: SummaryDefinition, domains: Mapping[str, str]) -> Weights:
    if definition.benchmarks is not None:
        return flat(definition.benchmarks)
    if definition.domains is not None:
        return balanced({name: domain for name, domain in domains.items() if domain in definition.domains})
    weights = definition.weights or {}
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items() if weight > 0}


def _faults(file: SummaryFile, benchmarks: Sequence[str], domains: Mapping[str, str]) -> Iterator[str]:
    kinds = tuple(dict.fromkeys(domains.values()))
    for name, definition in file.summaries.items():
        for one in (*(definition.weights or ()), *(definition.benchmarks or ())):
            if one not in benchmarks:
                yield f"{name} names the benchmark {one!r}, which is not in the table ({_hint(one, benchmarks)})"
        for one in definition.domains or ():
            if one not in kinds:
                yield f"{name} names the domain {one!r}, which no benchmark has ({_hint(one, kinds)})"
    for one in file.domains:
        if one not in benchmarks:
            yield f"domains names the benchmark {one!r}, which is not in the table ({_hint(one, benchmarks)})"


def _hint(name: str, known: Sequence[str]) -> str:
    if not known:
        return "no benchmark has a domain: give them under `domains:`"
    near = nearest(name, known)
    return f"nearest: {', '.join(near)}" if near else f"known: {', '.join(known[:8])}{' ...' if known[8:] else ''}"


def _loader() -> Any:
    """yaml's safe loader that rejects a duplicate key: the first one would be lost silently."""
    import yaml

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
            keys = [self.construct_object(key, deep=True) for key, _ in node.value]
            twice = [key for key in keys if keys.count(key) > 1]
            if twice:
                raise yaml.YAMLError(f"{twice[0]!r} is given twice, in the mapping at line {node.start_mark.line + 1}")
            return super().construct_mapping(node, deep)

    return Loader
