"""The built-in model's architecture: a two-layer Qwen2 and a tokenizer with one token per character."""

from typing import Any

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
ALPHABET = "\n 0123456789abcdefghijklmnopqrstuvwxyzABCD+-*/=<>?:.,()~%#"
CHAT_TEMPLATE = (
    "{% for m in messages %}{{ '<|im_start|>' + m['role'][0] + '\n' + m['content'] + '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>a\n' }}{% endif %}"
)
"""Qwen's, with one-letter roles: a question becomes `<|im_start|>u\\nQUESTION<|im_end|>\\n<|im_start|>a\\n`."""


def build_tokenizer() -> Any:
    """Returns a Qwen2 tokenizer without merges: every character of `ALPHABET` is one token.

    transformers always rebuilds a byte-level BPE for this model type, whatever the file says, so only a tokenizer
    without merges loads back unchanged.
    """
    from transformers import Qwen2Tokenizer

    end_of_text, start_of_turn, end_of_turn = SPECIAL
    byte_level = {"\n": "Ċ", " ": "Ġ"}
    tokens = [*SPECIAL, *(byte_level.get(character, character) for character in ALPHABET)]
    tokenizer = Qwen2Tokenizer(
        vocab={token: number for number, token in enumerate(tokens)},
        merges=[],
        unk_token=end_of_text,
        eos_token=end_of_turn,
        pad_token=end_of_text,
        additional_special_tokens=[start_of_turn],
    )
    tokenizer.chat_template = CHAT_TEMPLATE
    tokenizer.model_max_length = 256
    return tokenizer


def build_model(tokenizer: Any) -> Any:
    """Returns an untrained model of 234 k parameters; draws from torch's global generator.

    Initial weights are four times wider than usual and RoPE rotates faster: with the defaults a model this small stays
    near chance for many hundred steps.
    """
    from transformers import Qwen2Config, Qwen2ForCausalLM

    config = Qwen2Config(
        vocab_size=64,
        hidden_size=96,
        intermediate_size=288,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        initializer_range=0.08,
        rope_parameters={"rope_type": "default", "rope_theta": 1000.0},
        max_position_embeddings=256,
        tie_word_embeddings=False,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
    )
    return Qwen2ForCausalLM(config)
