"""Two arms of a seed may differ in the policy and in their run paths, in nothing else."""

import json
from pathlib import Path

import pytest
import yaml

from policies.delivery import DeliveryRecord
from policies.errors import InputError
from policies.registry import resolve
from tools.evaluation.matching import Difference, RunFacts, match_runs, without_policy
from training.overrides import RunPaths, overrides
from training.recipe import load_recipe
from training.run_spec import RunSpec

RUN = "<run directory>"


def write_run(folder: Path, policy="static", parameters=None, attempt=1, **changes) -> Path:
    """A run directory as `training.run` leaves it; `changes` spoils one of its files."""
    folder.mkdir(parents=True)
    parameters = parameters or {}
    config = {
        "advisor": {
            "seed": 4,
            "replicate": 0,
            "delivery_file": f"{folder}/delivery.jsonl",
            "policy": {"name": policy, "parameters": parameters},
        },
        "data": {"train_files": [f"{folder}/data/train.parquet"], "seed": 4, "train_batch_size": 16},
        "trainer": {"default_local_dir": f"{folder}/checkpoints", "total_training_steps": 3, "logger": ["console"]},
        "lr": 2e-4,
        "nothing": None,
    }
    inner = ",".join(f"{key}:{value}" for key, value in parameters.items())
    argv = [
        f"+advisor={{seed:4,replicate:0,delivery_file:'{folder}/delivery.jsonl',"
        f"policy:{{name:'{policy}',parameters:{{{inner}}}}}}}",
        f"data.train_files='{folder}/data/train.parquet'",
        "data.train_batch_size=16",
    ]
    facts = {
        "schema_version": 1,
        "environment": {
            "OMP_NUM_THREADS": "1",
            "VERL_FILE_LOGGER_PATH": f"{folder}/attempts/{attempt}/metrics.jsonl",
        },
        "artifacts": {"model": "aa", "training_data": "bb"},
        "versions": {"torch": "2.13.0"},
        "hardware": "cpu x86_64 Some CPU",
    }
    config = changes.get("config", lambda given: given)(config)
    argv = changes.get("argv", lambda given: given)(argv)
    facts = changes.get("facts", lambda given: given)(facts)
    records = [
        DeliveryRecord(
            step=step,
            prompts=changes.get("prompts", 16),
            rollouts=80,
            prompt_stream="x",
            realised_shares={"math": 1.0},
            effective_sample_size=80,
            domain_rewards={"math": 0.5},
        )
        for step in range(1, changes.get("steps", 3) + 1)
    ]
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    (folder / "argv.txt").write_text("".join(f"{argument}\n" for argument in argv))
    (folder / "facts.json").write_text(json.dumps(facts))
    (folder / "delivery.jsonl").write_text("".join(f"{record.model_dump_json()}\n" for record in records))
    return folder


def differences(tmp_path, **changes) -> tuple[Difference, ...]:
    a = RunFacts.read(write_run(tmp_path / "static" / "seed-4" / "0a1b2c3d"))
    b = RunFacts.read(write_run(tmp_path / "tscl" / "seed-4" / "99887766", "tscl", {"window": 10}, **changes))
    return match_runs(a, b, 4)


def test_arms_that_differ_in_the_policy_and_in_paths_are_matched(tmp_path):
    assert differences(tmp_path) == ()


def test_which_attempt_succeeded_makes_no_difference(tmp_path):
    assert differences(tmp_path, attempt=2) == ()


def changed(key, value):
    """Sets a dotted key of a nested mapping; None drops it."""

    def change(given):
        *path, last = key.split("/")
        inner = given
        for name in path:
            inner = inner[name]
        if value is None:
            del inner[last]
        else:
            inner[last] = value
        return given

    return change


@pytest.mark.parametrize(
    ("file", "key", "value", "expected"),
    [
        ("config", "lr", 3e-4, ("config lr", "0.0002", "0.0003")),
        ("config", "data/seed", 5, ("config data.seed", "4", "5")),
        ("config", "trainer/logger", ["console", "file"], ("config trainer.logger[1]", "(absent)", "file")),
        ("config", "advisor/replicate", 1, ("config advisor.replicate", "0", "1")),
        ("config", "advisor/policy_extra", 1, ("config advisor.policy_extra", "(absent)", "1")),
        ("config", "nothing", None, ("config nothing", "null", "(absent)")),
        ("config", "trainer/default_local_dir", "/t", ("config trainer.default_local_dir", f"{RUN}/checkpoints", "/t")),
        ("facts", "environment/OMP_NUM_THREADS", "2", ("environment OMP_NUM_THREADS", "1", "2")),
        ("facts", "environment/HF_HOME", "/hub", ("environment HF_HOME", "(absent)", "/hub")),
        ("facts", "artifacts/model", "cc", ("artifact model", "aa", "cc")),
        ("facts", "versions/torch", "2.14.0", ("version torch", "2.13.0", "2.14.0")),
        ("facts", "hardware", "cpu arm64", ("hardware class", "cpu x86_64 Some CPU", "cpu arm64")),
    ],
)  # fmt: skip
def test_anything_else_is_named_with_both_values(tmp_path, file, key, value, expected):
    name, a, b = expected
    assert differences(tmp_path, **{file: changed(key, value)}) == (Difference(seed=4, key=name, a=a, b=b),)


def test_steps_prompts_and_rollouts_must_be_equal(tmp_path):
    assert [(d.key, d.a, d.b) for d in differences(tmp_path, steps=2, prompts=12)] == [
        ("optimiser steps", "3", "2"),
        ("prompts a step", "16 x 3", "12 x 2"),
        ("rollouts a step", "80 x 3", "80 x 2"),
    ]


def test_arguments_are_compared_in_order(tmp_path):
    found = differences(tmp_path, argv=lambda given: [*given, "trainer.extra=1"])
    assert [(d.key, d.a, d.b) for d in found] == [("argument 4", "(absent)", "trainer.extra=1")]


def test_what_hides_beside_the_policy_in_its_argument_is_seen(tmp_path):
    found = differences(tmp_path, argv=lambda given: [given[0].replace("seed:4", "seed:5"), *given[1:]])
    assert [d.key for d in found] == ["argument 1"]
    assert "seed:4" in found[0].a
    assert "seed:5" in found[0].b


def test_long_values_are_shown_from_where_they_part(tmp_path):
    found = differences(tmp_path, facts=changed("artifacts/model", "a" * 300 + "X"))
    assert found[0].b.startswith("aaa")
    a = RunFacts.read(tmp_path / "static" / "seed-4" / "0a1b2c3d")
    one, other = (
        a.model_copy(update={"recorded": a.recorded.model_copy(update={"hardware": "z" * 300 + end})}) for end in "XY"
    )
    shown = match_runs(one, other, 4)[0]
    assert (shown.a, shown.b) == ("..." + "z" * 20 + "X", "..." + "z" * 20 + "Y")


def test_a_run_of_another_seed_is_no_run_of_the_pair(tmp_path):
    a = RunFacts.read(write_run(tmp_path / "a"))
    b = RunFacts.read(write_run(tmp_path / "b", "tscl"))
    assert [d.key for d in match_runs(a, b, 5)] == ["config advisor.seed (the pair is of seed 5)"]


def test_a_path_that_only_begins_like_the_run_directory_is_another_path(tmp_path):
    a = RunFacts.read(write_run(tmp_path / "a"))
    b = RunFacts.read(write_run(tmp_path / "b", config=changed("data/extra", f"{tmp_path}/b2/file")))
    assert [d.b for d in match_runs(a, b, 4)] == [f"{tmp_path}/b2/file"]


def test_a_moved_study_is_still_matched(tmp_path):
    write_run(tmp_path / "old" / "a")
    write_run(tmp_path / "old" / "b", "tscl")
    (tmp_path / "old").rename(tmp_path / "new")
    assert match_runs(RunFacts.read(tmp_path / "new" / "a"), RunFacts.read(tmp_path / "new" / "b"), 4) == ()


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("advisor.policy.name=tscl", "<policy>"),
        ("+advisor.policy={name:a}", "<policy>"),
        ("advisor.policy_extra=1", "advisor.policy_extra=1"),
        ("data.policy=1", "data.policy=1"),
        ("+advisor={policy:{name:'a}{',x:{y:1}},seed:3}", "+advisor={policy:<policy>,seed:3}"),
        (r"+advisor={seed:3,policy:{name:'it\'s }',p:{}}}", "+advisor={seed:3,policy:<policy>}"),
        ("+advisor={seed:3}", "+advisor={seed:3}"),
    ],
)
def test_the_policy_is_cut_out_of_an_argument(argument, expected):
    assert without_policy(argument) == expected


@pytest.mark.parametrize("name", ["config.yaml", "argv.txt", "facts.json", "delivery.jsonl"])
def test_a_missing_file_is_named(tmp_path, name):
    folder = write_run(tmp_path / "a")
    (folder / name).unlink()
    with pytest.raises(InputError, match=rf"{name}: No such file or directory; the run's record is incomplete"):
        RunFacts.read(folder)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config.yaml", "a: [1"),
        ("config.yaml", "- 1"),
        ("facts.json", "{}"),
        ("facts.json", "{"),
        ("delivery.jsonl", "{}\n"),
    ],
)
def test_a_damaged_file_is_named(tmp_path, name, content):
    folder = write_run(tmp_path / "a")
    (folder / name).write_text(content)
    with pytest.raises(InputError) as caught:
        RunFacts.read(folder)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("place", ["O'Brien's runs", "a=1,{b}: c", 'say "x"', "tab\\'le", "ü 馬"])
def test_a_run_path_is_known_however_an_argument_has_to_spell_it(tmp_path: Path, place: str) -> None:
    runs = []
    for name in ("static", "tscl"):
        folder = tmp_path / place / name
        paths = RunPaths(*(folder / part for part in ("m", "data/t", "data/v", "checkpoints", "delivery.jsonl")))
        spec = RunSpec(recipe=load_recipe("tiny-cpu"), policy=resolve(name), seed=4, deadline_s=60)
        argv = overrides(spec, paths._replace(model=Path("/model")))
        runs.append(RunFacts.read(write_run(folder, policy=name, argv=lambda _, argv=argv: argv)))
    assert match_runs(*runs, 4) == ()
