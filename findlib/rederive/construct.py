"""The printed numbers of CONSTRUCT, recomputed from each other."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import product

import pandas as pd

from .. import published
from .consistency import counts, fits, interval, same
from .verdict import CONSISTENT, READING, UNDERIVABLE, Claim, holds, listed

EXAMPLES = {
    "Financial Entities Extraction": ("Appendix A.1", "Appendix B.1"),
    "PII Extraction": ("Appendix A.2", ""),
    "Insurance Claims Extraction": ("Appendix A.3", ""),
    "Data Table Analysis": ("Appendix A.4", "Appendix B.4"),
}
MOST = 3_000  # documents of a data set that are tried
EVEN = ("field accuracy", "document accuracy")


def claims(construct: pd.DataFrame) -> list[Claim]:
    """Every claim of CONSTRUCT that other numbers of it bear on."""
    made = (_sizes, _automated, _dominates, _bounds, _whole, _likert, _twice, _means, _documents,
            _table, _dates, _weekday, _ratings, _costs)  # fmt: skip
    return [*(_fields(construct, name) for name in EXAMPLES), *(claim(construct) for claim in made)]


def _names(construct: pd.DataFrame, table: str, part: str = "output fields") -> list[str]:
    cells = published.table(table, construct)
    return list(cells[cells.part == part].row)


def _fields(construct: pd.DataFrame, name: str) -> Claim:
    """Fields of a data set: as said, and as its example outputs have them."""
    text = published.said(f"fields, {name}", construct)
    found = {a: len(_names(construct, a)) or len(_names(construct, a, "field score"))
             for a in EXAMPLES[name] if a}  # fmt: skip
    where = published.table(published.TEXT, construct).set_index("row").part[f"fields, {name}"]
    good, words = all(fits(text, n) for n in found.values()), listed(
        f"{place} {n}" for place, n in found.items())  # fmt: skip
    return Claim(f"C.fields.{name.split()[0]}", f"{where} vs {', '.join(found)}",
                 f"fields of {name}", "fields of the example outputs", text, words, holds(good),
                 "" if good else f"{where} says {text} fields; example outputs have: {words} "
                 f"({listed(_names(construct, EXAMPLES[name][0]))}).")  # fmt: skip


def _accuracies(construct: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Table 1 as printed: a row a data set, a column a model, by kind of accuracy."""
    return {part: published.cells("1", part, construct) for part in EVEN}


def _sizes(construct: pd.DataFrame) -> Claim:
    said = [published.said(n, construct) for n in
            ("benchmark data sets", "benchmarked models", "models studied")]  # fmt: skip
    sets, models = _accuracies(construct)[EVEN[0]].shape
    return Claim("C.sizes", "Sections 1, 6.2 vs Table 1", "data sets and models", "rows, columns",
                 listed(said), f"{sets}; {models}",
                 holds(said == [str(sets), str(models), str(models)]))  # fmt: skip


def _automated(construct: pd.DataFrame) -> Claim:
    hand, rest = ([published.said(f"{kind}, {end}", construct) for end in ("lowest", "highest")]
                  for kind in ("cases by hand", "automated"))  # fmt: skip
    found = [100 - int(text) for text in reversed(hand)]
    return Claim("C.automated", "Section 1", "share automated", "100% - share by hand",
                 "–".join(rest), f"{found[0]}–{found[1]}",
                 holds(list(map(int, rest)) == found))  # fmt: skip


def _dominates(construct: pd.DataFrame) -> Claim:
    best = set()
    for part in _accuracies(construct).values():
        for _, row in part.astype(float).iterrows():
            best.add(frozenset(row.index[row == row.max()]))
    common = frozenset.intersection(*best)
    return Claim("C.best", "Section 5 vs Table 1", "no model is best on all data sets",
                 "models with the highest accuracy, by row", "none",
                 f"in every row: {listed(sorted(common))}", holds(not common))  # fmt: skip


def _bounds(construct: pd.DataFrame) -> Claim:
    """A wrong document has from one to all of its fields wrong."""
    parts, off, tried = _accuracies(construct), [], 0
    for name, row in parts[EVEN[0]].iterrows():
        width = int(published.said(f"fields, {name}", construct))
        for model, text in row.items():
            wrong_fields = [1 - end for end in reversed(interval(text))]
            wrong = [1 - end for end in reversed(interval(parts[EVEN[1]].loc[name, model]))]
            tried += 1
            if wrong_fields[0] > wrong[1] or wrong[0] > width * wrong_fields[1]:
                off.append(f"{name} {model}")
    return Claim("C.bounds", "Table 1", "field and document accuracy are possible together",
                 "wrong fields / fields <= wrong documents <= wrong fields", f"{tried} pairs",
                 f"{tried - len(off)} possible", holds(not off, so=CONSISTENT),
                 listed(off) if off else "")  # fmt: skip


def document_counts(construct: pd.DataFrame, name: str) -> list[int]:
    """Numbers of documents that give a data set's ten accuracies in Table 1 as whole counts,
    the least ones (up to three)."""
    width = int(published.said(f"fields, {name}", construct))
    parts, found = _accuracies(construct), []
    for n in range(1, MOST):
        if all(counts(t, n, 1) for t in parts[EVEN[1]].loc[name]) and all(
            counts(t, n * width, 1) for t in parts[EVEN[0]].loc[name]
        ):
            found.append(n)
        if len(found) > 2:
            break
    return found


def _whole(construct: pd.DataFrame) -> Claim:
    found = {name: document_counts(construct, name) for name in EXAMPLES}
    return Claim("C.documents", "Table 1", "accuracies are whole numbers of documents and fields",
                 "k / n and k / (n x fields); n is not printed", f"{len(found)} data sets",
                 listed(f"{name} {n}" for name, n in found.items()),
                 holds(all(found.values()), so=CONSISTENT))  # fmt: skip


def _likert(construct: pd.DataFrame) -> Claim:
    cells = published.table("Appendix E.3", construct)
    said, values = published.said("Likert options", construct), list(cells.value.astype(float))
    even = [1 - i / (len(values) - 1) for i in range(len(values))]
    return Claim("C.likert", "Appendix E.3", "Likert options and their scores", "equal steps",
                 f"{said}: {listed(cells.value)}", f"{len(even)}: {listed(even)}",
                 holds(values == even and said == str(len(values))))  # fmt: skip


def _scores(construct: pd.DataFrame, table: str) -> pd.Series:
    cells = published.table(table, construct)
    return cells[cells.part == "field score"].set_index("row").value


def _twice(construct: pd.DataFrame) -> Claim:
    cells = published.table("Section 1", construct)
    low = cells[cells.part == "untrustworthy field"].set_index("row").value
    every = _scores(construct, "Section 1")
    rest = every.drop(low.index).astype(float)
    good = all(same(every[f], text) for f, text in low.items())
    return Claim("C.example", "Section 1", "untrustworthy fields of the example",
                 "the same score twice; lower than all others", listed(low),
                 listed(every[low.index]),
                 holds(good and low.astype(float).max() < rest.min()))  # fmt: skip


def _means(construct: pd.DataFrame) -> Claim:
    """Are the scores of Appendix B means of four calls, two of which give alpha or beta?"""
    tables = [f"Appendix B.{i}" for i in range(1, 5)]
    scores = [float(t) for table in tables for t in _scores(construct, table)]
    alpha = 2 * min(scores)
    beta = 2 * max(scores) - 1
    likert = published.table("Appendix E.3", construct).value.astype(float)
    sums = {round(100 * (a + b + c)) for a, b in product((alpha, beta), repeat=2) for c in likert}
    step = int(published.said("numeric score, highest", construct))
    off = [s for s in set(scores)
           if not any(total <= round(4 * 100 * s, 6) <= total + step and
                      float(round(4 * 100 * s, 6)).is_integer() for total in sums)]  # fmt: skip
    outside = [t for t in _scores(construct, "Section 1")
               if not min(scores) <= float(t) <= max(scores)]  # fmt: skip
    return Claim(
        "C.scores", "Section 3.2, Appendices B, E", "field scores are means of four calls",
        "(numeric + Likert + two of alpha, beta) / 4; alpha, beta are not printed: from the "
        "least and the largest score", f"{len(set(scores))} different scores",
        f"alpha {alpha:.2f}, beta {beta:.2f}; {len(set(scores)) - len(off)} possible",
        holds(not off, so=CONSISTENT),
        f"Section 1's {listed(outside)} are beyond: another alpha, beta or number of calls."
        if outside else "",
    )  # fmt: skip


def _documents(construct: pd.DataFrame) -> Claim:
    scores = _scores(construct, "Appendix B.1").astype(float)
    cells = published.table("Appendix B.1", construct)
    text = cells[cells.part == "document score"].value.iloc[0]
    harmonic = len(scores) / (1 / scores).sum()
    return Claim("C.document", "Section 3.2, Appendix B.1", "document score of the first example",
                 "averages several scores, of which only the fields' means are printed", text,
                 f"harmonic mean of the printed field scores: {harmonic:.4f}",
                 UNDERIVABLE)  # fmt: skip


def _table(construct: pd.DataFrame) -> Claim:
    """The example table of Appendix A.4 beside the output printed for it."""
    lines, output = (published.cells("Appendix A.4", part, construct) for part in
                     ("input", "output"))  # fmt: skip
    columns = int(float(output.loc["num_columns", "value"]))
    wide = lines.notna() & (lines != "")
    off = [line for line in lines.index if wide.loc[line, wide.columns[columns:]].any()]
    cells = {line: listed(lines.loc[line].dropna()) for line in off}
    rows = len(lines) == int(float(output.loc["num_rows", "value"]))
    low = output.loc["column_min", "Beta"]
    return Claim(
        "C.table", "Appendix A.4", "the example table has the printed rows and columns", "count",
        f"{len(lines) if rows else output.loc['num_rows', 'value']} rows, {columns} columns",
        f"{len(lines)} rows; more than {columns} cells in: {listed(off)}",
        holds(rows and not off, READING),
        f"{listed(f'{k}: {v}' for k, v in cells.items())}. The printed least value of Beta, {low}, "
        "fits only if the second cell belongs to the identifier before it." if off else "",
    )  # fmt: skip


def _dates(construct: pd.DataFrame) -> Claim:
    report, incident, start, end = (
        date.fromisoformat(published.said(name, construct)) for name in
        ("report date", "incident date, one day before", "effective date", "expiration date")
    )  # fmt: skip
    years = int(published.said("years valid", construct))
    found = report - timedelta(days=1), start.replace(year=start.year + years)
    damage = [published.said(f"damage {how}", construct) for how in ("in the claim", "extracted")]
    return Claim("C.dates", "Appendix A.3", "dates and damage of the example claim",
                 "a day before the report; start + years; the same twice",
                 f"{incident}; {end}; {damage[1]}", f"{found[0]}; {found[1]}; {damage[0]}",
                 holds(found == (incident, end) and same(*damage)))  # fmt: skip


def _weekday(construct: pd.DataFrame) -> Claim:
    day = date.fromisoformat(published.said("incident date", construct))
    text, found = published.said("weekday of the incident", construct), f"{day:%A}"
    return Claim("C.weekday", "Appendix B.3", f"weekday of {day}", "calendar", text, found,
                 holds(text == found, READING),
                 "" if text == found else
                 f"{day} was a {found}; the example's speaker says {text}.")  # fmt: skip


def _ratings(construct: pd.DataFrame) -> Claim:
    asked, allowed = ([published.said(f"{kind} rating, {end}", construct) for end in
                       ("lowest", "highest")] for kind in ("prompted", "schema"))  # fmt: skip
    return Claim("C.ratings", "Appendix F.2", "scale of the single-call judge", "the same twice",
                 " to ".join(asked), " to ".join(allowed), holds(asked == allowed, READING),
                 "" if asked == allowed else
                 f"The prompt asks for {' to '.join(asked)}, the schema allows "
                 f"{' to '.join(allowed)}.")  # fmt: skip


def _costs(construct: pd.DataFrame) -> Claim:
    cells = published.table(published.TEXT, construct)
    said = cells[cells.part == "Section 5"]
    return Claim("C.costs", "Section 5", "cost and latency ratios", "costs and latencies",
                 listed(said.value), "not printed", UNDERIVABLE)  # fmt: skip
