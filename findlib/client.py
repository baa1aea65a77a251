"""Send one request through LiteLLM: retries, time-outs, statuses, and no secret in any text."""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .models import EMBEDDED, ModelSpec
from .paths import FindlibError

ATTEMPTS = 5
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota", re.I)
LONGEST_WAIT = 120.0  # seconds, also for a server's Retry-After


@dataclass(frozen=True)
class Address:
    """Where a request goes: base URL ("" for the provider's own) and API key."""

    base_url: str
    api_key: str


class RequestFailed(Exception):
    """A request got no answer: a status ("provider_error" or "refused") and a reason."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class CannotContinue(FindlibError):
    """No request of this model can succeed: a missing key, an unknown model, no server."""


def address(spec: ModelSpec) -> Address:
    """The address of a model that this process does not serve; its key from the environment.

    Raises CannotContinue when the key is not set.
    """
    key = os.environ.get(spec.api_key_env, "") if spec.api_key_env else "none"
    if not key:
        raise CannotContinue(
            f"{spec.name}: no API key; set the environment variable {spec.api_key_env}"
        )
    return Address(spec.base_url, key)


def send(
    body: Mapping[str, Any],
    spec: ModelSpec,
    to: Address,
    sleep: Callable[[float], None] = time.sleep,
) -> dict[str, Any]:
    """Send one request and return the response to store.

    ``body`` has the keys of `runner.Request.body`. Retried are 429, 5xx, time-outs and
    connection errors only, at most ATTEMPTS times, exponentially with jitter or as the
    server's Retry-After says. Returns text, reasoning, finish_reason, status, token counts,
    ``seconds`` of the successful attempt, ``cost_usd`` by the model's price, and the full
    response under ``raw``. Raises RequestFailed, or CannotContinue when it is no use to
    send more.
    """
    import tenacity

    litellm = _litellm()
    started = time.monotonic()

    def once() -> Any:
        nonlocal started
        started = time.monotonic()
        return litellm.completion(
            model=spec.route,
            messages=list(body["messages"]),
            api_key=to.api_key,
            base_url=to.base_url or None,
            timeout=spec.timeout,
            num_retries=0,
            max_retries=0,
            **body["settings"],
        )

    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception(_passing),
        wait=wait_before_next,
        stop=tenacity.stop_after_attempt(ATTEMPTS),
        sleep=sleep,
        reraise=True,
    )
    try:
        answer = retrying(once)
    except Exception as error:
        raise _failure(error, spec, to) from None
    return _stored(answer.model_dump(), spec, time.monotonic() - started)


def _litellm() -> Any:
    """LiteLLM, imported when first used (seconds), without a look at the network."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    litellm.drop_params = False
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return litellm


def _code(error: BaseException) -> int:
    return int(getattr(error, "status_code", 0) or 0)


def _passing(error: BaseException) -> bool:
    """Whether a later attempt may succeed."""
    names = {kind.__name__ for kind in type(error).__mro__}
    if _QUOTA.search(str(error)):
        return False
    if names & {"Timeout", "APITimeoutError", "APIConnectionError", "ServiceUnavailableError"}:
        return True
    return _code(error) == 429 or 500 <= _code(error) < 600


def wait_before_next(state: Any) -> float:
    """Seconds before the next attempt: Retry-After where given, else exponential with jitter."""
    import tenacity

    error = state.outcome.exception()
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        seconds = float(headers["retry-after"])
        if math.isfinite(seconds):
            return min(max(seconds, 0.0), LONGEST_WAIT)
    except (KeyError, ValueError):
        pass
    return tenacity.wait_exponential_jitter(initial=1, max=60)(state)


def _failure(error: Exception, spec: ModelSpec, to: Address) -> Exception:
    """What a final error means: this request failed, or none can succeed."""
    reason = clean(f"{type(error).__name__}: {error}", to.api_key)
    names = {kind.__name__ for kind in type(error).__mro__}
    if "ContentPolicyViolationError" in names:
        return RequestFailed("refused", reason)
    if "UnsupportedParamsError" in names:
        return CannotContinue(f"{spec.name}: a setting is refused; change `accepts`: {reason}")
    if _code(error) in (401, 403) or _QUOTA.search(reason):
        return CannotContinue(f"{spec.name}: the provider refuses the key or quota: {reason}")
    if "NotFoundError" in names:
        return CannotContinue(f"{spec.name}: no such model at the provider: {reason}")
    if to.base_url and re.search(r"connection (error|refused)|cannot connect", reason, re.I):
        how = f" (make serve MODEL={spec.name})" if spec.route.startswith("hosted_vllm/") else ""
        gone = f"no server answers at {to.base_url}; start it{how}"
        if spec.base_url == EMBEDDED:
            gone = "the embedded server has died (see cache/embedded-server.log)"
        return CannotContinue(f"{spec.name}: {gone}; run again, finished answers are kept")
    return RequestFailed("provider_error", reason)


def clean(text: str, *secrets: str, longest: int = 300) -> str:
    """A text without any API key, on one line, cut to ``longest`` characters.

    >>> clean("bad key sk-abc123456789, see docs")
    'bad key ***, see docs'
    """
    known = [value for name, value in os.environ.items() if re.search(r"KEY|TOKEN|SECRET", name)]
    for secret in [*secrets, *known]:
        if len(secret) > 5:
            text = text.replace(secret, "***")
    text = re.sub(r"\b(?:sk|gsk|AIza|key)[-_A-Za-z0-9*]{8,}", "***", text)
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _stored(raw: dict[str, Any], spec: ModelSpec, seconds: float) -> dict[str, Any]:
    """The response as it is kept."""
    choice = (raw.get("choices") or [{}])[0]
    message = choice.get("message") or {}
    usage = raw.get("usage") or {}
    text = _whole_characters(message.get("content"))
    tokens = int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0)
    cost = sum(n * price for n, price in zip(tokens, spec.price, strict=True)) / 1e6
    known = bool(sum(tokens))
    return {
        "text": text,
        "reasoning": _whole_characters(message.get("reasoning_content")),
        "finish_reason": choice.get("finish_reason") or "",
        "status": _status(text, choice.get("finish_reason") or "", message),
        "prompt_tokens": tokens[0],
        "completion_tokens": tokens[1],
        "seconds": round(seconds, 3),
        "cost_usd": round(cost, 8) if known or not any(spec.price) else None,
        "raw": raw,
    }


def _whole_characters(text: Any) -> str:
    """A text that can be written as UTF-8: half a surrogate pair becomes U+FFFD."""
    if not isinstance(text, str):
        return ""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _status(text: str, finish: str, message: Mapping[str, Any]) -> str:
    if finish == "content_filter" or message.get("refusal"):
        return "refused"
    if finish == "length":
        return "truncated"
    return "ok" if text.strip() else "empty"
