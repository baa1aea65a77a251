"""The items of FindTheFlaws: the sets, what is judged, and the rules of its sentence labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

CORRECT, FLAWED, AMBIGUOUS = "CORRECT", "FLAWED", "AMBIGUOUS"
# set -> (file, label); Python650 is one file read in three ways (section 4.2.2)
SETS = {
    "medqa": ("adversarial_medqa", "Adversarial MedQA"),
    "theoremqa": ("modified_theoremqa", "Modified TheoremQA"),
    "gpqa": ("modified_gpqa", "GPQA Diamond Plus"),
    "python": ("modified_python800", "Python650"),
    "python_meta": ("modified_python800", "Meta Python650"),
    "python_alt": ("modified_python800", "Alt Meta Python650"),
    "cels_law": ("cels_law", "CELS Law"),
    "cels_lojban": ("cels_lojban", "CELS Lojban"),
    "cels_surgery": ("cels_surgery", "CELS Surgery"),
}
SOLUTION_SETS = ("medqa", "theoremqa", "gpqa")
PYTHON_SETS = ("python", "python_meta", "python_alt")
CELS_SETS = ("cels_law", "cels_lojban", "cels_surgery")


@dataclass(frozen=True)
class Sentence:
    """One sentence of a CELS argument with its reviewers' comments, in their order.

    ``label`` is the released one: FLAWED when at least two reviewers flag it, CORRECT when
    none does, else AMBIGUOUS (Appendix B.1). `label` gives the same from the comments, but
    for 21 released sentences on which both reviewers remarked and which are AMBIGUOUS.
    """

    number: int
    text: str = field(repr=False)
    label: str
    comments: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True)
class Item:
    """One thing to judge, with its expert reference.

    ``item_id`` is unique over all sets; ``question_id`` is the cluster it is drawn with.
    ``kind``: "solution", "code", "argument" (about ``code``) or "sentences". ``gold`` is
    CORRECT or FLAWED, "" where only the error is graded; ``error`` is the experts'
    description of the (first) error, "" where there is none to grade. ``error_step`` and
    ``correct_solution`` are there where the set gives them. ``reviewers``: those whose
    comments are released. ``released``: text of the published sets, which is redistributed
    in an encrypted archive only; no text shows in the repr.
    """

    item_id: str
    question_id: str
    dataset: str
    kind: Literal["solution", "code", "argument", "sentences"]
    question: str = field(repr=False)
    solution: str = field(repr=False)
    gold: str
    error: str = field(default="", repr=False)
    code: str = field(default="", repr=False)
    correct_solution: str = field(default="", repr=False)
    error_step: int | None = None
    sentences: tuple[Sentence, ...] = field(default=(), repr=False)
    reviewers: tuple[int, ...] = ()
    reliable: bool = True
    released: bool = False


def no_flaw(comment: str) -> bool:
    """Whether a reviewer's comment says that the sentence is in order.

    >>> no_flaw("No Problem"), no_flaw("no problems here"), no_flaw("Not a problem of law")
    (True, True, False)
    """
    return comment.strip().lower().startswith("no problem")


def label(comments: Sequence[str]) -> str:
    """A sentence's label from its reviewers' comments (Appendix B.1).

    >>> label(["No problem", "Wrong"]), label(["Wrong", "No problem", "Untrue"])
    ('AMBIGUOUS', 'FLAWED')
    """
    flags = sum(not no_flaw(comment) for comment in comments)
    return FLAWED if flags >= 2 else AMBIGUOUS if flags else CORRECT


def expert_error(sentence: Sentence) -> str:
    """What the reviewers who flagged a sentence say of it, one after the other."""
    return "\n".join(comment for comment in sentence.comments if not no_flaw(comment))
