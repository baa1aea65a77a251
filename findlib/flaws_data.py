"""FindTheFlaws' sets: from the authors' archive, in memory, or from files of the same shape."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from .data import jsonl_rows
from .paths import FindlibError, output, source
from .records import Document

CORRECT, FLAWED, AMBIGUOUS = "CORRECT", "FLAWED", "AMBIGUOUS"
PASSWORD = b"findtheflaws"  # published by the authors, to keep the texts out of training corpora
URL = "https://github.com/modulo-research/findtheflaws/raw/main/datasets.zip"
SHA256 = "710bc9b9d0b99226372062592d2072b39b0b7bc7ecfabc6698f334c6342fafd0"
MOST_BYTES = 200_000_000  # unpacked
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


def load(path: str | Path, sets: Sequence[str] = (), reliable: bool = True) -> list[Item]:
    """The items of the named sets (all that are there for none), in the order of SETS and file.

    ``path``: the authors' archive (.zip, decrypted in memory only), or a folder with the
    same files as .csv or .jsonl. ``reliable``: without the items flagged unreliable
    (sections 4.1.2 to 4.1.4). Raises FindlibError naming file, row, column and the mend.

    >>> items = load("data/sample/flaws", ["medqa"])
    >>> items[0].item_id, items[0].gold
    ('medqa/s-med-1', 'FLAWED')
    """
    unknown = [name for name in sets if name not in SETS]
    if unknown:
        raise FindlibError(f"unknown set(s) {unknown}; known: {', '.join(SETS)}")
    where = source(path)
    files = _archive(where) if where.is_file() else _folder(where)
    wanted = [name for name in SETS if name in sets or not sets]
    missing = [name for name in sets if SETS[name][0] not in files]
    if missing or not files:
        raise FindlibError(f"{path}: holds no {SETS[missing[0]][0] if missing else 'known set'}; "
                           "see data/README.md for the files")  # fmt: skip
    items = [item for name in wanted if SETS[name][0] in files
             for item in _items(name, files[SETS[name][0]])]  # fmt: skip
    name, times = Counter(item.item_id for item in items).most_common(1)[0] if items else ("", 0)
    if times > 1:
        raise FindlibError(f"{path}: {name!r} stands there {times} times; ids must be unique")
    return [item for item in items if item.reliable or not reliable]


def download(folder: str | Path = "data/raw", url: str = URL, sha256: str = SHA256) -> Path:
    """Fetch the authors' archive once and check its checksum (pooch); returns its path.

    It stays encrypted on disk. Raises FindlibError when it cannot be had or differs.
    """
    import pooch

    target = output() / folder
    pooch.get_logger().setLevel("ERROR")
    try:
        return Path(pooch.retrieve(url, f"sha256:{sha256}", "findtheflaws.zip", target))
    except Exception as error:
        raise FindlibError(
            f"{url}: not fetched ({type(error).__name__}: {' '.join(str(error).split())[:200]}); "
            f"put the authors' datasets.zip at {folder}/findtheflaws.zip yourself"
        ) from None


Rows = Callable[[], Iterator[tuple[str, Mapping[str, Any]]]]


def _archive(path: Path) -> dict[str, Rows]:
    """File stem -> its rows, from an encrypted archive; nothing is written anywhere."""
    import pyzipper

    try:
        with pyzipper.AESZipFile(path) as archive:
            archive.setpassword(PASSWORD)
            names = {_stem(name): name for name in archive.namelist() if name.endswith(".csv")}
            if sum(info.file_size for info in archive.infolist()) > MOST_BYTES:
                raise FindlibError(f"{path}: unpacks to over {MOST_BYTES:,} bytes")
            texts = {stem: archive.read(name) for stem, name in names.items() if _known(stem)}
    except (pyzipper.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError) as error:
        raise FindlibError(
            f"{path}: not the authors' archive of FindTheFlaws ({error}); download it again"
        ) from None
    return {stem: _csv(f"{path}, {names[stem]}", content) for stem, content in texts.items()}


def _folder(path: Path) -> dict[str, Rows]:
    found: dict[str, Rows] = {}
    for file in sorted(path.glob("*")):
        if file.suffix == ".csv" and _known(_stem(file.name)):
            found[_stem(file.name)] = _csv(str(file), file.read_bytes())
        elif file.suffix == ".jsonl" and _known(_stem(file.name)):
            found[_stem(file.name)] = _jsonl(file)
    return found


def _stem(name: str) -> str:
    return Path(name).stem.removesuffix("_final")


def _known(stem: str) -> bool:
    return stem in {file for file, _ in SETS.values()}


def _csv(where: str, content: bytes) -> Rows:
    def rows() -> Iterator[tuple[str, Mapping[str, Any]]]:
        try:
            text = content.decode("utf-8-sig")
            for number, row in enumerate(csv.DictReader(io.StringIO(text, newline="")), start=1):
                yield f"{where}, row {number}", row
        except (UnicodeDecodeError, csv.Error) as error:
            raise FindlibError(f"{where}: not a CSV file in UTF-8 ({error})") from None

    return rows


def _jsonl(file: Path) -> Rows:
    def rows() -> Iterator[tuple[str, Mapping[str, Any]]]:
        for number, row in jsonl_rows(file):
            yield f"{file}, line {number}", row

    return rows


def _items(name: str, rows: Rows) -> Iterator[Item]:
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


def expert_error(sentence: Sentence) -> str:
    """What the reviewers who flagged a sentence say of it, one after the other."""
    return "\n".join(comment for comment in sentence.comments if not no_flaw(comment))


def select(items: Sequence[Item], limit: int = 0) -> list[Item]:
    """The items of the first ``limit`` questions of each set (0 for all), in order.

    Raises FindlibError for a negative limit.
    """
    if limit < 0:
        raise FindlibError(f"limit {limit} is negative; use 0 for all questions")
    place: dict[str, dict[str, int]] = {}
    for item in items:
        questions = place.setdefault(item.dataset, {})
        questions.setdefault(item.question_id, len(questions))
    return [i for i in items if not limit or place[i.dataset][i.question_id] < limit]


def as_documents(items: Iterable[Item]) -> list[Document]:
    """The items as Documents, for the data hash of manifests and signatures."""
    return [
        Document(i.item_id, f"{i.question}\n{i.code}\n{i.solution}", i.dataset,
                 i.error or "\n".join(f"{s.label} {expert_error(s)}" for s in i.sentences),
                 error_type=i.gold)
        for i in items
    ]  # fmt: skip
