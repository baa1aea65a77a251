"""Sending, retrying, budgets, resuming: against a real HTTP server that misbehaves."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from findlib import client, runner
from findlib.cache import Cache, read_recorded, request_key, write_recorded
from findlib.paths import FindlibError
from findlib.runner import Request, run

ASK = [{"role": "user", "content": "read this"}]


def requests(spec, count=1):
    return [Request(spec, [{"role": "user", "content": f"read {i}"}], {"max_tokens": 50}, 0, {"doc_id": str(i)})
            for i in range(count)]  # fmt: skip


def quick(body, spec, to):
    return client.send(body, spec, to, sleep=lambda _: None)


def test_a_response_is_stored_and_not_asked_for_again(server, spec):
    first = run(requests(spec, 3), Cache(recorded=[]))
    second = run(requests(spec, 3), Cache(recorded=[]))
    assert [r.layer for r in first + second] == ["sent"] * 3 + ["cache"] * 3
    assert [r.text for r in first] == [r.text for r in second]
    assert len(server.requests) == 3
    assert server.requests[0][0]["max_tokens"] == 50


def test_any_part_of_the_request_changes_the_key(spec):
    base = Request(spec, ASK, {"temperature": 0})
    others = [
        Request(spec, ASK, {"temperature": 1}),
        Request(spec, [{"role": "user", "content": "read that"}], {"temperature": 0}),
        Request(spec, ASK, {"temperature": 0}, sample=1),
        Request(replace(spec, base_url="http://127.0.0.1:1/v1"), ASK, {"temperature": 0}),
        Request(replace(spec, revision="2"), ASK, {"temperature": 0}),
        Request(replace(spec, name="other"), ASK, {"temperature": 0}),
    ]
    assert len({r.key for r in [base, *others]}) == 7
    assert base.key == request_key(json.loads(json.dumps(base.body)))


def test_retries_passing_errors_and_honours_retry_after(server, spec):
    server.script = [
        server.error(429, "slow down", {"retry-after": "7"}),
        server.error(503, "busy"),
        "drop",
    ]
    waits = []
    response = run(requests(spec), Cache(recorded=[]),
                   send=lambda *a: client.send(*a, sleep=waits.append))[0]  # fmt: skip
    assert response.status == "ok"
    assert len(server.requests) == 4
    assert waits[0] == 7
    assert all(0 < w < 10 for w in waits[1:])


def test_a_bad_request_is_not_retried_and_is_a_status(server, spec):
    server.script = [server.error(400, "bad shape")]
    cache = Cache(recorded=[])
    response = run(requests(spec), cache, send=quick)[0]
    assert (response.status, response.text, response.layer) == ("provider_error", "", "")
    assert "bad shape" in response.error
    assert len(server.requests) == 1
    assert cache.get(response.key) is None
    assert run(requests(spec), cache, send=quick)[0].status == "ok"  # asked again, then stored


def test_persistent_500_ends_after_bounded_attempts(server, spec):
    server.script = [server.error(500, "broken")] * client.ATTEMPTS
    assert run(requests(spec), Cache(recorded=[]), send=quick)[0].status == "provider_error"
    assert len(server.requests) == client.ATTEMPTS


@pytest.mark.parametrize(("finish", "text", "more", "status"), [
    ("stop", "<answer></answer>", {}, "ok"),
    ("length", "<answer><evi", {}, "truncated"),
    ("stop", "", {}, "empty"),
    ("content_filter", "", {}, "refused"),
    ("stop", None, {"refusal": "I cannot"}, "refused"),
])  # fmt: skip
def test_statuses(server, spec, finish, text, more, status):
    server.script = [(200, server.completion(text, finish, **more), {})]
    assert run(requests(spec), Cache(recorded=[]))[0].status == status


def test_secrets_reach_no_text(server, spec, monkeypatch):
    key = "sk-verysecretvalue123456"
    monkeypatch.setenv("LOCAL_API_KEY", key)
    spec = replace(spec, api_key_env="LOCAL_API_KEY")
    server.script = [
        server.error(400, f"bad request with {key}"),
        server.error(401, f"bad key {key}"),
    ]
    cache = Cache(recorded=[])
    response = run(requests(spec), cache, send=quick)[0]
    with pytest.raises(client.CannotContinue) as error:
        run(requests(spec), cache, send=quick)
    run(requests(spec), cache)
    assert server.requests[-1][1]["authorization"] == f"Bearer {key}"
    stored = (
        sqlite3.connect(cache.path).execute("SELECT request || response FROM responses").fetchall()
    )
    assert key not in response.error + str(error.value) + str(stored)


def test_a_missing_key_stops_before_anything_is_sent(server, spec, monkeypatch):
    monkeypatch.delenv("LOCAL_API_KEY", raising=False)
    with pytest.raises(FindlibError, match="LOCAL_API_KEY"):
        run(requests(replace(spec, api_key_env="LOCAL_API_KEY")), Cache(recorded=[]))
    assert server.requests == []


def test_no_server_is_one_clear_line(spec):
    gone = replace(spec, base_url="http://127.0.0.1:9/v1", route="hosted_vllm/local")
    with pytest.raises(FindlibError, match=r"no server answers.*make serve MODEL=local"):
        run(requests(gone), Cache(recorded=[]), send=quick)


def test_paid_requests_are_quoted_not_sent(server, spec):
    paid = replace(spec, price=(1.0, 10.0))
    with pytest.raises(runner.RunStopped, match=r"3 request.*BUDGET_USD"):
        run(requests(paid, 3), Cache(recorded=[]))
    assert server.requests == []


def test_budget_is_never_passed_and_what_was_paid_is_kept(server, spec):
    """By hand: 100 + 20 tokens at (1000, 10000) $/M are $0.30; the worst case of a request is
    about $0.50 (50 output tokens), so $1.00 pays for two at once or three in turn."""
    paid = replace(spec, price=(1000.0, 10000.0), concurrency=4)
    cache = Cache(recorded=[])
    with pytest.raises(runner.RunStopped, match="answered and kept") as stop:
        run(requests(paid, 6), cache, budget_usd=1.0)
    sent = len(server.requests)
    assert 1 <= sent <= 3
    assert cache.spent() == pytest.approx(0.3 * sent)
    assert cache.spent() <= 1.0
    assert f"{sent} of 6" in str(stop.value)
    run(requests(paid, 6), cache, budget_usd=3.0)
    assert len(server.requests) == 6


def test_order_of_results_does_not_depend_on_timing(server, spec):
    def slow_first(body, spec, to):
        time.sleep(0.2 if body["messages"][0]["content"] == "read 0" else 0)
        return {**client._stored(server.completion(body["messages"][0]["content"]), spec, 0.1)}

    found = run(requests(spec, 8), Cache(recorded=[]), send=slow_first)
    assert [r.text for r in found] == [f"read {i}" for i in range(8)]
    assert [r.about["doc_id"] for r in found] == [str(i) for i in range(8)]


KILLED = """
import sys
from findlib.cache import Cache
from findlib.models import ModelSpec
from findlib.runner import Request, run
spec = ModelSpec("local", "openai/local", base_url=sys.argv[1], concurrency=2)
ask = lambda i: [{"role": "user", "content": f"read {i}"}]
run([Request(spec, ask(i), {"max_tokens": 50}, 0, {"doc_id": str(i)}) for i in range(40)],
    Cache(recorded=[]))
"""


def test_sigkill_loses_no_finished_answer(server, spec):
    """A run is killed in the middle; the next sends only what is missing, then nothing."""
    slow = server.server.RequestHandlerClass.do_POST
    server.server.RequestHandlerClass.do_POST = lambda self: (time.sleep(0.05), slow(self))[1]
    process = subprocess.Popen([sys.executable, "-c", KILLED, server.base_url])
    while len(server.requests) < 10 and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(0.3)
    cache = Cache(recorded=[])
    asked, same = len(server.requests), requests(spec, 40)
    kept = sum(cache.get(r.key) is not None for r in same)
    assert asked - 2 <= kept <= asked < 40  # at most the two in flight are asked again
    assert kept >= 8
    assert {r.status for r in run(same, cache)} == {"ok"}
    assert len(server.requests) == asked + 40 - kept
    run(same, cache)
    assert len(server.requests) == asked + 40 - kept


def test_an_interrupt_stops_the_rest_and_keeps_the_finished(spec):
    done = []

    def send(body, spec, to):
        if len(done) >= 3:
            raise KeyboardInterrupt
        done.append(body)
        return client._stored({"choices": [{"message": {"content": "x"}}]}, spec, 0.0)

    cache = Cache(recorded=[])
    with pytest.raises(KeyboardInterrupt):
        run(requests(replace(spec, concurrency=1), 10), cache, send=send)
    assert sum(cache.get(r.key) is not None for r in requests(spec, 10)) == 3


def test_recorded_files_are_deterministic_and_read_first(tmp_path, spec):
    key = requests(spec)[0].key
    stored = client._stored({"choices": [{"message": {"content": "recorded"}}]}, spec, 1.0)
    one, two = (write_recorded(tmp_path / n, {"z": stored, key: stored}) for n in ("a.gz", "b.gz"))
    assert one.read_bytes() == two.read_bytes()
    assert run(requests(spec), Cache(recorded=[one]))[0].layer == "recorded"
    two.write_bytes(one.read_bytes()[:40])
    with pytest.raises(FindlibError, match="restore it with git"):
        read_recorded(two)


def test_a_broken_cache_file_is_one_clear_line(scratch):
    (scratch / "cache").mkdir(parents=True)
    (scratch / "cache" / "responses.sqlite").write_bytes(b"not a database" * 100)
    with pytest.raises(FindlibError, match="move the file away"):
        Cache()


def test_half_a_surrogate_pair_is_stored_as_a_whole_character(server, spec):
    server.script = [(200, server.completion("bad \ud83d end"), {})]
    response = run(requests(spec), Cache(recorded=[]))[0]
    assert response.text == "bad \ufffd end"
    assert response.text.encode()


def test_a_reply_without_usage_is_charged_at_its_worst(server, spec):
    """Otherwise a server that tells no usage would make every budget endless."""
    silent = {**server.completion("x"), "usage": None}
    server.default = (200, silent, {})
    paid = replace(spec, price=(1000.0, 10000.0), concurrency=1)
    with pytest.raises(runner.RunStopped):
        run(requests(paid, 6), Cache(recorded=[]), budget_usd=1.1)
    assert len(server.requests) == 2  # worst case about $0.50 each


def test_budgets_that_hold_nothing_are_refused(server, spec):
    paid = replace(spec, price=(1.0, 1.0))
    for budget in (float("nan"), float("inf"), -1.0):
        with pytest.raises(runner.RunStopped, match="no sense"):
            run(requests(paid), Cache(recorded=[]), budget_usd=budget)
    with pytest.raises(runner.RunStopped, match="price"):
        run(requests(replace(spec, base_url="")), Cache(recorded=[]), budget_usd=5.0)
    assert server.requests == []


def test_an_exceeded_quota_stops_at_once(server, spec):
    message = "You exceeded your current quota, please check your plan and billing details."
    server.script = [server.error(429, message, code="insufficient_quota")] * 9
    with pytest.raises(client.CannotContinue, match="quota"):
        run(requests(spec, 3), Cache(recorded=[]), send=quick)
    assert len(server.requests) <= spec.concurrency
