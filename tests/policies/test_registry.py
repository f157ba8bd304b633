"""Policies are found by name, filled in and checked; third parties' ones through entry points, only when used."""

import sys
from pathlib import Path

import pytest

from policies import registry
from policies.base import Policy, PolicySpec
from policies.errors import InputError
from tests.distributions import forget_entry_points, registry_kept, write_metadata

DOMAINS = ("logic", "math", "science")


@pytest.fixture(autouse=True)
def _forget_entry_points():
    with registry_kept():
        yield


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: str, points: str) -> None:
    """A distribution as pip leaves it: a module and its metadata."""
    (folder / f"{name}.py").write_text(code)
    write_metadata(folder, name, points)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, name, raising=False)
    forget_entry_points()


EVEN = '''
from policies.base import Policy
from policies.registry import register

@register
class Even(Policy):
    """Every weight 1."""
    name = "{name}"
    family = "control"
    control = "baseline"
    source = "a test"
'''


def test_the_built_ins_are_there():
    assert {"baseline", "static", "topk", "tscl"} <= set(registry.names())
    assert all(registry.get(name).name == name for name in registry.names())


def test_resolve_fills_in_every_default():
    assert registry.resolve("tscl", {"window": 20}).parameters == {
        "temperature": 1.0,
        "floor": 0.05,
        "warmup": 5,
        "window": 20,
        "normalise": True,
        "scorer": "reward",
    }


def test_resolving_twice_changes_nothing_and_survives_json():
    spec = registry.resolve("static", {"shares": "math=6, logic=1,science=1"})
    again = PolicySpec.model_validate_json(spec.model_dump_json())
    assert again == spec == registry.resolve(again.name, again.parameters)


def test_equal_settings_have_one_spelling():
    one = registry.resolve("static", {"shares": "math=6,logic=1,science=1.0"})
    other = registry.resolve("static", {"shares": " science = 1 , math=6.0 , logic=1"})
    assert one == other
    assert registry.resolve("tscl", {"temperature": 1}) == registry.resolve("tscl", {"temperature": 1.0})


def test_an_unknown_name_offers_the_nearest():
    with pytest.raises(InputError, match=r"unknown policy 'topq'; did you mean topk\?"):
        registry.resolve("topq")
    with pytest.raises(InputError, match=r"known policies: .*baseline, .*static, .*topk, .*tscl"):
        registry.resolve("zzzzzz")


def test_all_faults_stand_in_one_line_with_their_ranges():
    with pytest.raises(InputError) as caught:
        registry.resolve("tscl", {"temprature": 2, "temperature": -1, "window": "abc", "floor": True, "normalise": 7})
    message = str(caught.value)
    assert "\n" not in message
    for part in (
        "unknown parameter 'temprature' (did you mean temperature?",
        "temperature must be a number in (0, 1000] (got -1)",
        "window must be a whole number in [2, 100000] (got abc)",
        "floor must be a number in [0, 0.5] (got True)",
        "normalise must be true or false (got 7)",
    ):
        assert part in message


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 0, -0.1, 1.5, None, "half", [1]])
def test_a_share_out_of_range_is_refused(value):
    with pytest.raises(InputError, match=r"keep_fraction must be a number in \(0, 1\]"):
        registry.resolve("topk", {"keep_fraction": value})


def test_a_policy_without_parameters_says_so():
    with pytest.raises(InputError, match="it takes none"):
        registry.resolve("baseline", {"temperature": 1})


@pytest.mark.parametrize(
    ("shares", "fault"),
    [
        ("math:6", "'math:6' is not DOMAIN=RATIO"),
        ("math=-1", "'math=-1' is not DOMAIN=RATIO"),
        ("math=nan", "'math=nan' is not DOMAIN=RATIO"),
        ("math=1,", "'' is not DOMAIN=RATIO"),
        ("math=1,math=2", "domain 'math' is named twice"),
        ("math=0,logic=0", "at least one ratio must be above 0"),
    ],
)
def test_wrong_fixed_shares_are_named(shares, fault):
    with pytest.raises(InputError) as caught:
        registry.resolve("static", {"shares": shares})
    assert fault in str(caught.value)


def test_fixed_shares_must_name_the_domains_of_the_data():
    spec = registry.resolve("static", {"shares": "math=6,logic=1,history=2"})
    with pytest.raises(InputError, match=r"no ratio for science; no domain history in the data"):
        registry.create(spec, DOMAINS, seed=1)


def test_fixed_shares_are_proportional_and_may_be_zero():
    spec = registry.resolve("static", {"shares": "math=6,logic=2,science=0"})
    assert registry.create(spec, DOMAINS, seed=1).shares(1) == {"logic": 0.25, "math": 0.75, "science": 0.0}
    assert registry.create(registry.resolve("static"), DOMAINS, 1).shares(7) == dict.fromkeys(DOMAINS, 1 / 3)


def test_a_floor_that_the_domains_cannot_pay_is_refused():
    with pytest.raises(InputError, match=r"floor=0.4 for 3 domains is over 1 in all; give at most 0.333"):
        registry.create(registry.resolve("tscl", {"floor": 0.4}), DOMAINS, seed=1)


def test_a_hand_written_spec_is_checked_when_it_is_created():
    with pytest.raises(InputError, match="keep_fraction must be"):
        registry.create(PolicySpec(name="topk", parameters={"keep_fraction": 3.0}), DOMAINS, seed=1)


def test_a_third_partys_policy_is_found_through_its_entry_point(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch, "even_policy", EVEN.format(name="even"), "even = even_policy:Even")
    assert "even" in registry.names()
    assert "even_policy" not in sys.modules, "listing names must not import anybody's code"
    assert registry.create(registry.resolve("even"), DOMAINS, 1).name == "even"


def test_a_broken_entry_point_harms_nobody_until_it_is_used(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch, "broken_policy", "raise OSError('no\\nluck')", "broken = broken_policy:Broken")
    assert registry.resolve("tscl").name == "tscl"
    with pytest.raises(InputError) as caught:
        registry.get("broken")
    assert "'broken' of broken_policy (broken_policy:Broken) cannot be loaded: OSError: no luck" in str(caught.value)


@pytest.mark.parametrize(
    "code", ["Odd = 3", "class Odd: name = 'odd'", "from policies.mixing import MixingPolicy as Odd"]
)
def test_an_entry_point_that_is_no_policy_is_refused(tmp_path, monkeypatch, code):
    install(tmp_path, monkeypatch, "odd_policy", code, "odd = odd_policy:Odd")
    with pytest.raises(InputError, match="is not a class derived from"):
        registry.get("odd")


def test_an_entry_point_must_agree_with_the_policys_name(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch, "even_policy", EVEN.format(name="even"), "uneven = even_policy:Even")
    with pytest.raises(InputError, match="calls itself 'even'"):
        registry.get("uneven")


def test_a_built_in_name_cannot_be_shadowed(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch, "even_policy", EVEN.format(name="tscl"), "tscl = even_policy:Even")
    with pytest.raises(InputError, match="'tscl' is claimed by even_policy and this package"):
        registry.get("tscl")
    assert registry.get("topk").name == "topk"


def test_two_packages_cannot_claim_one_name(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch, "even_policy", EVEN.format(name="even"), "even = even_policy:Even")
    install(tmp_path, monkeypatch, "other_policy", EVEN.format(name="even"), "even = other_policy:Even")
    with pytest.raises(InputError, match=r"claimed by .*: uninstall all but one"):
        registry.get("even")


def test_registering_another_class_under_a_known_name_is_refused():
    class Impostor(Policy):
        """Not tscl."""

        name = "tscl"
        family = "control"
        control = "baseline"

    with pytest.raises(InputError, match=r"'tscl' of .* would shadow the one of policies\.builtin\.tscl"):
        registry.register(Impostor)
    assert registry.get("tscl").__module__ == "policies.builtin.tscl"


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ("name = 'odd'", "`name` must be of lower case letters, digits and _, beginning with a letter (is None)"),
        ("family = 'control'", "`family` must be one of control, selection, reweighting, mixing, placebo (is None)"),
        ("control = 'baseline'", "`control` must be a policy's name"),
        ("source = 'a test'", "`source` must be text"),
        ("aliases = ()", "`aliases` must be a tuple of texts"),
        ("Parameters = Fine", "parameter k has no default"),
    ],
)
def test_an_incomplete_declaration_is_told_before_the_class_is_used(tmp_path, monkeypatch, given, fault):
    wrong = {"source": "source = None", "aliases": "aliases = 'odd'", "Parameters": "Parameters = Bare"}
    lines = ["name = 'odd'", "family = 'control'", "control = 'baseline'", "source = 'a test'", "aliases = ()"]
    lines = [line for line in [*lines, "Parameters = Fine"] if line != given] + [wrong.get(given.split()[0], "pass")]
    head = "from policies.base import Policy, PolicyParameters\n"
    head += "class Fine(PolicyParameters):\n    k: int = 1\nclass Bare(PolicyParameters):\n    k: int\n"
    code = f"{head}class Odd(Policy):\n    '''Odd.'''\n    " + "\n    ".join(lines)
    install(tmp_path, monkeypatch, "odd_policy", code, "odd = odd_policy:Odd")
    with pytest.raises(InputError) as caught:
        registry.get("odd")
    assert fault in str(caught.value)
    assert "declared wrongly" in str(caught.value)


def test_an_entry_point_that_ends_the_program_does_not(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch, "odd_policy", "raise SystemExit(3)", "odd = odd_policy:Odd")
    with pytest.raises(InputError, match="cannot be loaded: SystemExit: 3"):
        registry.get("odd")


def test_a_policy_that_cannot_start_is_named():
    class Stillborn(Policy):
        """Fails when it is made."""

        name = "stillborn"
        family = "control"
        control = "baseline"

        def __init__(self, parameters, domains, seed):
            raise KeyError("nothing")

    registry.register(Stillborn)
    with pytest.raises(InputError, match="policy stillborn cannot start: KeyError: 'nothing'"):
        registry.create(registry.resolve("stillborn"), DOMAINS, 1)
