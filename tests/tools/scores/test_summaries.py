import pytest

from policies.errors import InputError
from tests.tools.score_tables import DOMAINS
from tools.scores import summaries


def test_the_verdict_set_is_the_table_of_the_design():
    found = summaries.verdict_set(DOMAINS)
    assert list(found) == ["domain_balanced_12", "flat_12", "math_heavy_6", "no_math", "no_logic", "no_science"]
    expected = {
        "domain_balanced_12": {"math": 1 / 15, "logic": 1 / 12, "science": 1 / 9},
        "flat_12": {"math": 1 / 12, "logic": 1 / 12, "science": 1 / 12},
        "no_math": {"logic": 1 / 8, "science": 1 / 6},
        "no_logic": {"math": 1 / 10, "science": 1 / 6},
        "no_science": {"math": 1 / 10, "logic": 1 / 8},
    }
    for name, by_domain in expected.items():
        wanted = {b: by_domain[d] for b, d in DOMAINS.items() if d in by_domain}
        assert found[name] == pytest.approx(wanted), name
    math = [b for b, d in DOMAINS.items() if d == "math"]
    assert found["math_heavy_6"] == pytest.approx(dict.fromkeys([*math, "gpqa_diamond"], 1 / 6))


def test_every_summary_sums_to_one_with_positive_weights():
    for name in summaries.names():
        found = summaries.weights(name, DOMAINS)
        assert sum(found.values()) == pytest.approx(1.0, abs=1e-12)
        assert min(found.values()) > 0


def test_weights_follow_the_order_of_the_benchmarks():
    turned = dict(reversed(DOMAINS.items()))
    assert list(summaries.weights("flat_12", turned)) == list(turned)


def test_an_unknown_summary_offers_the_nearest():
    with pytest.raises(InputError, match="domain_balanced_12"):
        summaries.weights("domain_balanced", DOMAINS)


def test_a_summary_without_any_benchmark_says_so():
    with pytest.raises(InputError, match="math_heavy_6 weighs none"):
        summaries.weights("math_heavy_6", {"kk_hard": "logic"})


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"gsm8k": 0.5, "poetry": 0.5}, "unknown benchmarks: poetry"),
        ({"gsm8k": 1.5, "kk_hard": -0.5}, "negative weight for kk_hard"),
        ({"gsm8k": float("nan"), "kk_hard": 1.0}, "negative weight for gsm8k"),
        ({"gsm8k": 0.5, "kk_hard": 0.4}, "sum to 0.9"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(InputError, match=message):
        summaries.check_weights("mine", weights, DOMAINS)


def test_a_name_cannot_be_taken_twice():
    def flat_12(benchmarks):
        return {}

    with pytest.raises(ValueError, match="twice"):
        summaries.summary(flat_12)


def test_another_package_adds_a_summary_by_entry_point(monkeypatch):
    class Point:
        name, value = "only_gsm8k", "elsewhere:only_gsm8k"

        def load(self):
            return lambda benchmarks: {"gsm8k": 1.0}

    monkeypatch.setattr(summaries, "entry_points", lambda group: [Point()] if group == "advisor.summaries" else [])
    summaries.registry.cache_clear()
    try:
        assert summaries.weights("only_gsm8k", DOMAINS) == {"gsm8k": 1.0}
        assert "only_gsm8k" in summaries.names()
    finally:
        summaries.registry.cache_clear()
