"""Policy `static`: fixed domain shares."""

from collections.abc import Mapping, Sequence

from pydantic import field_validator

from policies.base import Policy, PolicyParameters
from policies.errors import InputError
from policies.model import shortened
from policies.parameter import parameter
from policies.registry import register


def parse_shares(text: str) -> dict[str, float]:
    """`"math=6, logic=1"` -> {"math": 6.0, "logic": 1.0}; raises ValueError naming the part that does not fit."""
    ratios: dict[str, float] = {}
    for part in text.split(","):
        name, equals, number = (piece.strip() for piece in part.partition("="))
        try:
            ratio = float(number)
        except ValueError:
            ratio = -1.0
        if not name or not equals or not 0 <= ratio <= 1e6:
            raise ValueError(
                f"{shortened(part.strip())} is not DOMAIN=RATIO with a ratio in [0, 1e6], as in math=6,logic=1"
            )
        if name in ratios:
            raise ValueError(f"domain {shortened(name)} is named twice")
        ratios[name] = ratio
    if not sum(ratios.values()):
        raise ValueError("at least one ratio must be above 0")
    return ratios


class StaticParameters(PolicyParameters):
    """How the prompts of a step are divided."""

    shares: str = parameter(
        "equal",
        "`equal` (1 / D a domain), or a ratio for every domain, as in math=6,logic=1,science=1",
        whose="the study's",
        unit="ratio",
    )

    @field_validator("shares")
    @classmethod
    def _canonical(cls, text: str) -> str:
        """One spelling for one meaning, so that equal settings have equal hashes."""
        if text.strip().lower() in ("", "equal"):
            return "equal"
        ratios = parse_shares(text)
        return ",".join(f"{name}={ratios[name]:.12g}" for name in sorted(ratios))


@register
class Static(Policy):
    """Domain d has share ratio_d / Σ ratio in every step; the control of the mixing policies.

    Shapes: D domains, shares (D,) summing to 1. No deviation: this is the study's mixing control, 1/3 a domain; other
    fixed shares are our addition.
    """

    name = "static"
    family = "control"
    control = "baseline"
    aliases = ("static mixing", "static mixture", "fixed shares", "fixed mixture", "固定比例", "静态混合")
    signal = "nothing -> fixed domain shares of the prompts"
    formula = "share = ratio / sum of the ratios"
    source = "the DataFlex-RL study"
    inert_when = "against static with the same shares, or baseline on a pool whose domains have those shares"
    Parameters = StaticParameters

    def __init__(self, parameters: PolicyParameters, domains: Sequence[str], seed: int) -> None:
        super().__init__(parameters, domains, seed)
        assert isinstance(parameters, StaticParameters)
        if parameters.shares == "equal":
            ratios = dict.fromkeys(self.domains, 1.0)
        else:
            ratios = parse_shares(parameters.shares)
            missing = [name for name in self.domains if name not in ratios]
            unknown = [name for name in ratios if name not in self.domains]
            faults = [f"no ratio for {', '.join(missing)}"] * bool(missing)
            faults += [f"no domain {', '.join(unknown)} in the data"] * bool(unknown)
            if faults:
                raise InputError(
                    f"policy static: shares={shortened(parameters.shares)}: {'; '.join(faults)}; "
                    f"name every domain of the data: {', '.join(self.domains)}"
                )
        total = sum(ratios.values())
        self._shares = {name: ratios[name] / total for name in self.domains}

    def shares(self, step: int) -> Mapping[str, float]:
        """The same in every step."""
        return dict(self._shares)
