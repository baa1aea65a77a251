"""Shared fixtures: a scratch output folder, the shared data where it is, a faulty server."""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from findlib.models import ModelSpec
from findlib.records import Document


@pytest.fixture(autouse=True)
def scratch(tmp_path, monkeypatch):
    """Every test writes runs, figures and cache into its own folder."""
    monkeypatch.setenv("FINDLIB_OUTPUT", str(tmp_path / "out"))
    return tmp_path / "out"


@pytest.fixture
def shared():
    """The folder of papers and real data; skips where it is absent."""
    folder = Path(os.environ.get("FINDLIB_SHARED") or "absent")
    if not folder.is_dir():
        pytest.skip("FINDLIB_SHARED names no folder with the real data")
    return folder.resolve()


@pytest.fixture
def document():
    """A document of three lines with a two-span inconsistency."""
    text = "Sales rose to 12.\nCosts were 5, so profit was 8.\nNothing else happened in May.\n"
    return Document(
        "d1", text, "S-EMP", "12 - 5 is 7, not 8.", ("rose to 12", "profit was 8"), "numeric"
    )


class FaultyServer:
    """An OpenAI-compatible server that answers from a script; for faults only."""

    def __init__(self):
        self.script, self.requests, self.lock = [], [], threading.Lock()
        self.default = (200, self.completion("<answer></answer>"), {})
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                length = int(self.headers["content-length"])
                body = json.loads(self.rfile.read(length))
                with outer.lock:
                    headers = {name.lower(): value for name, value in self.headers.items()}
                    outer.requests.append((body, headers))
                    step = outer.script.pop(0) if outer.script else outer.default
                if step == "drop":
                    self.connection.close()
                    return
                status, content, headers = step
                data = json.dumps(content).encode()
                self.send_response(status)
                for name, value in {"content-type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.base_url = f"http://127.0.0.1:{self.server.server_port}/v1"

    @staticmethod
    def completion(text, finish="stop", tokens=(100, 20), **message):
        return {
            "id": "1", "object": "chat.completion", "created": 0, "model": "m",
            "choices": [{"index": 0, "finish_reason": finish,
                         "message": {"role": "assistant", "content": text, **message}}],
            "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1],
                      "total_tokens": sum(tokens)},
        }  # fmt: skip

    @staticmethod
    def error(status, message, headers=None, **more):
        return (status, {"error": {"message": message, "type": "x", **more}}, headers or {})


@pytest.fixture
def server():
    found = FaultyServer()
    yield found
    found.server.shutdown()
    found.server.server_close()


@pytest.fixture
def spec(server):
    """A free local model behind the faulty server."""
    return ModelSpec("local", "openai/local", base_url=server.base_url, timeout=20, concurrency=4)
