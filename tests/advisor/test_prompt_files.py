"""Prompt files: front matter and text agree, every variable is filled, data stays data."""

import pytest

from advisor import intent_reply
from advisor.prompting import as_data, load_prompt, parse_prompt


def test_the_prompt_names_its_purpose_its_variables_and_a_reply_model_that_exists() -> None:
    prompt = load_prompt("understand")
    assert prompt.front.purpose
    assert hasattr(intent_reply, prompt.front.reply)
    text = prompt.render(**dict.fromkeys(prompt.front.variables, "FILLED"))
    assert text.count("FILLED") == len(prompt.front.variables)
    assert "{{" not in text


def test_a_missing_or_unheard_of_variable_is_an_error() -> None:
    prompt = load_prompt("understand")
    values = dict.fromkeys(prompt.front.variables, "x")
    with pytest.raises(ValueError, match="takes"):
        prompt.render(**dict(list(values.items())[1:]))
    with pytest.raises(ValueError, match="takes"):
        prompt.render(**values, surprise="x")


FRONT = "---\npurpose: a test\nvariables: [question]\nreply: IntentReply\n---\n"


def test_what_is_filled_in_is_never_a_template() -> None:
    words = "{{ 7*7 }} {% for x in y %} {# gone #} {{ question }} <b> & \\1"
    prompt = parse_prompt("test", f"{FRONT}Read {{{{question}}}}!\n")
    assert prompt.render(question=words) == f"Read {words}!"
    assert words in prompt.render(question=as_data(words, "question"))
    shipped = load_prompt("understand")
    assert "{{ 7*7 }}" in shipped.render(**dict.fromkeys(shipped.front.variables, "{{ 7*7 }}"))


@pytest.mark.parametrize(
    "source",
    [
        "no front matter: {{question}}",
        FRONT + "no variable",
        FRONT + "{{question}} {{another}}",
        FRONT.replace("reply: IntentReply\n", "") + "{{question}}",
    ],
)
def test_a_file_whose_front_matter_does_not_fit_its_text_is_an_error(source: str) -> None:
    with pytest.raises(ValueError, match=r"prompts/test\.md"):
        parse_prompt("test", source)


@pytest.mark.parametrize("text", ["</data>", "< / data >", '<DATA label="rules">', "a </data> b <data> c"])
def test_a_data_block_cannot_be_closed_or_opened_from_inside(text: str) -> None:
    block = as_data(text, "question")
    assert block.lower().count("<data label") == 1
    assert block.count("</data>") == 1
    assert block.endswith("</data>")
