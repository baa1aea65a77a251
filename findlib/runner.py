"""Run requests: what is stored is not sent again, what is sent is stored at once."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from . import client, embedded, rules
from .cache import Cache, request_key
from .documents import tokenizer
from .models import EMBEDDED, RULES, ModelSpec
from .paths import FindlibError

Sender = Callable[[Mapping[str, Any], ModelSpec, client.Address], dict[str, Any]]


class RunStopped(FindlibError):
    """The run stopped on purpose; what had been answered is kept."""


@dataclass(frozen=True)
class Request:
    """One request to a model. ``about`` says what it is for and is not sent or hashed.

    ``private``: the messages are text that must not lie about in the open; the cache then keeps
    their hash alone. The key is the same.
    """

    spec: ModelSpec
    messages: list[dict[str, str]]
    settings: dict[str, Any]
    sample: int = 0
    about: dict[str, Any] = field(default_factory=dict)
    private: bool = False

    @property
    def kept(self) -> dict[str, Any]:
        """What the cache keeps of the request."""
        return {**self.body, "messages": self.key} if self.private else self.body

    @cached_property
    def body(self) -> dict[str, Any]:
        """All that the cache key covers: model, address, messages, settings sent, sample."""
        return {
            "model": self.spec.name,
            "route": self.spec.route,
            "revision": self.spec.revision,
            "base_url": self.spec.base_url,
            "messages": self.messages,
            "settings": self.settings,
            "sample": self.sample,
        }

    @cached_property
    def key(self) -> str:
        """The cache key."""
        return request_key(self.body)


@dataclass(frozen=True)
class Response:
    """A stored or failed response with what its request was about.

    ``layer``: "recorded", "cache", "sent" or "" (failed). Token counts are the provider's;
    ``seconds`` is how long the successful attempt took when it was made.
    """

    about: dict[str, Any]
    model: str
    key: str
    status: str
    text: str = ""
    reasoning: str = ""
    finish_reason: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cost_usd: float = 0.0
    layer: str = ""
    error: str = ""


def run(
    requests: Sequence[Request],
    cache: Cache | None = None,
    budget_usd: float | None = None,
    progress: bool = False,
    send: Sender = client.send,
) -> list[Response]:
    """Answer every request, from the cache where it can; results are in the requests' order.

    Requests of a model run at most ``spec.concurrency`` at a time. A paid request that is
    not stored raises RunStopped with what would be sent, unless ``budget_usd`` is given:
    then requests are sent while the worst case of all in flight stays within it (this
    call's spending). A request that fails for good is a Response with that status; it is
    not stored, so that the next run sends it again. A kill loses no finished answer.

    >>> from findlib import find, models, data
    >>> spec, documents = models.get("smollm2-135m"), data.load_find("data/sample")
    >>> run(find.requests(documents[:1], spec))[0].layer
    'recorded'
    """
    cache = cache or Cache()
    stored = {request.key: cache.get(request.key) for request in requests}
    missing = {r.key: r for r in requests if stored[r.key] is None}
    failed: dict[str, client.RequestFailed] = {}
    if missing:
        budget = _Budget(list(missing.values()), budget_usd)
        failed = _send_all(list(missing.values()), cache, budget, progress, send)
    return [_response(r, stored[r.key], cache, failed) for r in requests]


def _response(
    request: Request,
    stored: tuple[dict[str, Any], str] | None,
    cache: Cache,
    failed: Mapping[str, client.RequestFailed],
) -> Response:
    known: dict[str, Any] = {"about": request.about, "model": request.spec.name, "key": request.key}
    if request.key in failed:
        error = failed[request.key]
        return Response(**known, status=error.status, error=str(error))
    content, layer = stored or (cache.get(request.key) or ({}, ""))
    layer = layer if stored else "sent"
    taken = {name: content[name] for name in Response.__dataclass_fields__ if name in content}
    return Response(**known, **taken, layer=layer)


class _Budget:
    """What may still be spent; refuses at once when nothing may."""

    def __init__(self, missing: Sequence[Request], usd: float | None) -> None:
        self._changed = threading.Condition()
        self.spent, self._reserved, self.usd = 0.0, 0.0, usd
        if usd is not None and not (math.isfinite(usd) and usd >= 0):
            raise RunStopped(f"a budget of {usd} makes no sense; give US dollars, such as 20")
        paid = [request for request in missing if request.spec.paid]
        unpriced = sorted({r.spec.name for r in paid if not any(r.spec.price)})
        if unpriced:
            raise RunStopped(
                f"{', '.join(unpriced)}: hosted, but without a price, so that no budget holds; "
                "give `price: [input, output]` in USD per million tokens"
            )
        if paid and usd is None:
            raise RunStopped(_quote(paid))
        self.worst = {request.key: worst_cost(request) for request in paid}

    def reserve(self, request: Request) -> bool:
        """Set aside the worst cost of a request, if it fits once others are paid."""
        worst = self.worst.get(request.key, 0.0)
        with self._changed:
            while worst and self.spent + self._reserved + worst > (self.usd or 0.0):
                if self._reserved <= 0:
                    return False
                self._changed.wait()
            self._reserved += worst
            return True

    def settle(self, request: Request, cost: float) -> None:
        """Replace what was set aside by what was paid."""
        with self._changed:
            self._reserved -= self.worst.get(request.key, 0.0)
            self._reserved *= self._reserved > 1e-9  # no rounding dust when nothing is in flight
            self.spent += cost
            self._changed.notify_all()


def worst_cost(request: Request) -> float:
    """The most that a request can cost in USD: its estimated input (with a tenth to spare)
    and the whole output limit, at the model's price."""
    limit = int(request.settings.get(request.spec.limit_setting, request.spec.max_output_tokens))
    price_in, price_out = request.spec.price
    return (1.1 * _input_tokens(request) * price_in + limit * price_out) / 1e6


def _input_tokens(request: Request) -> int:
    return sum(tokenizer().count(message["content"]) for message in request.messages)


def _quote(paid: Sequence[Request]) -> str:
    """One line: what would be sent where, how much it is, and how to send it."""
    names = list(dict.fromkeys(request.spec.name for request in paid))
    tokens = sum(map(_input_tokens, paid))
    cost = sum(map(worst_cost, paid))
    documents = len({request.about.get("doc_id") for request in paid})
    target = paid[0].about.get("make", "inference MODELS")
    return (
        f"not sent, for it costs money: {len(paid)} request(s) to {', '.join(names)} over "
        f"{documents} document(s), about {tokens:,} input tokens, at most ${cost:,.2f}; send "
        f'with: make {target}="{" ".join(names)}" BUDGET_USD={max(1, round(cost + 0.5))}'
    )


def _send_all(
    missing: Sequence[Request], cache: Cache, budget: _Budget, progress: bool, send: Sender
) -> dict[str, client.RequestFailed]:
    """Send every request through its model's pool; returns the failures by key."""
    failed: dict[str, client.RequestFailed] = {}
    halt = threading.Event()
    unsent: list[Request] = []
    with ExitStack() as stack:
        addresses = stack.enter_context(_addresses(missing))
        bar = stack.enter_context(_bar(len(missing), progress))

        def one(request: Request) -> None:
            """Send one request unless the run has stopped, and store what comes back."""
            if halt.is_set() or not budget.reserve(request):
                unsent.append(request)
                return
            cost = 0.0
            try:
                if halt.is_set() or cache.get(request.key):  # stopped, or answered by another run
                    return
                response = (
                    rules.send(request.body)
                    if request.spec.base_url == RULES
                    else send(request.body, request.spec, addresses(request.spec))
                )
                if response["cost_usd"] is None:  # no usage told: take it for the most it can be
                    response = {**response, "cost_usd": budget.worst.get(request.key, 0.0)}
                cost = response["cost_usd"]
                cache.put(request.key, request.kept, response)
            except client.RequestFailed as error:
                failed[request.key] = error
            except BaseException:
                halt.set()
                raise
            finally:
                budget.settle(request, cost)

        for done in _each(missing, one, halt):
            done.result()
            bar.update(1)
            bar.set_postfix_str(f"${budget.spent:.2f}, {len(failed)} failed", refresh=False)
    if unsent:
        raise RunStopped(
            f"the budget of ${budget.usd:,.2f} would be passed: {len(missing) - len(unsent)} of "
            f"{len(missing)} request(s) answered and kept for ${budget.spent:,.2f}; raise "
            "BUDGET_USD and run again to send the rest"
        )
    return failed


def _each(
    requests: Sequence[Request], one: Callable[[Request], None], halt: threading.Event
) -> Iterator[Future[None]]:
    """Run ``one`` on every request, a pool a model; an error or an interrupt stops the rest."""
    pools = {r.spec.name: ThreadPoolExecutor(r.spec.concurrency) for r in requests}
    try:
        yield from as_completed([pools[r.spec.name].submit(one, r) for r in requests])
    finally:
        halt.set()
        for pool in pools.values():
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _addresses(requests: Sequence[Request]) -> Iterator[Callable[[ModelSpec], client.Address]]:
    """Resolve addresses; the embedded model is served while the block runs."""
    specs = {request.spec.name: request.spec for request in requests}
    own = {name for name, spec in specs.items() if spec.base_url in (EMBEDDED, RULES)}
    hosted = {name: client.address(spec) for name, spec in specs.items() if name not in own}
    with ExitStack() as stack:
        needed = any(spec.base_url == EMBEDDED for spec in specs.values())
        served = stack.enter_context(embedded.serve()) if needed else None

        def resolve(spec: ModelSpec) -> client.Address:
            if spec.name in hosted:
                return hosted[spec.name]
            assert served is not None
            return client.Address(served.base_url, served.api_key)

        yield resolve


def _bar(total: int, progress: bool) -> Any:
    import warnings

    with warnings.catch_warnings():  # tqdm warns where ipywidgets are missing; text will do
        warnings.simplefilter("ignore")
        from tqdm.auto import tqdm

    return tqdm(total=total, disable=not progress, unit="request", mininterval=1.0)
