"""The checks of text and references: kind, function, type of error, precision, on or off."""

from __future__ import annotations

from . import (
    changes,
    counts,
    dates,
    linked,
    names,
    numbering,
    references,
    stated,
    tied,
    topics,
    twice,
)
from .doc import Kind

KINDS_TEXT: dict[str, Kind] = {
    **stated.KINDS,
    **changes.KINDS,
    **linked.KINDS,
    **twice.KINDS,
    **tied.KINDS,
    **counts.KINDS,
    **names.KINDS,
    **dates.KINDS,
    **numbering.KINDS,
    **references.KINDS,
    **topics.KINDS,
}
