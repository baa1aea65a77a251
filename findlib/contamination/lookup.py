"""What a search says of a line, and a web service asked politely and never twice the same."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ..cache import Cache, default_path, request_key
from ..client import ATTEMPTS, CannotContinue, clean, wait_before_next

IN_A_ROW = 3  # requests without an answer after which the service counts as gone
_BUSY = re.compile(r"timed? ?out|try again|internal server error|overload|too many requests", re.I)
_GONE = (401, 403, 404, 405, 410)

Form = TypeVar("Form", bound=BaseModel)


@dataclass(frozen=True)
class Count:
    """What one search of one corpus says of one line.

    ``count``: occurrences (portraits: 1 present, 0 not), NaN without an answer; ``error``
    then says why. ``asked``: characters of the line that were searched. ``approx``: whether
    the count is an estimate, None where the service does not say. ``overlap``: characters
    of the longest run found (portraits only). ``miss``: chance that a verbatim copy of the
    line in the corpus goes unnoticed, 0 for an exact search.
    """

    count: float
    asked: int
    tokenizer: str
    approx: bool | None = False
    overlap: float = float("nan")
    miss: float = 0.0
    error: str = ""


def failed(line: str, tokenizer: str, error: object) -> Count:
    """No answer: NaN, never 0."""
    return Count(float("nan"), len(line), tokenizer, None, error=str(error))


class LookupFailed(Exception):
    """One request has no answer; others may have one."""


class Refused(LookupFailed):
    """The service answered that it will not do this (``error`` in its body)."""


class Service:
    """A JSON service at one address, asked one request at a time.

    ``interval``: least seconds between two requests. ``timeout``: seconds for each of
    connecting, sending and a silence while receiving. Answers are stored as they arrive in
    ``cache`` (cache/contamination.sqlite) and nothing is asked twice. ``sleep`` is for tests.
    """

    def __init__(
        self,
        url: str,
        cache: Cache | None = None,
        interval: float = 0.5,
        timeout: float = 30.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url, self.interval, self.timeout, self.sleep = url, interval, timeout, sleep
        self.cache = cache
        self._http: Any = None
        self._last = float("-inf")
        self._reached = False
        self._failed = 0

    def ask(self, body: Mapping[str, Any], form: type[Form]) -> Form:
        """The answer to one request, checked against its form; stored or sent.

        Sent again, as `client.send` does, are 429, 5xx, time-outs and broken connections.
        Raises Refused or LookupFailed where this request has no answer, and CannotContinue
        where none can have: no network, a moved or closed service, IN_A_ROW failures.
        """
        self.cache = self.cache or Cache(
            default_path().with_name("contamination.sqlite"), recorded=[]
        )
        request = {"url": self.url, **body}
        key = request_key(request)
        known = self.cache.get(key)
        if known:
            return form.model_validate(known[0])
        try:
            content = self._content(self._response(body))
            answer = form.model_validate(content)
        except ValidationError as error:
            first = error.errors()[0]
            at = ".".join(map(str, first["loc"])) or "answer"
            raise self._counted(LookupFailed(f"unexpected answer ({at}: {first['msg']})")) from None
        except LookupFailed as error:
            raise self._counted(error) from None
        self._failed = 0
        self.cache.put(key, request, content)
        return answer

    def _counted(self, error: LookupFailed) -> Exception:
        """The error, or the end of it all when too many came in a row."""
        self._failed = 0 if isinstance(error, Refused) else self._failed + 1
        if self._failed < IN_A_ROW:
            return error
        return CannotContinue(
            f"{self.url}: no answer {self._failed} times in a row (last: {error}); "
            "finished answers are kept, run again later"
        )

    def _response(self, body: Mapping[str, Any]) -> Any:
        """The response to a request, after as many attempts as it takes."""
        import httpx
        import tenacity

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(self._passing),
            wait=wait_before_next,
            stop=tenacity.stop_after_attempt(ATTEMPTS),
            sleep=self.sleep,
            reraise=True,
        )
        try:
            return retrying(self._once, body)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            reason = clean(f"{type(error).__name__} {error}".strip())
            if self._reached:
                raise LookupFailed(reason) from None
            raise CannotContinue(
                f"{self.url} cannot be reached ({reason}); check the network, or search a local "
                "index (make index CORPUS=...)"
            ) from None

    def _once(self, body: Mapping[str, Any]) -> Any:
        import httpx

        self._http = self._http or httpx.Client(timeout=self.timeout)
        self.sleep(max(0.0, self._last + self.interval - time.monotonic()))
        self._last = time.monotonic()
        response = self._http.post(self.url, json=dict(body))
        self._reached = True
        code, refusal = response.status_code, _error(_json(response))
        if code == 429 or code >= 500 or _BUSY.search(refusal):
            told = refusal or clean(response.text, longest=100)
            raise httpx.HTTPStatusError(
                f"{code} {told}", request=response.request, response=response
            )
        return response

    def _passing(self, error: BaseException) -> bool:
        """Whether a later attempt may succeed; without a network none will."""
        import httpx

        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout) and not self._reached:
            return False
        return isinstance(error, httpx.TransportError | httpx.HTTPStatusError)

    def _content(self, response: Any) -> Any:
        """The JSON of a response; an ``error`` in it counts whatever the status says."""
        code, content = response.status_code, _json(response)
        if _error(content):
            raise Refused(clean(_error(content)))
        if code in _GONE or 300 <= code < 400:
            raise CannotContinue(
                f"{self.url} answers HTTP {code}: moved, closed or not open to you"
            )
        if code >= 400:
            raise Refused(f"HTTP {code} {clean(response.text, longest=100)}")
        if content is None:
            raise LookupFailed(f"not JSON: {clean(response.text, longest=60)!r}")
        return content


def _json(response: Any) -> Any:
    """The JSON of a response, None where it holds none."""
    try:
        return response.json()
    except (ValueError, RecursionError):
        return None


def _error(content: Any) -> str:
    """What a body says went wrong, "" for nothing."""
    told = content.get("error") if isinstance(content, dict) else None
    return str(told) if told else ""
