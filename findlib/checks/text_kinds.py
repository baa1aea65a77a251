"""The checks of text and references: kind, function, type of error, precision, on or off."""

from __future__ import annotations

from . import (
    anchors,
    changes,
    counts,
    dates,
    identifiers,
    intervals,
    levels,
    linked,
    lists,
    names,
    numbering,
    parts,
    references,
    slips,
    stated,
    tied,
    topics,
    twice,
)
from .doc import Kind

KINDS_TEXT: dict[str, Kind] = {
    **stated.KINDS,
    **intervals.KINDS,
    **parts.KINDS,
    **changes.KINDS,
    **linked.KINDS,
    **levels.KINDS,
    **twice.KINDS,
    **slips.KINDS,
    **tied.KINDS,
    **lists.KINDS,
    **counts.KINDS,
    **names.KINDS,
    **dates.KINDS,
    **numbering.KINDS,
    **identifiers.KINDS,
    **references.KINDS,
    **anchors.KINDS,
    **topics.KINDS,
}
