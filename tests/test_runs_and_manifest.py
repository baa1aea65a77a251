"""The files of a run and its manifest: what is written comes back, and no key is in it."""

import json

from findlib import data, find, judge, manifest, models, runs
from findlib.cache import Cache, read_recorded
from findlib.paths import run_folder
from findlib.runner import run

DOCUMENTS = data.load_find("data/sample")[:2]


def test_manifest_counts_by_status_and_holds_no_key(server, monkeypatch):
    """By construction: one good reply, one refused request; top_k is no setting it accepts."""
    monkeypatch.setenv("SECRET_API_KEY", "sk-not-to-be-seen-1234")
    spec = models.ModelSpec("m", "openai/m", "SECRET_API_KEY", server.base_url, concurrency=1)
    server.script = [(200, server.completion("prose"), {}), server.error(400, "no")]
    replies = run(find.requests(DOCUMENTS, spec), Cache(recorded=[]))
    merged = find.responses_table(replies, DOCUMENTS)
    asked = {"reading": "auto", "settings": {"top_k": 3}}
    manifest.write(
        run_folder("r"), manifest.build(DOCUMENTS, [spec], replies, merged, find.PROMPTS, asked)
    )
    content = manifest.read(run_folder("r"))
    model = content["models"][0]
    assert model["requests_by_status"] == {"ok": 1, "provider_error": 1}
    assert model["documents_by_status"] == {"malformed": 1, "provider_error": 1}
    assert model["settings_refused"] == {"top_k": 3}
    assert content["data_sha256"] == data.corpus_sha256(DOCUMENTS)
    assert len(content["prompts_sha256"]) == 2
    assert "sk-not-to-be-seen" not in json.dumps(content)


def test_responses_come_back_and_can_be_recorded(server, spec, tmp_path, monkeypatch):
    replies = run(find.requests(DOCUMENTS, spec))
    runs.save_responses("r", replies)
    assert runs.responses("r") == replies
    monkeypatch.setattr(runs, "root", lambda: tmp_path)
    kept = read_recorded(runs.record("r"))
    assert {r.key: r.text for r in replies} == {key: row["text"] for key, row in kept.items()}


def test_a_failed_stage_leaves_a_mark_until_it_succeeds(capsys):
    mark = run_folder("r") / ".failed-20"
    runs.mark_failed("r", "20", 2)
    assert mark.exists()
    assert "2 request(s) failed" in capsys.readouterr().out
    runs.mark_failed("r", "20", 0)
    assert not mark.exists()


def test_judge_prompts_are_hashed_only_where_a_model_judges():
    assert judge.prompt_hashes(None) == {}
    assert set(judge.prompt_hashes(models.get("gpt-4.1"))) == set(judge.PROMPTS)
