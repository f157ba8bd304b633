import random
from pathlib import Path

import pytest

from policies.errors import InputError
from training.benchmarks.catalog import suite
from training.data.tiny import held_out_prompts
from training.data.tiny_architecture import ALPHABET, build_model, build_tokenizer
from training.data.tiny_benchmarks import questions
from training.data.tiny_warm_start import Phase, build, demonstrations, encode
from training.models import model_path, model_sha256

MODEL = model_path("builtin:tiny-qwen2")
MODEL_SHA256 = "c7386250765d18334b47faee8da02cc3a27c45279da0693f6d91b64a6a57924d"


@pytest.fixture(scope="module")
def tokenizer():
    transformers = pytest.importorskip("transformers", reason="needs the `train` extra")
    return transformers.AutoTokenizer.from_pretrained(MODEL)


def test_the_shipped_model_is_the_documented_artifact_and_small() -> None:
    assert model_sha256(MODEL) == MODEL_SHA256
    assert sum(file.stat().st_size for file in MODEL.rglob("*")) < 3_000_000


def test_the_model_hash_sees_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    first = model_sha256(tmp_path)
    assert model_sha256(tmp_path) == first
    (tmp_path / "a").rename(tmp_path / "b")
    renamed = model_sha256(tmp_path)
    (tmp_path / "b").write_text("2")
    assert len({first, renamed, model_sha256(tmp_path)}) == 3
    with pytest.raises(InputError, match="empty or missing"):
        model_sha256(tmp_path / "none")


def test_model_names_are_built_in_a_folder_or_a_hub_id(tmp_path: Path) -> None:
    assert (MODEL / "config.json").is_file()
    assert model_path(str(MODEL)) == MODEL
    assert str(model_path("Qwen/Qwen2.5-0.5B")) == "Qwen/Qwen2.5-0.5B"
    with pytest.raises(InputError, match="builtin:tiny-qwen2"):
        model_path("builtin:tiny-qwen")
    with pytest.raises(InputError, match=r"no config\.json"):
        model_path(str(tmp_path))
    with pytest.raises(InputError, match="does not exist"):
        model_path(str(tmp_path / "none"))


def test_every_character_is_one_token_and_text_comes_back_unchanged(tokenizer) -> None:
    assert len(tokenizer.encode("\n")) == 1
    assert len({tuple(tokenizer.encode(character)) for character in ALPHABET}) == len(ALPHABET)
    assert tokenizer.convert_tokens_to_ids("<|im_end|>") == tokenizer.eos_token_id == 2
    for row in suite("tiny-12"):
        for question in questions(row.id)[:50]:
            text = f"{question.prompt}\n{question.answer}"
            ids = tokenizer.encode(text)
            assert len(ids) == len(text)
            assert tokenizer.decode(ids) == text


def test_the_chat_template_gives_the_same_ids_by_text_and_by_token(tokenizer) -> None:
    chat = [{"role": "user", "content": "1+2"}]
    ids = tokenizer.apply_chat_template(chat, add_generation_prompt=True, tokenize=True, return_dict=False)
    start, end = tokenizer.convert_tokens_to_ids(["<|im_start|>", "<|im_end|>"])
    u, a, line = (tokenizer.encode(text)[0] for text in "ua\n")
    assert ids == [start, u, line, *tokenizer.encode("1+2"), end, line, start, a, line]
    text = tokenizer.apply_chat_template(chat, add_generation_prompt=True, tokenize=False)
    assert tokenizer(text, add_special_tokens=False)["input_ids"] == ids


def test_the_script_makes_the_shipped_shape_and_tokenizer(tokenizer) -> None:
    fresh = build_tokenizer()
    assert fresh.get_vocab() == tokenizer.get_vocab()
    assert fresh.chat_template == tokenizer.chat_template
    assert sum(weight.numel() for weight in build_model(fresh).parameters()) == 234_336


def test_only_answers_and_the_end_token_are_learned(tokenizer) -> None:
    batch = encode(tokenizer, [("1+2", "3"), ("max 10 20", "20")])
    for row, answer in enumerate(("3", "20")):
        learned = batch["labels"][row][batch["labels"][row] != -100].tolist()
        assert learned == [*tokenizer.encode(answer), tokenizer.eos_token_id]


def test_demonstrations_never_show_a_held_out_question() -> None:
    shown = demonstrations(random.Random(1), 5000, mistakes=True)
    assert not {prompt for prompt, _ in shown} & held_out_prompts()


def test_building_twice_gives_the_same_bytes_and_a_model_that_loads(tmp_path: Path, monkeypatch) -> None:
    transformers = pytest.importorskip("transformers", reason="needs the `train` extra")
    monkeypatch.setattr("training.data.tiny_warm_start.report", lambda model, tokenizer: "")
    skill, habit = Phase(3, 8, 2e-3, 0.01, False), Phase(2, 8, 1e-3, None, True)
    hashes = []
    for name in ("one", "two"):
        build(tmp_path / name, None, skill, habit)
        hashes.append(model_sha256(tmp_path / name))
    assert hashes[0] == hashes[1]
    loaded = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "one")
    assert loaded.config.model_type == "qwen2"
    assert {str(weight.dtype) for weight in loaded.parameters()} == {"torch.float32"}
