"""Parse the evaluation blocks of FindTheFlaws' tasks: verdict, explanation, labels by sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .judge import verdicts

LABELS = ("CORRECT", "FLAWED")
GRADES = ("EQUIVALENT", "DIFFERENT")
# why a reply gives nothing to score; each is counted
REASONS = ("no block", "no verdict", "several verdicts", "off-menu verdict", "wrong sentences",
           "no step", "several steps")  # fmt: skip
_BLOCK = re.compile(r"<(/?)evaluation>", re.I)
_THOUGHT = re.compile(r"</think(?:ing)?>", re.I)
_SENTENCE = re.compile(
    r"^[ \t>*_#-]{0,20}sentence[ \t]{1,3}(\d{1,4})[ \t*_]{0,5}:[ \t*_]{0,5}([a-z]{1,20})\b", re.I
)
_STEP = re.compile(r"^[ \t>*_#-]{0,20}first error[ \t*_]{0,5}:[ \t*_]{0,5}(?:step )?(\d{1,4})\b",
                   re.I | re.M)  # fmt: skip
_VERDICT_LINE = re.compile(r"^[ \t>*_`#-]{0,20}(?:final )?verdict[ \t*_`]{0,20}:|"
                           r"^[ \t>*_#-]{0,20}first error[ \t*_]{0,5}:", re.I)  # fmt: skip


@dataclass(frozen=True)
class Evaluation:
    """What a reply says. ``status`` is "ok" or "malformed", ``reason`` one of REASONS or "".

    ``labels``: sentence number -> (label, comment); ``step``: the first error's, where asked.
    A malformed evaluation holds nothing that could be scored.
    """

    verdict: str = ""
    explanation: str = ""
    labels: dict[int, tuple[str, str]] = field(default_factory=dict)
    step: int | None = None
    reason: str = ""

    @property
    def status(self) -> str:
        """ "ok" or "malformed"."""
        return "malformed" if self.reason else "ok"


def last_block(reply: str) -> str | None:
    """The content of the last complete <evaluation> block after the model's thinking, or None.

    A block that is opened and never closed is none; an opening tag inside a block starts anew.

    >>> last_block("<evaluation>a</evaluation> <evaluation>b</evaluation> <evaluation>c")
    'b'
    """
    text = _THOUGHT.split(reply)[-1]
    found, start = None, None
    for tag in _BLOCK.finditer(text):
        if not tag[1]:
            start = tag.end()
        elif start is not None:
            found, start = text[start : tag.start()], None
    return found


def parse(
    reply: str, menu: Sequence[str] = LABELS, numbers: Sequence[int] = (), verdict: bool = True
) -> Evaluation:
    """Read the last complete block of a reply.

    ``menu``: the labels that verdict and sentences may take. ``numbers``: the sentences that
    must each be labelled exactly once, none for a task without sentences. ``verdict``: whether
    a verdict line must stand there; several that differ are none. What stands outside the
    block (numbers or verdicts in the reasoning) is never read.

    >>> parse("<evaluation>\\nEXPLANATION: 2 + 2 is 4.\\nVERDICT: FLAWED\\n</evaluation>").verdict
    'FLAWED'
    >>> parse("VERDICT: FLAWED").reason
    'no block'
    """
    block = last_block(reply)
    if block is None:
        return Evaluation(reason="no block")
    said = set(verdicts(block))
    if verdict and len(said) != 1:
        return Evaluation(reason="several verdicts" if said else "no verdict")
    if verdict and not said <= set(menu):
        return Evaluation(reason="off-menu verdict")
    labels = _labels(block, menu) if numbers else {}
    if labels is None or sorted(labels) != sorted(numbers):
        return Evaluation(reason="wrong sentences")
    return Evaluation(said.pop() if verdict else "", "" if numbers else explanation(block), labels)


def parse_step(reply: str) -> Evaluation:
    """Read the explanation and the step of the first error (the proxy baseline's task).

    >>> parse_step("<evaluation>\\nEXPLANATION: no\\nFIRST ERROR: Step 3\\n</evaluation>").step
    3
    """
    block = last_block(reply)
    if block is None:
        return Evaluation(reason="no block")
    steps = {int(number) for number in _STEP.findall(block)}
    if len(steps) != 1:
        return Evaluation(reason="several steps" if steps else "no step")
    return Evaluation(explanation=explanation(block), step=steps.pop())


def explanation(block: str) -> str:
    """A block without its verdict and step lines and the word before the explanation."""
    kept = [line for line in block.split("\n") if not _VERDICT_LINE.match(line)]
    return re.sub(r"^[\s*_]*explanation[ \t*_]*:[ \t*_]*", "", "\n".join(kept), flags=re.I).strip()


def _labels(block: str, menu: Sequence[str]) -> dict[int, tuple[str, str]] | None:
    """Number -> (label, comment); None when a sentence is labelled twice. A line whose label
    is off the menu belongs to the comment above it, so that its sentence is missing."""
    found: dict[int, tuple[str, list[str]]] = {}
    comment: list[str] = []
    for line in block.split("\n"):
        match = _SENTENCE.match(line)
        if match and match[2].upper() in menu:
            if int(match[1]) in found:
                return None
            comment = [line[match.end() :].strip(" \t*_-–—:")]
            found[int(match[1])] = match[2].upper(), comment
        elif not _VERDICT_LINE.match(line):
            comment.append(line.strip())
    return {n: (label, "\n".join(lines).strip()) for n, (label, lines) in found.items()}
