"""Serve an open model with vLLM: print the exact command and become it."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
from urllib.parse import urlsplit

from . import models
from .models import EMBEDDED, RULES, ModelSpec
from .paths import FindlibError


def command(spec: ModelSpec) -> list[str]:
    """The command that serves a model where its specification expects it.

    Raises FindlibError for a model that vLLM does not serve.

    >>> " ".join(command(models.get("gpt-oss-20b")))[:34]
    'vllm serve openai/gpt-oss-20b --po'
    """
    address = urlsplit(spec.base_url)
    if not spec.base_url or spec.base_url in (EMBEDDED, RULES) or address.port is None:
        raise FindlibError(
            f"{spec.name} is not served by vLLM; choose a model whose base_url names a local port"
        )
    repository = spec.route.partition("/")[2]
    length = spec.max_input_tokens + spec.max_output_tokens + 2_000  # room for the prompt
    return [
        *("vllm", "serve", repository, "--port", str(address.port)),
        *("--max-model-len", str(min(length, spec.context)), "--seed", "1"),
    ]


def main(words: list[str] | None = None) -> int:
    """The command line; returns only on an error, with the exit status."""
    parser = argparse.ArgumentParser(prog="python -m findlib.serve", description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--model-file")
    asked = parser.parse_args(words)
    try:
        line = command(models.get(asked.model, asked.model_file))
        print(shlex.join(line), flush=True)
        if shutil.which("vllm") is None:
            raise FindlibError(
                "vllm is not installed here; create its environment with "
                "`conda env create -f environment-vllm.yml` and run the line above in it"
            )
    except FindlibError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    os.execvp(line[0], line)


if __name__ == "__main__":
    sys.exit(main())
