"""A treatment counts as delivered only when paired records show a dose that the loss or the prompts really had."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.apportion import apportion
from policies.delivery import DeliveryRecord, WeightStatistics
from tools.evaluation.delivery import compare_delivery, total_variation

STEPS, PROMPTS = 10, 16
EVEN = {"math": 0.5, "logic": 0.5}


def statistics(total=800.0, zeros=400):
    return WeightStatistics(tokens=800, total=total, squared=2 * total, zeros=zeros)


def record(
    step,
    *,
    stream=None,
    shares=EVEN,
    requested=None,
    dose=0.0,
    advantages=0.0,
    asked=None,
    seen=None,
    digests=(7, 7),
    kept=False,
):
    return DeliveryRecord(
        step=step,
        prompts=PROMPTS,
        rollouts=5 * PROMPTS,
        prompt_stream=stream or f"stream-{step}",
        requested_shares=requested,
        realised_shares=shares,
        weights_set=asked,
        weights_seen=seen,
        weight_dose=dose,
        advantage_dose=advantages,
        loss_inputs_set=digests[0],
        loss_inputs_seen=digests[1],
        effective_sample_size=80.0,
        kept_everything=kept,
        domain_rewards={"math": 0.5, "logic": 0.5},
    )


def run(steps=STEPS, **fields):
    return [record(step, **fields) for step in range(1, steps + 1)]


def weighted(dose=0.4, **fields):
    return run(dose=dose, **{"asked": statistics(), "seen": statistics(), **fields})


def mixed(share=0.8, **fields):
    shares = {"math": share, "logic": 1 - share}
    return [
        record(step, **{"stream": f"mixed-{step}", "shares": shares, "requested": shares, **fields})
        for step in range(1, STEPS + 1)
    ]


def static(**fields):
    return run(requested=EVEN, **fields)


def compare(treatment, control, minimum=0.05, **options):
    return compare_delivery({1: treatment, 2: treatment}, {1: control, 2: control}, minimum, PROMPTS, **options)


def test_weights_that_the_loss_saw_are_delivered():
    found = compare(weighted(), run())
    assert (found.status, found.kind, found.worker_confirmed) == ("delivered", "weights", True)
    assert found.dose == pytest.approx(0.4)
    assert found.by_seed == {"1": pytest.approx(0.4), "2": pytest.approx(0.4)}
    assert (found.control_dose, found.steps, found.minimum_dose, found.reasons) == (0, STEPS, 0.05, ())


def test_a_mixture_is_measured_in_realised_shares_against_the_paired_control():
    found = compare(mixed(0.8), static())
    assert (found.status, found.kind, found.worker_confirmed) == ("delivered", "mixture", None)
    assert found.dose == pytest.approx(0.3)


def test_a_dose_is_the_mean_over_steps():
    halfway = [*static()[:5], *mixed(0.8)[5:]]
    assert compare(halfway, static()).dose == pytest.approx(0.15)


def test_a_dose_is_averaged_over_seeds_and_shown_for_each():
    found = compare_delivery({1: weighted(0.2), 2: weighted(0.4)}, {1: run(), 2: run()}, 0.05, PROMPTS)
    assert found.dose == pytest.approx(0.3)
    assert found.by_seed == {"1": pytest.approx(0.2), "2": pytest.approx(0.4)}


def test_below_the_plans_minimum_it_is_weak():
    found = compare(weighted(0.04), run())
    assert found.status == "weak"
    assert found.reasons == ("dose 0.04 is below the plan's minimum 0.05",)
    assert compare(weighted(0.04), run(), minimum=0.04).status == "delivered"


def test_identical_runs_are_not_delivered():
    found = compare(run(), run())
    assert (found.status, found.kind, found.dose) == ("not_delivered", "none", 0)
    assert "seed 1: both runs are identical in everything" in found.reasons


def test_one_identical_pair_among_good_ones_is_not_delivered():
    found = compare_delivery({1: weighted(), 2: run()}, {1: run(), 2: run()}, 0.05, PROMPTS)
    assert found.status == "not_delivered"
    assert found.reasons == ("seed 2: both runs are identical in everything",)


def test_weights_that_are_all_equal_are_no_dose():
    ones = run(asked=statistics(zeros=0), seen=statistics(zeros=0))
    found = compare(ones, run())
    assert found.status == "not_delivered"
    assert found.worker_confirmed is True


def test_shares_that_move_less_than_half_a_prompt_a_step_are_no_dose():
    # One prompt of sixteen in four of ten steps: a mean total variation of .025, under 1/32.
    nearly = [*mixed(0.5625)[:4], *static(stream="other")[4:]]
    found = compare(nearly, static())
    assert (found.status, found.kind) == ("not_delivered", "none")
    assert "half a prompt a step is 0.0312" in found.reasons[-1]


def test_a_small_mixture_dose_does_not_hide_weights():
    both = weighted(dose=0.01, stream="x", shares={"math": 0.52, "logic": 0.48})
    found = compare(both, run(), minimum=0.005)
    assert (found.status, found.kind) == ("delivered", "weights")
    assert found.dose == pytest.approx(0.01)


def test_weights_that_never_reached_the_loss_are_not_delivered_whatever_the_dose():
    found = compare(weighted(seen=None), run())
    assert (found.status, found.worker_confirmed) == ("not_delivered", False)
    assert found.reasons[0] == "seed 1, step 1: the trainer set weights, the loss saw none (10 of 10 steps)"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"total": 801.0}, "total 800 set, 801 seen"),
        ({"squared": 1601.0}, "squared 1600 set, 1601 seen"),
        ({"zeros": 0}, "zeros 400 set, 0 seen"),
        ({"tokens": 799}, "tokens 800 set, 799 seen"),
    ],
)
def test_one_step_with_other_weights_in_the_loss_is_named(change, fault):
    records = weighted()
    records[6] = records[6].model_copy(update={"weights_seen": statistics().model_copy(update=change)})
    found = compare_delivery({3: records}, {3: run()}, 0.05, PROMPTS)
    assert (found.status, found.worker_confirmed) == ("not_delivered", False)
    assert found.reasons == (f"seed 3, step 7: the loss saw other weights than were set: {fault} (1 of 10 steps)",)


@pytest.mark.parametrize("seen", [8, None])
def test_equal_sums_of_other_values_are_not_the_weights_that_were_set(seen):
    """Weights that reached the wrong rollouts add up to the same: only the digest of the values tells."""
    found = compare(weighted(digests=(7, seen)), run())
    assert (found.status, found.worker_confirmed) == ("not_delivered", False)
    assert found.reasons[0] == (
        "seed 1, step 1: the loss saw other values of weights, advantages or log-probs than were set (10 of 10 steps)"
    )


def test_a_control_whose_loss_saw_another_batch_is_named():
    found = compare(weighted(), run(digests=(7, 8)))
    assert (found.status, found.worker_confirmed) == ("not_delivered", False)
    assert found.reasons[0].startswith("seed 1, control, step 1: the loss saw other values")


def test_records_of_a_version_without_digests_are_judged_by_their_sums():
    assert compare(weighted(digests=(None, None)), run(digests=(None, None))).status == "delivered"


def test_a_policy_that_replaces_the_rewards_acts_through_the_advantages():
    found = compare(run(advantages=0.7), run())
    assert (found.status, found.kind, found.worker_confirmed) == ("delivered", "advantages", True)
    assert (found.dose, found.treatment_dose, found.control_dose) == (pytest.approx(0.7), pytest.approx(0.7), 0)
    assert compare(run(advantages=0.02), run()).status == "weak"


def test_replaced_advantages_that_the_loss_did_not_see_are_not_delivered():
    found = compare(run(advantages=0.7, digests=(7, 8)), run())
    assert (found.status, found.worker_confirmed) == ("not_delivered", False)


def test_a_control_that_trains_on_advantages_of_its_own_isolates_nothing():
    found = compare(weighted(0.4), run(advantages=0.2))
    assert found.status == "not_delivered"
    assert found.reasons == ("the control trains on advantages of its own (dose 0.2); its dose must be 0",)
    assert compare(run(advantages=0.4), run(advantages=0.2), head_to_head=True).dose == pytest.approx(0.2)


def test_weights_with_advantages_recomputed_count_with_the_larger_dose():
    found = compare(weighted(0.4, advantages=0.1), run())
    assert (found.status, found.kind, found.dose) == ("delivered", "weights", pytest.approx(0.4))


def test_float32_noise_in_the_workers_sums_is_no_difference():
    noisy = statistics().model_copy(update={"total": 800.0 * (1 + 5e-6)})
    assert compare(weighted(seen=noisy), run()).status == "delivered"


def test_weights_out_of_nowhere_are_named():
    found = compare(mixed(), static(seen=statistics()))
    assert (found.status, found.worker_confirmed) == ("not_delivered", False)
    assert "seed 1, control, step 1: the loss saw weights that the policy did not set" in found.reasons[0]


def test_a_control_with_a_dose_of_its_own_isolates_nothing():
    found = compare(weighted(0.4), weighted(0.1))
    assert found.status == "not_delivered"
    assert found.control_dose == pytest.approx(0.1)
    assert found.reasons == ("the control reweights rollouts itself (dose 0.1); its dose must be 0",)


def test_head_to_head_the_arms_must_differ_from_each_other():
    found = compare(weighted(0.4), weighted(0.1), head_to_head=True)
    assert (found.status, found.kind) == ("delivered", "weights")
    assert (found.treatment_dose, found.control_dose) == (pytest.approx(0.4), pytest.approx(0.1))
    assert compare(weighted(0.4), weighted(0.4), head_to_head=True).status == "not_delivered"


def test_head_to_head_two_selections_of_equal_size_are_two_treatments():
    """Each keeps half of the rollouts, so each is 0.5 from equal weights; they do not keep the same half."""
    ours, theirs = statistics(zeros=380), statistics(zeros=410)
    one, other = weighted(0.5, asked=ours, seen=ours), weighted(0.5, asked=theirs, seen=theirs)
    found = compare(one, other, head_to_head=True)
    assert (found.status, found.dose, found.reasons) == ("delivered", pytest.approx(0.5), ())


def test_head_to_head_the_dose_is_that_of_the_arm_that_does_less():
    found = compare(weighted(0.4), weighted(0.02), head_to_head=True)
    assert (found.status, found.dose) == ("weak", pytest.approx(0.02))


def test_head_to_head_with_one_arm_that_reweights_the_dose_is_its_own():
    found = compare(static(), weighted(0.4, requested=EVEN), head_to_head=True)
    assert (found.status, found.kind, found.dose) == ("delivered", "weights", pytest.approx(0.4))
    assert (found.treatment_dose, found.control_dose) == (0, pytest.approx(0.4))
    assert found.worker_confirmed is True


def test_the_same_prompts_although_other_shares_were_asked_for_are_named():
    asked = {"math": 0.8, "logic": 0.2}
    found = compare(run(requested=asked), static())
    assert found.status == "not_delivered"
    assert "seed 1: other shares were requested in 10 of 10 steps, yet both runs drew the same prompts" in found.reasons


def drawn_from_an_even_pool(seed):
    """A run that draws uniformly: shares that scatter by chance around one third a domain."""
    draws = np.random.default_rng(seed).multinomial(PROMPTS, [1 / 3] * 3, size=60)
    return [
        record(step, stream=f"pool-{step}", shares=dict(zip("abc", (counts / PROMPTS).tolist(), strict=True)))
        for step, counts in enumerate(draws, start=1)
    ]


def shared_out(ratios, seed):
    """A mixer that asks for the same shares in every step and gets them in whole prompts."""
    asked = dict(zip("abc", ratios, strict=True))
    return [
        record(
            step,
            stream=f"mixed-{step}",
            requested=asked,
            shares={name: count / PROMPTS for name, count in apportion(asked, PROMPTS, seed, step).items()},
        )
        for step in range(1, 61)
    ]


def test_chance_in_a_control_that_draws_from_the_pool_is_no_dose():
    """Equal shares asked for, an even pool drawn from: step by step they are .16 apart, and nothing was treated."""
    control = {seed: drawn_from_an_even_pool(seed) for seed in (1, 2, 3)}
    for treatment, other in ((shared_out, control), (control, shared_out)):
        ours, theirs = (
            {seed: shared_out([1 / 3] * 3, seed) for seed in control} if arm is shared_out else arm
            for arm in (treatment, other)
        )
        found = compare_delivery(ours, theirs, 0.05, PROMPTS)
        assert (found.status, found.kind) == ("not_delivered", "none")
        assert found.uniform == ("control" if other is control else "treatment")


def test_against_a_control_that_draws_from_the_pool_a_mixture_has_the_distance_of_the_expected_shares():
    control = {seed: drawn_from_an_even_pool(seed) for seed in (1, 2, 3)}
    found = compare_delivery({seed: shared_out([0.6, 0.2, 0.2], seed) for seed in control}, control, 0.05, PROMPTS)
    assert (found.status, found.kind, found.uniform) == ("delivered", "mixture", "control")
    assert found.dose == pytest.approx(0.6 - 1 / 3, abs=0.03)


def test_shares_that_were_asked_for_and_not_realised_do_not_count():
    """Asked for .6, drew the even pool: what counts is what was rolled out."""
    control = {1: drawn_from_an_even_pool(1)}
    asked = {"a": 0.8, "b": 0.1, "c": 0.1}
    ignored = [one.model_copy(update={"requested_shares": asked}) for one in shared_out([1 / 3] * 3, 1)]
    found = compare_delivery({1: ignored}, control, 0.05, PROMPTS)
    assert found.status != "delivered"


def test_steps_in_which_a_selector_kept_everything_are_counted():
    found = compare(weighted(kept=True), run())
    assert found.status == "delivered"
    assert "kept everything in 10 of 10 steps" in found.reasons[0]


@pytest.mark.parametrize(
    ("treatment", "control", "reason"),
    [
        ({}, {}, "no run of either arm has a delivery record"),
        ({1: run()}, {}, "seed 1: no delivery record of the control"),
        ({1: run()}, {1: run(), 2: run()}, "seed 2: no delivery record of the treatment"),
        ({1: []}, {1: run()}, "seed 1, treatment: the delivery record is empty"),
        ({1: run(9)}, {1: run()}, "seed 1: the treatment recorded 9 steps, the control 10"),
        ({1: run()}, {1: run()[:3] + run()[4:]}, "seed 1, control: the delivery record has step 5 where step 4"),
        ({1: run()[:3] + run()[2:]}, {1: run()}, "seed 1, treatment: the delivery record has step 3 where step 4"),
    ],
)  # fmt: skip
def test_records_that_cannot_be_paired_are_not_a_verdict(treatment, control, reason):
    found = compare_delivery(treatment, control, 0.05, PROMPTS)
    assert (found.status, found.dose) == ("not_recorded", None)
    assert any(each.startswith(reason) for each in found.reasons)


distribution = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(
    lambda pair: {"a": min(pair), "b": max(pair) - min(pair), "c": 1 - max(pair)}
)


@given(distribution, distribution, distribution)
def test_total_variation_is_a_distance_in_0_1(one, other, third):
    between = total_variation(one, other)
    assert 0 <= between <= 1 + 1e-12
    assert between == pytest.approx(total_variation(other, one))
    assert between <= total_variation(one, third) + total_variation(third, other) + 1e-12
    assert total_variation(one, one) == 0


def test_absent_domains_have_share_zero():
    assert total_variation({"a": 1.0}, {"b": 1.0}) == 1
