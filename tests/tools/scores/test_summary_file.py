"""A person's own summaries, and the default ones over any benchmarks."""

import pytest

from policies.errors import InputError
from tests.tools.score_tables import DOMAINS
from tools.scores.summary_file import SummaryFile, read_summary_file, verdict_set_of
from tools.scores.verdict_sets import default_verdict_set, distinct

THREE = {"a": "x", "b": "x", "c": "y"}


def read(tmp_path, content):
    path = tmp_path / "mine.yaml"
    path.write_text(content)
    return read_summary_file(path)


def test_three_ways_to_say_a_summary(tmp_path):
    file = read(
        tmp_path,
        """
        primary: flat
        sesoi: {mix: 0.5, flat: 1, both: 2}
        domains: {c: z}
        summaries:
          mix: {weights: {a: 0.75, c: 0.25}}
          flat: {benchmarks: [a, b, c]}
          both: {domains: [x, z]}
        """,
    )
    found = verdict_set_of(file, tuple(THREE), THREE)
    assert list(found.summaries) == ["flat", "mix", "both"], "the primary first"
    assert found.summaries["mix"] == {"a": 0.75, "c": 0.25}
    assert found.summaries["flat"] == pytest.approx(dict.fromkeys("abc", 1 / 3))
    assert found.summaries["both"] == pytest.approx({"a": 0.25, "b": 0.25, "c": 0.5})
    assert found.domains["c"] == "z", "the file's domain goes before the table's"
    assert file.sesoi == {"mix": 0.5, "flat": 1.0, "both": 2.0}


def test_rounded_weights_are_divided_by_their_sum_and_told():
    file = SummaryFile.model_validate({"summaries": {"third": {"weights": {"a": 0.333, "b": 0.333, "c": 0.333}}}})
    found = verdict_set_of(file, tuple(THREE), THREE)
    assert sum(found.summaries["third"].values()) == pytest.approx(1.0, abs=1e-15)
    assert "rounded" in found.notes[0]


def test_all_faults_of_the_file_are_told_at_once(tmp_path):
    with pytest.raises(InputError) as caught:
        read(
            tmp_path,
            """
            summaries:
              one: {weights: {a: 0.5, b: 0.4}}
              two: {weights: {a: -1, b: 2}}
              three: {weights: {a: 1}, domains: [x]}
              four: {}
              five: {benchmarks: [a, a]}
              six: {weight: {a: 1}}
            """,
        )
    message = str(caught.value)
    for part in ("one: weights sum to 0.9", "two.weights.a", "not weights and domains", "not none", "a is named twice"):
        assert part in message
    assert "six.weight" in message
    assert "\n" not in message


def test_what_the_table_lacks_is_told_at_once_with_the_nearest():
    file = SummaryFile.model_validate(
        {
            "summaries": {"one": {"weights": {"gsm9k": 1}}, "two": {"domains": ["maths"]}},
            "domains": {"poetry": "art"},
        }
    )
    with pytest.raises(InputError) as caught:
        verdict_set_of(file, tuple(DOMAINS), DOMAINS)
    message = str(caught.value)
    assert "'gsm9k', which is not in the table (nearest: gsm8k" in message
    assert "'maths', which no benchmark has (nearest: math" in message
    assert "'poetry'" in message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not a mapping"),
        ("- a", "not a mapping"),
        ("a: [", "not YAML"),
        ("summaries: {a: {benchmarks: [x]}, a: {benchmarks: [y]}}", "'a' is given twice"),
        ("primary: other\nsummaries: {a: {benchmarks: [x]}}", "'other' is not one of the summaries a"),
        ("sesoi: {b: 1}\nsummaries: {a: {benchmarks: [x]}}", "sesoi must name every summary"),
        ("sesoi: 0", "sesoi"),
        ("sesoi: .nan", "sesoi"),
        ("colour: red", "colour"),
        ("? [a, b]\n: 1", "YAML|str"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(tmp_path, content, message):
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, content)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read_say_so(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read_summary_file(tmp_path / "gone.yaml")
    with pytest.raises(InputError, match="directory"):
        read_summary_file(tmp_path)
    (tmp_path / "latin.yaml").write_bytes("primary: caf\xe9".encode("latin-1"))
    with pytest.raises(InputError, match="UTF-8"):
        read_summary_file(tmp_path / "latin.yaml")


def test_the_twelve_get_the_six_standard_summaries():
    found = default_verdict_set(tuple(DOMAINS), {})
    assert len(found.summaries) == 6
    assert next(iter(found.summaries)) == "domain_balanced_12"
    assert found.domains == DOMAINS
    assert found.notes == ()


def test_other_benchmarks_with_domains_get_flat_balanced_and_leave_one_domain_out():
    found = default_verdict_set(("a", "b", "c"), THREE)
    assert found.summaries == {
        "domain_balanced": pytest.approx({"a": 0.25, "b": 0.25, "c": 0.5}),
        "flat": pytest.approx(dict.fromkeys("abc", 1 / 3)),
        "no_x": {"c": 1.0},
        "no_y": {"a": 0.5, "b": 0.5},
    }


def test_without_domains_each_of_a_few_benchmarks_is_left_out_and_of_many_none():
    few = default_verdict_set(("a", "b", "c"), {})
    assert list(few.summaries) == ["flat", "no_a", "no_b", "no_c"]
    assert few.summaries["no_b"] == {"a": 0.5, "c": 0.5}
    assert "no domain is known for the benchmarks" in few.notes[0]
    many = default_verdict_set(tuple(f"b{at}" for at in range(13)), {})
    assert list(many.summaries) == ["flat"]
    assert "flat average only" in many.notes[0]
    assert list(default_verdict_set(("one",), {}).summaries) == ["flat"]


def test_a_part_of_the_twelve_is_summarised_over_what_is_there_and_told():
    math_logic = tuple(name for name, domain in DOMAINS.items() if domain != "science")
    found = default_verdict_set(math_logic, {})
    assert list(found.summaries) == ["domain_balanced", "flat", "no_math", "no_logic"]
    assert "9 of the twelve" in found.notes[0]
    assert "no_science could be computed" in found.notes[0]


def test_more_than_the_twelve_counts_in_full_once_their_domains_are_known():
    names = (*DOMAINS, "humaneval")
    without = default_verdict_set(names, {})
    assert len(without.summaries) == 6
    assert "not in the verdict set, because the domain is unknown: humaneval" in without.notes[0]
    known = default_verdict_set(names, {"humaneval": "code"})
    assert "no_code" in known.summaries
    assert all("humaneval" in weights for name, weights in known.summaries.items() if name != "no_code")


def test_domains_of_the_tables_own_go_before_the_suites():
    own = {name: "reasoning" if domain != "science" else domain for name, domain in DOMAINS.items()}
    assert list(default_verdict_set(tuple(DOMAINS), own).summaries) == [
        "domain_balanced", "flat", "no_reasoning", "no_science",
    ]  # fmt: skip


def test_a_summary_that_weighs_as_another_does_is_left_out():
    assert list(distinct({"one": {"a": 0.5, "b": 0.5}, "same": {"b": 0.5, "a": 0.5}, "other": {"a": 1.0}})) == [
        "one", "other",
    ]  # fmt: skip
    alone = default_verdict_set(("a", "b"), {"a": "x", "b": "y"})
    assert list(alone.summaries) == ["flat", "no_x", "no_y"], "balanced over single benchmarks is flat"
