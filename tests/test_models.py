"""The model table, files that add to it, and the vLLM command."""

import pytest

from findlib import models, serve
from findlib.paths import FindlibError

PAPER = ["gpt-oss-20b", "gpt-oss-120b", "gemma-3-12b-it", "gemma-3-27b-it", "sonnet-v4", "gpt-5-mini",
         "gpt-5", "o3-mini", "o3", "gemini-2.5-flash", "gemini-2.5-pro"]  # fmt: skip


def test_the_papers_eleven_models_with_its_limits():
    """FIND, section 5: 105k input tokens, 20k output tokens."""
    for name in PAPER:
        spec = models.get(name)
        assert (spec.max_input_tokens, spec.max_output_tokens) == (105_000, 20_000)
        assert spec.paid == (not spec.base_url)


def test_refused_settings_are_reported():
    sent, refused = models.settings(
        models.get("o3"), {"temperature": 0.0, "reasoning_effort": "low"}
    )
    assert sent == {"max_completion_tokens": 20_000, "reasoning_effort": "low"}
    assert refused == {"temperature": 0.0}


def test_unknown_model_lists_the_known():
    with pytest.raises(FindlibError, match=r"gpt-9.*smollm2-135m.*MODEL_FILE"):
        models.several(["gpt-9"])
    with pytest.raises(FindlibError, match="MODELS"):
        models.several([])


def test_yaml_file_adds_models(tmp_path):
    file = tmp_path / "more.yml"
    file.write_text("mine: {route: openai/mine, base_url: 'http://127.0.0.1:9/v1/', price: [1, 2]}\n"
                    "twin: {like: gpt-5, max_output_tokens: 9000}\n")  # fmt: skip
    mine, twin = models.several(["mine", "twin"], file)
    assert (mine.base_url, mine.price, mine.paid) == ("http://127.0.0.1:9/v1", (1, 2), True)
    assert (twin.route, twin.max_output_tokens) == ("openai/gpt-5", 9000)


@pytest.mark.parametrize(("text", "named"), [
    ("mine: {rout: x}", "rout"),
    ("mine: {route: x, timeout: soon}", "timeout"),
    ("mine: {like: nobody}", "nobody"),
    ("mine: {route: x, base_url: 'http://user:pw@h/v1'}", "api_key_env"),
    ("mine: {route: x, base_url: 'http://:pw@h/v1'}", "api_key_env"),
    ("mine: {route: x, base_url: 'http://h/v1?api_key=s'}", "api_key_env"),
    ("mine: {route: x, api_key_env: sk-proj-abc}", "not a key"),
    ("mine: {route: x, price: [.nan, 1]}", "price"),
    ("mine: {route: x, concurrency: 0}", "concurrency"),
    ("- a", "mapping"),
    ("{", "YAML"),
])  # fmt: skip
def test_bad_yaml_says_what_and_where(tmp_path, text, named):
    file = tmp_path / "bad.yml"
    file.write_text(text)
    with pytest.raises(FindlibError, match=named):
        models.table(file)


def test_serve_prints_the_command_or_says_why_not(capsys, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert serve.main(["gemma-3-27b-it"]) == 1
    printed = capsys.readouterr()
    assert printed.out.startswith(
        "vllm serve google/gemma-3-27b-it --port 8000 --max-model-len 127000"
    )
    assert "environment-vllm.yml" in printed.err
    assert serve.main(["gpt-5"]) == 1
    assert "not served by vLLM" in capsys.readouterr().err
