"""From the rows of FindTheFlaws' files to items: what each set holds right and wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from .flaws_items import CORRECT, FLAWED, Item, Sentence
from .paths import FindlibError

Rows = Callable[[], Iterator[tuple[str, Mapping[str, Any]]]]  # place of a row, its columns


class _Row(BaseModel):
    """The columns that all sets share, as they come from outside."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)
    problem_id: str
    problem_text: str
    flag_unreliable_data: bool = False
    canary_string: str = ""


class _Answered(_Row):
    """MedQA and CELS: a model's solution with the experts' comments."""

    correct_final_answer: str
    llm_final_answer: str
    llm_solution: str
    comments_on_llm_solution: str
    all_annotator_comments: str = ""


class _Steps(_Row):
    """TheoremQA and GPQA: a correct solution and its corruption."""

    correct_solution: str
    flawed_solution: str
    step_of_injected_flaw: int
    flaw_explanation: str


class _Python(_Row):
    """Python650: a program, and two explanations that argue for the right and wrong label."""

    proposed_solution: str
    correct_final_answer: Literal["Proposed solution is correct", "Proposed solution is incorrect"]
    correct_llm_explanation: str
    flawed_llm_explanation: str
    flaw_explanation: str
    correct_explanation_comments: str
    flag_unreliable_correct_explanation: bool


def items(name: str, rows: Rows) -> Iterator[Item]:
    """The items of one set from the rows of its file; FindlibError names a faulty row's place."""
    makers: dict[str, tuple[type[_Row], Callable[..., Iterable[Item]]]] = {
        "medqa": (_Answered, _medqa), "theoremqa": (_Steps, _theoremqa), "gpqa": (_Steps, _gpqa),
        "python": (_Python, _python), "python_meta": (_Python, _meta),
        "python_alt": (_Python, _alternative),
    }  # fmt: skip
    model, make = makers.get(name, (_Answered, _cels))
    for where, row in rows():
        try:
            checked = model.model_validate(row)
        except ValidationError as error:
            first = error.errors()[0]
            column = ".".join(map(str, first["loc"]))
            raise FindlibError(f"{where}, column {column}: {first['msg']}") from None
        yield from make(name, checked, where)


def _base(name: str, row: _Row, ending: str = "") -> dict[str, Any]:
    return {
        "item_id": f"{name}/{row.problem_id}{ending}", "question_id": row.problem_id,
        "dataset": name, "question": row.problem_text, "reliable": not row.flag_unreliable_data,
        "released": bool(row.canary_string),
    }  # fmt: skip


def _medqa(name: str, row: _Answered, _: str) -> list[Item]:
    wrong = row.llm_final_answer != row.correct_final_answer
    comments = row.comments_on_llm_solution
    return [Item(
        **_base(name, row), kind="solution", solution=row.llm_solution,
        gold=FLAWED if wrong else CORRECT, error=comments if wrong else "",
        reviewers=_reviewers(comments),
    )]  # fmt: skip


def _reviewers(comments: str) -> tuple[int, ...]:
    return tuple(sorted({int(n) for n in re.findall(r"^Annotator (\d) comment:", comments, re.M)}))


def _theoremqa(name: str, row: _Steps, where: str) -> list[Item]:
    """Both solutions; one whose corruption still ends in the right answer is FLAWED as well."""
    return _both(name, row, f"Step {row.step_of_injected_flaw}: {row.flaw_explanation}")


def _gpqa(name: str, row: _Steps, where: str) -> list[Item]:
    """Both solutions; the experts name a step, so its text is the reference error."""
    step = row.step_of_injected_flaw
    found = re.search(rf"^{step}\. *(.+?)(?=^\d+\. |\Z)", row.flawed_solution, re.M | re.S)
    text = found[1].strip() if found else ""
    return _both(name, row, f"{row.flaw_explanation} That step reads: {text}")


def _both(name: str, row: _Steps, error: str) -> list[Item]:
    correct = Item(
        **_base(name, row, "/correct"), kind="solution", solution=row.correct_solution, gold=CORRECT
    )
    flawed = Item(
        **_base(name, row, "/flawed"), kind="solution", solution=row.flawed_solution, gold=FLAWED,
        error=error, error_step=row.step_of_injected_flaw, correct_solution=row.correct_solution,
    )  # fmt: skip
    return [correct, flawed]


def _python(name: str, row: _Python, _: str) -> list[Item]:
    """Standard: is the program correct?"""
    gold = CORRECT if row.correct_final_answer.endswith(" correct") else FLAWED
    return [Item(**_base(name, row), kind="code", solution=row.proposed_solution, gold=gold)]


def _meta(name: str, row: _Python, _: str) -> list[Item]:
    """Is the argument accurate? The one for the wrong label is FLAWED; the one for the right
    label is CORRECT, unless experts found fault with it: then it is in the alternative set."""
    flawed = _argument(
        name, row, "/flawed", row.flawed_llm_explanation, FLAWED, row.flaw_explanation
    )
    if row.flag_unreliable_correct_explanation:
        return [flawed]
    return [_argument(name, row, "/correct", row.correct_llm_explanation, CORRECT), flawed]


def _alternative(name: str, row: _Python, _: str) -> list[Item]:
    """Arguments with the right label and a flaw: error grading only."""
    if not row.flag_unreliable_correct_explanation:
        return []
    comments = row.correct_explanation_comments
    return [_argument(name, row, "", row.correct_llm_explanation, "", comments)]


def _argument(
    name: str, row: _Python, ending: str, argument: str, gold: str, error: str = ""
) -> Item:
    return Item(
        **_base(name, row, ending), kind="argument", solution=argument, gold=gold, error=error,
        code=row.proposed_solution, reviewers=_reviewers(error),
    )  # fmt: skip


_NUMBERED = re.compile(r"^(\d+)\. ", re.M)
_LABELLED = re.compile(r"^Sentence (\d+): (?=(?:CORRECT|FLAWED|AMBIGUOUS) --)", re.M)
_COMMENT = re.compile(r"Annotator \d comment:")


def _cels(name: str, row: _Answered, where: str) -> list[Item]:
    """One argument; the whole is CORRECT when it argues for the right answer."""
    texts = _parts(_NUMBERED, row.llm_solution)
    remarks = _parts(_LABELLED, row.all_annotator_comments or row.comments_on_llm_solution)
    if not texts or list(texts) != list(remarks) or list(texts) != list(range(1, len(texts) + 1)):
        raise FindlibError(
            f"{where}: {len(texts)} numbered sentences (1., 2., ...) but {len(remarks)} labelled "
            "ones (Sentence 1: LABEL -- Annotator 1 comment: ...); they must be the same"
        )
    sentences = tuple(_sentence(n, texts[n], remarks[n]) for n in texts)
    gold = CORRECT if row.llm_final_answer == row.correct_final_answer else FLAWED
    base = {**_base(name, row), "question_id": row.problem_id.split("_")[0]}
    return [
        Item(**base, kind="sentences", solution=row.llm_solution, gold=gold, sentences=sentences)
    ]


def _sentence(number: int, text: str, remarks: str) -> Sentence:
    said, _, rest = remarks.partition(" --")
    return Sentence(number, text, said, tuple(c.strip() for c in _COMMENT.split(rest)[1:]))


def _parts(pattern: re.Pattern[str], text: str) -> dict[int, str]:
    """Number -> the text up to the next number. A number out of turn belongs to the text."""
    starts: list[re.Match[str]] = []
    for match in pattern.finditer(text):
        if int(match[1]) == len(starts) + 1:
            starts.append(match)
    ends = [match.start() for match in starts[1:]] + [len(text)]
    return {int(m[1]): text[m.end() : end].strip() for m, end in zip(starts, ends, strict=True)}
