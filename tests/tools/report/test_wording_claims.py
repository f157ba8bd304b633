"""What is claimed never goes beyond the verdict, and every number in a sentence is a stored one."""

import re

import pytest

from tests.tools.report.report_cases import NOT_DELIVERED, NOT_RECORDED, WEAK, cases, material
from tools.report.claims.comparison import comparison_claims, failures_sentence
from tools.report.claims.delivery import delivery_short
from tools.report.claims.facts import facts
from tools.report.claims.study import study_claims
from tools.report.claims.titles import comparison_title, title, verdict_name
from tools.report.conclusion import summary_table
from tools.report.study.verdict_json import all_claims
from tools.statistics.verdict_model import Comparison

CASES = cases()
COMPARISONS = {f"{name}.{one.treatment}": one for name, case in CASES.items() for one in case.verdict.comparisons}


def claims(comparison: Comparison) -> dict[str, str]:
    return {claim.id.removeprefix(f"{comparison.treatment}."): claim.text for claim in comparison_claims(comparison)}


def everything(comparison: Comparison) -> str:
    return "\n".join(claim.text for claim in comparison_claims(comparison))


def only(name: str) -> Comparison:
    (comparison,) = CASES[name].verdict.comparisons
    return comparison


def test_the_cases_cover_every_verdict_and_both_directions() -> None:
    verdicts = {(one.verdict, one.direction) for one in COMPARISONS.values()}
    assert verdicts == {
        ("invalid_data", None),
        ("treatment_not_delivered", None),
        ("not_estimable", None),
        ("supported", "better"),
        ("supported", "worse"),
        ("depends_on_summary", None),
        ("negative_equivalent", None),
        ("negative_inconclusive", None),
    }


@pytest.mark.parametrize("name", COMPARISONS)
def test_better_and_worse_are_said_only_by_a_verdict_that_says_so(name: str) -> None:
    one = COMPARISONS[name]
    said = everything(one) + summary_table(facts(one))
    for word in ("better", "worse"):
        assert (word in said) == (one.verdict == "supported" and one.direction == word)


@pytest.mark.parametrize("name", COMPARISONS)
def test_nothing_is_ever_called_without_effect_or_significant(name: str) -> None:
    assert not re.search(
        r"no effect|no difference (?!is computed)|significan|useless|prove", everything(COMPARISONS[name])
    )


@pytest.mark.parametrize("name", COMPARISONS)
def test_no_sentence_holds_a_value_that_is_no_number(name: str) -> None:
    assert not re.search(r"\b(nan|None|inf)\b|−|--|\s-0\.00\b", everything(COMPARISONS[name]))


@pytest.mark.parametrize("name", COMPARISONS)
def test_every_interval_says_n_and_its_family_or_stands_in_a_sentence_that_does(name: str) -> None:
    for key, sentence in claims(COMPARISONS[name]).items():
        if re.search(r"\[-?[\d.]+, -?[\d.]+\]", sentence):
            assert "family of" in sentence, key
            assert "n = " in sentence, key


@pytest.mark.parametrize("name", COMPARISONS)
def test_ids_are_unique_and_sentences_are_whole(name: str) -> None:
    made = comparison_claims(COMPARISONS[name])
    assert len({claim.id for claim in made}) == len(made)
    for claim in made:
        assert claim.id.startswith(f"{COMPARISONS[name].treatment}.")
        assert claim.text == claim.text.strip()
        assert "  " not in claim.text
        assert "|" not in claim.text
        if ".title" not in claim.id and ".fault" not in claim.id:
            assert claim.text.endswith("."), claim.text


@pytest.mark.parametrize("name", CASES)
def test_ids_stay_unique_over_a_whole_study(name: str) -> None:
    made = all_claims(CASES[name])
    assert len({claim.id for claim in made}) == len(made)
    assert {"study.scope", "plan.supported"} <= {claim.id for claim in made}


@pytest.mark.parametrize("name", COMPARISONS)
def test_points_in_sentences_are_stored_values_rounded_outwards(name: str) -> None:
    """Each two-decimal number is a stored mean, limit, dose or rule of the comparison, at its own rounding."""
    one = COMPARISONS[name]
    stored = [one.delivery.minimum_dose]
    for summary in one.summaries.values():
        stored += [summary.mean, summary.low_family, summary.high_family, summary.low_tost, summary.high_tost]
    values = [abs(value) for value in stored if value is not None]
    for number in re.findall(r"(?<![\d.])\d+\.\d\d(?![\d%]| %)", everything(one)):
        assert any(abs(float(number) - value) <= 0.01 + 1e-9 for value in values), number


def test_a_bound_excludes_no_less_than_the_stored_limit() -> None:
    one = only("inconclusive")
    primary = one.summaries[one.primary]
    assert primary.high_family is not None
    assert primary.low_family is not None
    gains, losses = re.findall(r"(?:above|beyond) ([\d.]+) points", claims(one)["excluded"])
    assert 0 <= float(gains) - primary.high_family < 0.01
    assert 0 <= float(losses) + primary.low_family < 0.01


@pytest.mark.parametrize("name", ["inconclusive_weak", "equivalent_weak"])
def test_a_negative_verdict_at_a_weak_dose_does_not_name_the_policy(name: str) -> None:
    made = claims(only(name))
    assert made["verdict"].startswith("Verdict: at a weak dose (0.031, minimum 0.05), negative")
    spoken = [
        text
        for key, text in made.items()
        if key.split(".")[0] in ("verdict", "primary", "excluded", "summary", "said", "unsaid")
    ]
    assert len(spoken) > 8
    assert not any("tscl" in text for text in spoken)
    assert "at a weak dose" in made["title"]
    assert "the treatment as delivered" in made["said.1"]


def test_a_positive_verdict_at_a_weak_dose_says_the_dose() -> None:
    made = claims(only("better_weak"))
    assert made["title"].startswith(
        "Does tscl beat static? Yes: at a weak dose, tscl is better than static under all six"
    )
    assert made["said.1"].startswith("At a weak dose, ")


TITLES = {
    "inconclusive": "Three seeds cannot say; gains above 3.27 points on the primary summary are excluded",
    "equivalent": (
        "Not by an amount of interest: five seed pairs put the difference within 1.0 point under all six benchmark "
        "summaries"
    ),
    "better": "Yes: tscl is better than static under all six benchmark summaries in five seed pairs",
    "better_negligible": (
        "Yes: tscl is better than static under all six benchmark summaries in five seed pairs, by less than the "
        "smallest effect of interest"
    ),
    "worse": "No: tscl is worse than static under all six benchmark summaries in five seed pairs",
    "depends": (
        "It depends on the benchmark summary: the difference is above zero under no_science and math_heavy_6; below "
        "zero under no_math; not shown to differ from zero under the other three"
    ),
    "depends_one_way": (
        "It depends on the benchmark summary: the difference is above zero under math_heavy_6; not shown to "
        "differ from zero under the other five"
    ),
    "not_delivered": "Not tested: the delivery record does not show that the arms differ as tscl requires",
    "one_seed": "One seed pair cannot say: it gives a difference but no interval",
    "one_seed_weak": "One seed pair cannot say: it gives a difference but no interval",
    "two_seeds": "Two seeds cannot say",
    "identical": "Not estimable: the paired differences are the same in all seeds under every summary",
    "partly_stuck": "Not estimable: the paired differences are the same in all seeds under gpqa",
    "no_pair": "No seed is complete in both arms",
    "mixed_harness": "No verdict: the data are not valid for a comparison",
    "lost_pair": "Not shown: four complete pairs cannot outweigh one lost pair",
}


@pytest.mark.parametrize("name", TITLES)
def test_the_title_answers_the_question_without_leaning(name: str) -> None:
    assert comparison_title(only(name)) == f"Does tscl beat static? {TITLES[name]}"
    assert title(CASES[name].verdict) == comparison_title(only(name))


def test_the_title_of_several_treatments_groups_them_by_answer() -> None:
    assert title(CASES["several"].verdict) == (
        "Do tscl, reward_gap and dump_ucb beat static? tscl is better than static; five seeds cannot say for "
        "reward_gap and dump_ucb"
    )
    assert title(CASES["several_negative"].verdict) == (
        "Do tscl and reward_gap beat static? Three seeds cannot say for tscl and reward_gap"
    )
    assert title(CASES["several_weak"].verdict) == (
        "Do tscl and reward_gap beat static? No answer for tscl at full strength, which was never applied; reward_gap "
        "is better than static at a weak dose"
    )


def test_a_small_gain_of_one_among_several_is_called_small_in_the_title_too() -> None:
    several = material({"tscl": 0.5, "reward_gap": 0.5}, seeds=5, spread=0.1)
    assert title(several.verdict) == (
        "Do tscl and reward_gap beat static? tscl and reward_gap are better than static, by less than the smallest "
        "effect of interest"
    )


def test_one_seed_gives_a_difference_and_no_interval_in_words() -> None:
    made = claims(only("one_seed"))
    assert "n = 1 seed pair" in made["verdict"]
    assert made["summary.flat_12"].endswith("(n = 1 seed pair); one pair gives no interval.")
    assert "[" not in everything(only("one_seed"))


def test_identical_runs_are_suspected_and_get_no_interval() -> None:
    assert "identical or copied runs are suspected" in claims(only("identical"))["verdict"]
    assert "[" not in everything(only("identical"))


def test_unadjusted_exclusions_stand_beside_what_chance_gives() -> None:
    (one,) = [one for one in CASES["several"].verdict.comparisons if one.treatment == "dump_ucb"]
    assert claims(one)["unadjusted"] == (
        "Three of six summaries exclude zero at the unadjusted 95 % level (in favour of the treatment: math_heavy_6 "
        "and no_science; against the treatment: no_math); about 0.3 of six would do so by chance if the arms did not "
        "differ. Of these, no_math and no_science do not survive adjustment for the three treatments tested."
    )
    none = claims(only("inconclusive"))["unadjusted"]
    assert none.startswith("No summary of the six excludes zero at the unadjusted 95 % level; about 0.3 of six")


def test_one_treatment_of_a_family_is_told_what_does_not_survive_it() -> None:
    """The public runs of tscl against static on Qwen2.5-0.5B look like this: one summary alone excludes zero."""
    one = next(one for one in CASES["several"].verdict.comparisons if one.treatment == "dump_ucb")
    lone = one.model_copy(update={"exclusions_unadjusted": ("no_math",)})
    assert claims(lone)["unadjusted"].endswith(
        "differ. It does not survive adjustment for the three treatments tested."
    )


def test_one_summary_beyond_the_family_level_is_told_with_the_level_it_misses() -> None:
    (one,) = [one for one in CASES["several"].verdict.comparisons if one.treatment == "dump_ucb"]
    assert "Under one of the six benchmark summaries (math_heavy_6)" in claims(one)["verdict"]
    assert "but not at the 99.72 % level" in claims(one)["verdict"]


def test_a_claim_that_lost_pairs_could_undo_is_withheld() -> None:
    made = claims(only("lost_pair"))
    assert made["note.2"] == "lost pairs: 1 of 5 (seed 5)."
    assert "the claim is withheld" in made["verdict"]
    assert "do not outweigh one lost pair" in made["said.1"]
    assert made["failures"] == "Failed runs: tscl 1, static 0."
    assert "excluded" not in made
    assert "gains above" not in summary_table(facts(only("lost_pair")))


def test_without_a_delivery_record_the_doubt_is_told() -> None:
    made = claims(only("inconclusive_not_recorded"))
    assert made["delivery"].startswith("Delivery: not recorded.")
    assert "That the policy was applied: no delivery was recorded." in made.values()


def test_a_treatment_that_was_not_delivered_excludes_nothing() -> None:
    one = only("not_delivered")
    made = claims(one)
    assert "excluded" not in made
    assert "unadjusted" not in made
    assert "give no information about tscl as a policy" in made["verdict"]
    assert "shows no dose" not in made["verdict"]
    assert "gains above" not in summary_table(facts(one))


def test_the_worker_confirms_weights_or_is_said_not_to() -> None:
    for confirmed, words in (
        (True, "In every step the loss received"),
        (False, "In some steps the loss did not receive"),
    ):
        delivery = WEAK.model_copy(update={"kind": "weights", "worker_confirmed": confirmed})
        (one,) = material({"tscl": 0.2}, delivery=delivery).verdict.comparisons
        assert words in claims(one)["delivery"]
    (one,) = material({"tscl": 0.2}, delivery=NOT_RECORDED).verdict.comparisons
    assert "loss" not in claims(one)["delivery"]


def delivery_claim(**changes: object) -> str:
    record = NOT_DELIVERED.model_copy(update={"treatment_dose": 0.0, **changes})
    (one,) = material({"tscl": 0.2}, delivery=record).verdict.comparisons
    return claims(one)["delivery"]


@pytest.mark.parametrize("name", COMPARISONS)
def test_a_weak_dose_is_told_where_there_is_a_verdict_and_nowhere_else(name: str) -> None:
    one = COMPARISONS[name]
    judged = one.verdict not in ("invalid_data", "treatment_not_delivered", "not_estimable")
    made = claims(one)
    told = {key for key in made if key in ("title", "verdict", "primary", "excluded", "said.1") or "summary." in key}
    for key in told:
        expected = one.delivery.status == "weak" and judged
        assert ("weak dose" in made[key]) == expected, made[key]


def test_no_bound_beyond_what_scores_allow_is_called_excluded() -> None:
    """Two noisy seeds: an interval wider than 0..100 rules out nothing, and nobody is told of gains above 100."""
    one = only("two_seeds")
    primary = one.summaries[one.primary]
    assert primary.high_family is not None
    assert primary.low_family is not None
    assert primary.low_family < -100
    assert primary.high_family > 100
    assert "gains above" not in everything(one) + summary_table(facts(one))
    assert (
        claims(one)["unsaid.2"]
        == "That the two are equal: on domain_balanced_12, differences of any size and sign are not excluded."
    )


def test_a_bound_beyond_the_room_that_the_control_leaves_excludes_nothing() -> None:
    """A control at 60 can be beaten by 40 and undercut by 60: limits of -59 and 41 rule out the losses alone."""
    one = only("inconclusive")
    primary = one.summaries[one.primary].model_copy(update={"control_mean": 60.0, "low_family": -59.0})
    for high, said in (
        (41.0, "losses beyond 59.00 points are excluded"),
        (39.0, "gains above 39.00 points and losses"),
    ):
        wide = {one.primary: primary.model_copy(update={"high_family": high})}
        made = claims(one.model_copy(update={"summaries": one.summaries | wide}))
        assert made["excluded"].startswith(f"On domain_balanced_12 {said}")
        assert ("above -59.00 points are not excluded" in made["unsaid.2"]) == (high == 41.0)
        assert ("excluded" in made["title"]) == (high == 39.0)


def test_one_summary_singled_out_is_told_at_the_level_that_this_asks_for() -> None:
    """Under one summary the strict interval excludes zero, under others only the family's: those are not named."""
    one = only("depends_one_way")
    assert one.exclusions_strict == ("math_heavy_6",)
    assert set(facts(one).above) > set(one.exclusions_strict)
    assert "is above zero under math_heavy_6, and" in claims(one)["said.1"]
    assert "(99.17 % interval, family of 1 times 6 summaries, n = 5 seed pairs)" in claims(one)["said.1"]


def test_data_that_look_copied_back_no_bound_under_the_summaries_that_do_vary() -> None:
    one = only("partly_stuck")
    assert one.summaries["flat_12"].low_family is not None
    assert {"excluded", "unadjusted"}.isdisjoint(claims(one))
    assert "gains above" not in summary_table(facts(one))


def test_one_summary_alone_is_spoken_of_in_the_singular() -> None:
    assert "Under the one benchmark summary the 95 % interval" in claims(only("one_summary"))["verdict"]
    assert claims(only("one_summary"))["unadjusted"] == (
        "The one summary does not exclude zero at the unadjusted 95 % level; about 0.05 of one would do so by chance "
        "if the arms did not differ."
    )


def test_equivalence_shows_the_interval_of_two_one_sided_tests_beside_the_wider_one() -> None:
    said = claims(only("equivalent"))["tost"]
    assert said.startswith("Two one-sided tests at 5 %, unadjusted, would use the 90 % interval, on domain_balanced_12")
    assert said.endswith("the verdict uses the wider one (family of 1).")
    assert "tost" not in claims(only("inconclusive"))


def test_a_withheld_claim_says_in_every_sentence_that_only_complete_pairs_speak() -> None:
    made = claims(only("lost_pair"))
    assert made["primary"].startswith("With complete pairs only, on")
    assert "unadjusted" not in made


def test_a_figure_of_scores_that_back_no_claim_says_why() -> None:
    assert facts(only("not_delivered")).caveat == "treatment not delivered"
    assert facts(only("lost_pair")).caveat == "complete pairs only, claim withheld"
    assert facts(only("equivalent_weak")).caveat == facts(only("better_weak")).caveat == "weak dose"
    assert facts(only("better")).caveat == facts(only("one_seed_weak")).caveat == ""


def test_failures_of_several_comparisons_name_each_arm_once() -> None:
    both = CASES["several_negative"].verdict.comparisons
    assert failures_sentence(*both) == "No run of tscl, static or reward_gap failed."
    failed = [one.model_copy(update={"failures": {"static": 1, one.treatment: 2}}) for one in both]
    assert failures_sentence(*failed) == "Failed runs: tscl 2, static 1, reward_gap 2."


def test_a_dose_against_an_arm_that_draws_at_random_says_how_it_was_measured() -> None:
    said = delivery_claim(status="delivered", dose=0.21, uniform="control")
    assert "the control draws at random from the whole pool and counts with its average shares" in said
    assert "at random" not in delivery_claim(status="delivered", dose=0.21)


def test_two_arms_that_reweight_are_told_with_both_doses() -> None:
    said = delivery_claim(status="delivered", kind="weights", dose=0.1, treatment_dose=0.4, control_dose=0.1)
    assert "both arms reweight; the smaller of their total variations" in said
    assert said.endswith("The control's own weights have dose 0.100, the treatment's 0.400.")


def test_weights_that_the_loss_never_saw_have_a_dose_that_was_only_asked_for() -> None:
    record = {"status": "not_delivered", "kind": "weights", "dose": 0.4, "worker_confirmed": False}
    assert "Requested dose: 0.400" in delivery_claim(**record)
    assert delivery_short(NOT_DELIVERED.model_copy(update=record)) == "not delivered"


def test_a_verdict_has_a_name_that_can_be_quoted() -> None:
    assert verdict_name(only("better")) == "tscl better than static"
    assert verdict_name(only("inconclusive")) == "negative, inconclusive"


def test_study_claims_count_spend_runs_and_matching() -> None:
    made = {claim.id: claim.text for claim in study_claims(CASES["inconclusive"])}
    assert made["study.spent"] == (
        "Spent: 0.17 device-hours (on CPU, one run-hour each); failed attempts are included."
    )
    assert made["study.runs"] == "Six of six runs reached the planned step."
    assert made["study.matching"].startswith(
        "In three pairs of runs nothing differs except the policy and the run paths."
    )
    assert made["study.approval"] == "Approved by ada at 2026-07-21T10:00:00Z, with a ceiling of 0.50 device-hours."
