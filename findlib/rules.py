"""The deterministic reader as a model of the runner: `findlib.checks` in the answer format."""

from __future__ import annotations

import html
import re
import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from .paths import package, sha256
from .records import Answer

_TAG = re.compile(r"</?(?:answer|evidence|description|think)\b", re.I)


@cache
def revision() -> str:
    """Which version of the checks answers: a digest of their code, part of the cache key."""
    files = sorted(package("checks").glob("*.py"))
    return "checks " + sha256(b"".join(file.read_bytes() for file in files))[:12]


def send(body: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a request whose one message is the document; the fields of `client.send`."""
    from . import checks

    started = time.monotonic()
    text = in_format(checks.find(body["messages"][-1]["content"]))
    return {
        "text": text, "reasoning": "", "finish_reason": "stop", "status": "ok",
        "prompt_tokens": 0, "completion_tokens": 0, "cost_usd": 0.0,
        "seconds": round(time.monotonic() - started, 3), "raw": {},
    }  # fmt: skip


def in_format(answers: Sequence[Answer]) -> str:
    """Answers in the tagged format of FIND, Appendix D.2.

    >>> in_format([Answer(["2 + 2 = 5"], "2 + 2 is 4.")])
    '<answer>\\n<evidence>2 + 2 = 5</evidence>\\n<description>2 + 2 is 4.</description>\\n</answer>'
    """
    if not answers:
        return "<answer></answer>"
    return "\n".join(_told(answer) for answer in answers)


def _told(answer: Answer) -> str:
    spans = "".join(f"<evidence>{_safe(span)}</evidence>\n" for span in answer.evidence)
    return f"<answer>\n{spans}<description>{_safe(answer.description)}</description>\n</answer>"


def _safe(text: str) -> str:
    """A text that holds a tag of the format is escaped; the parser reads entities back."""
    return html.escape(text, quote=False) if _TAG.search(text) else text
