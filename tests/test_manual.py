"""Manual grading: the draw, the sheet on disk, what two graders settle, Table 5 to the digit."""

import multiprocessing
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from findlib import find, manual, published
from findlib.manual import gradesheet, grading_tables, scoring
from findlib.manual.gradesheet import AGREED, COLUMNS, Row, SheetChanged
from findlib.paths import FindlibError, root
from findlib.records import ANSWERS, GRADES, RESPONSES, SOURCES, Document


def small_run(sources=("S-EMP", "S-PRE"), documents=3, answers=2, models=("m",), task=0.0):
    """A run's tables: every model gives ``answers`` answers on every document."""
    texts = [
        Document(f"{s}-{i}", f"Text {i} of {s}.", s, "d", (f"Text {i}",), "numeric")
        for s in sources
        for i in range(documents)
    ]
    rows = [
        {"doc_id": d.doc_id, "source": d.source, "model": m, "sample": 0, "answer": n, "window": 0,
         "evidence": [f"Text {n}"], "description": f"description {n}", "status": "ok", "reason": ""}
        for m in models for d in texts for n in range(answers)
    ]  # fmt: skip
    replies = [
        {**dict.fromkeys(RESPONSES, 0), "doc_id": d.doc_id, "source": d.source, "model": m,
         "sample": 0, "status": "ok"}
        for m in models for d in texts
    ]  # fmt: skip
    graded = pd.DataFrame(rows).reindex(columns=list(GRADES))
    graded = graded.assign(task=task, evidence=0.0, description=0.0, judge_status="ok")
    return (
        texts,
        pd.DataFrame(rows, columns=list(ANSWERS)),
        pd.DataFrame(replies, columns=list(RESPONSES)),
        graded,
    )


def drawn(**more):
    documents, answers, responses, grades = small_run(**more)
    return manual.sample(documents, answers, responses, grades, sorted(set(responses.model)))


def graded(rows, grader, *grades, **more):
    """The rows as one grader graded them, in order; "" for not yet."""
    return [replace(r, grader=grader, grade=g, **more) for r, g in zip(rows, grades, strict=True)]


# ---- the draw


def test_the_draw_is_seeded_and_knows_no_order():
    """A property: shuffled tables and other models draw the same; another seed does not."""
    documents, answers, responses, grades = small_run(documents=40, models=("a", "b"))
    first = manual.sample(documents, answers, responses, grades, ["a"], 5)
    mixed = [t.sample(frac=1, random_state=1) for t in (answers, responses, grades)]
    again = manual.sample(documents[::-1], *mixed, ["a"], 5)
    assert again.answers == first.answers
    assert again.documents.equals(first.documents)
    assert first.documents.groupby("source").size().tolist() == [5, 5]
    both = manual.sample(documents, answers, responses, grades, ["a", "b"], 5)
    assert set(both.documents.doc_id) == set(first.documents.doc_id)
    other = manual.sample(documents, answers, responses, grades, ["a"], 5, seed=1)
    assert set(other.documents.doc_id) != set(first.documents.doc_id)


def test_every_document_is_as_likely_to_be_drawn():
    """1 in 4 of 40 documents over 200 seeds: each about 50 times (binomial, 6 sd = 37)."""
    documents, answers, responses, grades = small_run(("PG",), 40, 1)
    counts = pd.Series(0, index=[d.doc_id for d in documents])
    for seed in range(200):
        sample = manual.sample(documents, answers, responses, grades, ["m"], 10, seed)
        counts[sample.documents.doc_id] += 1
    assert counts.sum() == 2000
    assert counts.between(13, 87).all()


def test_a_short_source_is_taken_whole_and_said():
    sample = drawn(documents=3)
    assert len(sample.documents) == 6
    assert sample.notes == ("Fewer than 25 documents, all taken: S-EMP 3, S-PRE 3.",)


def test_all_eight_groups_of_section_7_are_drawn_in_their_order():
    groups = ["BLS", "PRE", "SEC", "EMM", "PG", "MFR", "cs.CL-Ctrl", "cs.CL-Idnt"]
    documents, answers, responses, grades = small_run(groups[::-1], 30, 1)
    sample = manual.sample(documents, answers, responses, grades, ["m"])
    assert sample.documents.groupby("source", sort=False).size().to_dict() == dict.fromkeys(
        groups, 25
    )
    assert sample.notes == ()


def test_failed_and_malformed_are_counted_and_not_graded():
    documents, answers, responses, grades = small_run()
    answers.loc[0, "status"] = "malformed"
    responses.loc[1, "status"] = "refused"
    sample = manual.sample(documents, answers, responses, grades, ["m"])
    assert len(sample.answers) == 11
    assert "m: 1 of 6 responses failed, 1 malformed" in sample.notes[-1]


def test_unknown_models_and_empty_draws_are_refused():
    documents, answers, responses, grades = small_run()
    for models in (["x"], []):
        with pytest.raises(FindlibError, match="it holds: m"):
            manual.sample(documents, answers, responses, grades, models)
    with pytest.raises(FindlibError, match="1 or more"):
        manual.sample(documents, answers, responses, grades, ["m"], 0)
    with pytest.raises(FindlibError, match="no grader"):
        manual.blank(drawn(), " ")


def test_the_best_model_is_that_of_the_task_score():
    scores = pd.DataFrame({"model": ["b", "a", "c", "c"], "task": [0.5, 0.5, 1, 0],
                           "evidence": [0.2, 0.2, 0.1, 0.2]})  # fmt: skip
    assert manual.best_model(scores) == "a"  # equal tasks, then evidence .2 over .15, then name
    assert manual.best_model(scores.assign(task=[0.6, 0.5, 1, 0])) == "b"


def test_each_grader_has_an_order_of_documents_and_keeps_answers_together():
    sample = drawn(documents=8)
    one, two = (manual.blank(sample, name) for name in ("one", " two "))
    assert [r.doc_id for r in one] != [r.doc_id for r in two]
    assert sorted(r.digest for r in one) == sorted(r.digest for r in two)
    for rows in (one, two):
        assert [r.answer for r in rows] == [0, 1] * 16
        assert manual.blank(sample, rows[0].grader) == rows


# ---- the sheet


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1).filter(
    str.strip
)


@given(st.lists(st.tuples(TEXTS, TEXTS, st.sampled_from(["", *gradesheet.GRADES]), st.booleans(),
                          st.text(st.characters(codec="utf-8", exclude_characters="\0\r")))))  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_a_sheet_is_read_as_it_was_written(tmp_path_factory, cells):
    """A property: any text comes back, formulas, quotes and line breaks included."""
    rows = [
        Row(doc, "S-EMP", "m", i, "x0", "true", "[]", text, "me", grade, tick, not tick, note)
        for i, (doc, text, grade, tick, note) in enumerate(cells)
    ]
    path = tmp_path_factory.mktemp("s") / "sheet.csv"
    gradesheet.write(path, rows)
    assert gradesheet.read(path) == rows


def test_a_sheet_opens_in_a_spreadsheet(tmp_path):
    """No cell starts as a formula; the mark tells spreadsheets that the file is UTF-8."""
    row = replace(drawn().answers[0], grader="me", description="=HYPERLINK(1)", note="-1+2")
    content = gradesheet.write(tmp_path / "s.csv", [row]).read_bytes()
    assert content.startswith(b"\xef\xbb\xbfdoc_id,source,model,answer,digest")
    assert b"'=HYPERLINK(1)" in content
    assert b",'-1+2" in content
    assert row.digest.startswith("x")  # not 1e5 or 000123, which a spreadsheet would change
    # as a spreadsheet saves it: CRLF, capital ticks, an empty last line
    text = content.decode("utf-8-sig").replace("false,false", "TRUE,FALSE").replace("\n", "\r\n")
    (tmp_path / "s.csv").write_bytes((text + "," * (len(COLUMNS) - 1) + "\r\n").encode())
    assert gradesheet.read(tmp_path / "s.csv") == [replace(row, helpful=True)]


def sheet_text(**cells):
    good = {**dict.fromkeys(COLUMNS, ""), "doc_id": "d", "source": "s", "model": "m", "answer": "0",
            "digest": "x1", "grader": "me"}  # fmt: skip
    return ",".join(COLUMNS) + "\n" + ",".join({**good, **cells}.values()) + "\n"


@pytest.mark.parametrize(("content", "message"), [
    (sheet_text(grade="maybe"), "s.csv, row 2: grade 'maybe' is unknown; write real, not, unsure"),
    (sheet_text(helpful="7"), "row 2: helpful '7' is unknown; write true, false"),
    (sheet_text(answer="1.5"), "row 2: answer '1.5' is no whole number"),
    (sheet_text(answer="-1"), "row 2: answer '-1' is no whole number"),
    (sheet_text(grader=" "), "row 2: grader is empty"),
    (sheet_text() + sheet_text().split("\n")[1], "row 3: 'me' has answer 0 of m on 'd' already in s.csv, row 2"),
    (sheet_text().replace(",", ";"), "the columns are not those"),
    (sheet_text().replace("note", "notes"), "the columns are not those"),
    (sheet_text().replace("\n", ",x\n").replace("note,x", "note"), "the columns are not those"),
    (sheet_text() + "a," * 20, "not a CSV"),
    (sheet_text(note='"open'), "not a CSV"),
    ("", "not a CSV"),
    (b"\xff\xfe\x00", "is not UTF-8"),
    (sheet_text(note="caf\xe9").encode("latin-1"), "convert the file to UTF-8"),
])  # fmt: skip
def test_a_broken_sheet_gives_one_clear_line(tmp_path, content, message):
    path = tmp_path / "s.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FindlibError) as error:
        gradesheet.read(path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_no_sheet_no_folder_and_a_read_only_place(tmp_path):
    with pytest.raises(FindlibError, match="cannot be read"):
        gradesheet.read(tmp_path / "none.csv")
    (tmp_path / "file").write_text("")
    with pytest.raises(FindlibError, match="cannot be written"):
        gradesheet.add(tmp_path / "file" / "s.csv", [])


def test_an_empty_sheet_and_a_huge_cell(tmp_path):
    path = tmp_path / "s.csv"
    gradesheet.write(path, [])
    assert gradesheet.read(path) == []
    row = replace(drawn().answers[0], grader="me", description="long " * 100_000)
    gradesheet.write(path, [row])
    assert gradesheet.read(path) == [row]


def test_what_cannot_be_written_is_cleaned_and_the_rest_stays(tmp_path):
    row = replace(drawn().answers[0], grader="me")
    rows = gradesheet.record(tmp_path / "s.csv", replace(row, note="a\0b\ud800\r\nc"), row)
    assert rows[0].note == "ab?\nc"
    assert gradesheet.read(tmp_path / "s.csv") == rows


def test_a_record_keeps_what_others_wrote(tmp_path):
    path = tmp_path / "s.csv"
    one, two = drawn().answers[:2]
    one, two = replace(one, grader="me"), replace(two, grader="you", grade="not", note="kept")
    gradesheet.record(path, replace(one, grade="real"), one)
    gradesheet.add(path, [two])  # another process
    rows = gradesheet.record(path, replace(one, grade="unsure"), replace(one, grade="real"))
    assert rows == gradesheet.read(path) == [replace(one, grade="unsure"), two]
    assert gradesheet.add(path, [replace(two, grade="real"), replace(two, grader="third")]) == 1
    assert gradesheet.read(path)[1] == two


def test_a_grade_changed_elsewhere_is_not_overwritten_unseen(tmp_path):
    path = tmp_path / "s.csv"
    row = replace(drawn().answers[0], grader="me")
    gradesheet.record(path, replace(row, grade="real"), row)
    with pytest.raises(SheetChanged, match="graded elsewhere meanwhile: real"):
        gradesheet.record(path, replace(row, grade="not"), row)
    assert gradesheet.read(path)[0].grade == "real"


def test_a_changed_answer_keeps_its_old_grade_beside_the_new(tmp_path):
    path = tmp_path / "s.csv"
    row = replace(drawn().answers[0], grader="me", grade="real")
    gradesheet.write(path, [row])
    changed = replace(row, digest="xother", grade="")
    gradesheet.record(path, replace(changed, grade="not"), changed)
    assert [r.grade for r in gradesheet.read(path)] == ["real", "not"]


def _write_some(path, rows):
    for row in rows:
        gradesheet.record(path, row, replace(row, grade=""))


def test_two_processes_lose_nothing(tmp_path):
    path = tmp_path / "s.csv"
    rows = [graded(drawn(documents=10).answers, name, *["real"] * 40) for name in ("a", "b")]
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_write_some, args=(path, part)) for part in rows]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    assert {r.key for r in gradesheet.read(path)} == {r.key for part in rows for r in part}


def test_two_sheets_are_read_together(tmp_path):
    rows = drawn().answers
    paths = [gradesheet.write(tmp_path / f"{g}.csv", [replace(rows[0], grader=g)]) for g in "ab"]
    assert [r.grader for r in gradesheet.read(*paths)] == ["a", "b"]
    gradesheet.write(paths[1], [replace(rows[0], grader="a")])
    with pytest.raises(FindlibError, match=r"b.csv, row 2: 'a' has answer 0 .* already in a.csv"):
        gradesheet.read(*paths)


# ---- what two graders settle


def test_states_of_the_answers_by_hand():
    """Six answers: agreed, differ, differ and settled, one grader only, none, agreed but for
    helpful."""
    sample = drawn(documents=3, sources=("S-EMP",))
    rows = [
        *graded(sample.answers, "a", "real", "real", "not", "not", "", "not"),
        *graded(sample.answers[:5], "b", "real", "not", "unsure", "", ""),
        *graded(sample.answers[5:], "b", "not", helpful=True),
        *graded(sample.answers[2:3], AGREED, "real"),
    ]
    settled = manual.settle(sample, rows)
    states = ["both", "undeliberated", "deliberated", "once", "ungraded", "undeliberated"]
    assert settled.answers.state.tolist() == states
    assert settled.answers.grade.tolist() == ["real", "", "real", "", "", ""]
    assert settled.disputed == [1, 2, 5]
    todo = manual.deliberation(settled)
    assert [(r.answer, r.grader, r.grade) for r in todo] == [(1, AGREED, ""), (0, AGREED, ""), (1, AGREED, "")]  # fmt: skip
    assert todo[0].note == "a: real | b: not"
    assert todo[2].note == "a: not | b: not, helpful"
    rates = scoring.precision(settled).iloc[0]
    assert (rates.answers, rates.graded, rates.undeliberated, rates.ungraded) == (6, 2, 2, 2)
    assert (rates.real, rates.precision, rates.per_document) == (2, 1.0, 2.0)


def test_one_grader_is_final_and_three_must_be_named():
    sample = drawn(documents=1, sources=("S-EMP",))
    alone = manual.settle(sample, graded(sample.answers, "a", "real", "not"))
    assert alone.answers.state.tolist() == ["single", "single"]
    assert alone.disputed == []
    assert grading_tables.agreements(alone) == {}
    with pytest.raises(FindlibError, match="two graders"):
        manual.deliberation(alone)
    three = [r for g in "abc" for r in graded(sample.answers, g, "real", "not")]
    with pytest.raises(FindlibError, match="name one or two of those who graded this: a, b, c"):
        manual.settle(sample, three)
    assert manual.settle(sample, three, ["c", "a"]).graders == ("c", "a")
    with pytest.raises(FindlibError, match="graders x: name"):
        manual.settle(sample, three, ["a", "x"])
    assert manual.settle(sample, []).graders == ()


def test_agreement_is_that_of_another_implementation():
    """scikit-learn's kappa over the three categories."""
    sample = drawn(documents=5)
    menu = gradesheet.GRADES
    first, second = (np.random.default_rng(s).choice(menu, len(sample.answers)) for s in (1, 2))
    rows = [*graded(sample.answers, "a", *first), *graded(sample.answers, "b", *second)]
    found = grading_tables.agreements(manual.settle(sample, rows))
    assert found["grade"].kappa == pytest.approx(cohen_kappa_score(first, second))
    both = [values == "real" for values in (first, second)]
    assert found["useful"].kappa == pytest.approx(cohen_kappa_score(*both))
    shown = grading_tables.agreement_table(manual.settle(sample, rows), "sig").shown
    printed = shown[shown.origin != "this run"]  # FIND, section 7.1
    assert printed["Cohen's kappa"].tolist() == ["0.31", "0.38"]
    assert printed.agreed.tolist() == ["58.8%", "67.8%"]


@pytest.mark.parametrize("change", ["description", "evidence", "text", "gone"])
def test_grades_of_answers_that_changed_do_not_count(change):
    documents, answers, responses, grades = small_run(("S-EMP",), 1)
    before = manual.sample(documents, answers, responses, grades, ["m"])
    rows = graded(before.answers, "a", "real", "real")
    if change == "gone":
        answers = answers.drop(index=1)
    elif change == "text":
        documents = [replace(documents[0], text=documents[0].text + " More.")]
    else:
        answers.at[1, change] = "new" if change == "description" else ["Text 0 of"]
    settled = manual.settle(manual.sample(documents, answers, responses, grades, ["m"]), rows)
    stale = 2 if change == "text" else 1
    assert (settled.answers.state == "single").sum() == 2 - stale
    assert f"{stale} grade(s) not counted, of answers that changed or are gone" in settled.notes[0]
    assert "m S-EMP-0 answer 1" in settled.notes[0]


def test_grades_outside_the_draw_are_told():
    documents, answers, responses, grades = small_run(("S-EMP",), 4)
    everything = manual.sample(documents, answers, responses, grades, ["m"])
    some = manual.sample(documents, answers, responses, grades, ["m"], 1)
    settled = manual.settle(some, graded(everything.answers, "a", *["real"] * 8))
    assert settled.notes == ("6 grade(s) not counted, of documents or models outside this sample.",)
    other = [replace(r, model="other", grader=g, grade="real") for g in "bcd" for r in some.answers]
    both = manual.settle(some, [*graded(some.answers, "a", "real", "not"), *other])
    assert both.graders == ("a",)  # who graded something else is no grader here
    assert both.answers.state.tolist() == ["single", "single"]


# ---- Table 5


def printed_counts():
    """The only integers over 25 documents that print as Table 5 does, column by column."""
    cells = published.table("5").pivot(index="column", columns="metric", values="value")
    found = {}
    for column, cell in cells.drop(index="AVG").iterrows():
        fits = [
            (n, real, useful)
            for n in range(1, 200)
            if f"{n / 25:.1f}" == cell["I/D"]
            for real, useful in product(range(n + 1), repeat=2)
            if real <= useful
            and f"{100 * real / n:.1f}" == cell["P"]
            and f"{100 * useful / n:.1f}" == cell["U"]
        ]
        assert len(fits) == 1, column
        found[column] = fits[0]
    return found


def settled_of(counts, matched=None):
    """A graded sample with these (answers, real, useful) per source, 25 documents each; the
    first ``matched`` real answers of a source match the expected inconsistency."""
    documents, rows = [], []
    for source, (n, real, useful) in counts.items():
        documents += [("gpt-5", source, f"{source}-{i}", "ok") for i in range(25)]
        for i in range(n):
            grade = "real" if i < real else "not"
            expected = "true" if i < (matched or {}).get(source, 0) else "false"
            rows.append([f"{source}-{i % 25}", source, "gpt-5", i, expected, "both", grade,
                         i < useful, False])  # fmt: skip
    table = pd.DataFrame(documents, columns=["model", "source", "doc_id", "status"])
    answers = pd.DataFrame(rows, columns=manual._ANSWER_COLUMNS)
    return manual.Settled(manual.Sample(table, (), ()), ("a", "b"), answers, {}, ())


TWINS = {twin: code for code, (_, twin) in SOURCES.items() if not code.startswith("S-")}


def test_table_5_of_find_to_the_digit():
    """FIND, Table 5: all eight columns and AVG, from the integers behind them."""
    counts = printed_counts()
    assert counts["BLS"] == (43, 28, 30)
    rates = scoring.precision(settled_of({TWINS[c]: n for c, n in counts.items()}))
    shown = grading_tables.precision(rates, "sig").shown
    own = shown[shown.origin == "this run"].set_index("source")
    printed = shown[shown.origin != "this run"].set_index("source")
    assert set(own.index.map(lambda s: SOURCES.get(s, ("", s))[1])) == set(printed.index)
    for source, row in own.iterrows():
        want = printed.loc["AVG" if source == "AVG" else SOURCES[source][1]]
        assert row["Î/D"] == want["Î/D"]
        for column in ("P (%)", "U (%)"):
            assert row[column].split(" [")[0] == want[column], (source, column)
    assert own["graded"]["BLS"] == "43 of 43"
    assert own["Docs"]["AVG"] == "125"


def test_avg_is_the_mean_of_the_five_sources_or_of_all_there_are():
    assert grading_tables.averaged(["BLS", "PG", "MFR", "cs.CL-Ctrl"]) == ["BLS", "PG"]
    assert grading_tables.averaged(["S-EMP", "WILD"]) == ["S-EMP", "WILD"]
    note = grading_tables.precision(scoring.precision(settled_of({"BLS": (4, 2, 2), "MFR": (1, 1, 1)})), "s").notes[1]  # fmt: skip
    assert note == "AVG: the mean of BLS, each weighing the same."


def test_matched_answers_in_or_out():
    """FIND, abstract: 136 of 196 on the cs.CL papers, the 12 known ones left out; Table 5
    with them: 148 of 208."""
    counts = {TWINS[c]: n for c, n in printed_counts().items() if c.startswith("cs.CL")}
    settled = settled_of(counts, matched={"cs.CL-Idnt": 12})
    totals = [
        tuple(scoring.precision(settled, choice)[["real", "answers"]].sum())
        for choice in (True, False)
    ]
    assert totals == [(148, 208), (136, 196)]
    rates = scoring.precision(settled, False)
    notes = grading_tables.precision(rates, "s", include_expected=False).notes
    assert "Answers that the judge matched to the expected inconsistency: out." in notes


def test_answers_without_a_verdict_stay_and_are_said():
    settled = manual.settle(drawn(task=float("nan")), [])
    rates = scoring.precision(settled, include_expected=False)
    assert rates.unjudged.sum() == rates.answers.sum() == 12
    assert any("12 answer(s) without a judge's verdict" in n for n in grading_tables.precision(rates, "s", False).notes)  # fmt: skip


def test_intervals():
    """Wilson's by his formula for 28 of 43; the average's never empty and inside [0, 1]."""
    p, n, z = 28 / 43, 43, 1.959963984540054
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    assert scoring.interval(28, 43) == pytest.approx((middle - half, middle + half))
    assert np.isnan(scoring.interval(0, 0)).all()
    table = grading_tables.with_average(scoring.precision(settled_of({"S-EMP": (9, 0, 9), "S-PRE": (5, 0, 5)})))  # fmt: skip
    average = table[table.source == "AVG"].iloc[0]
    # by hand: the distances to Wilson's upper ends, squared, added, root, over two
    ends = [scoring.interval(0, k)[1] for k in (9, 5)]
    assert average.precision_high == pytest.approx(np.hypot(*ends) / 2)
    assert (average.precision_low, average.usefulness_high) == (0, 1)


def test_a_source_without_grades_is_left_out_of_the_average():
    rates = scoring.precision(settled_of({"S-EMP": (4, 1, 2), "S-PRE": (0, 0, 0)}))
    table = grading_tables.with_average(rates)
    assert table[table.source == "AVG"].precision.tolist() == [0.25]
    shown = grading_tables.precision(rates, "s").shown
    assert shown["P (%)"].tolist()[1] == "–"
    assert "0 of 0" in shown.graded.tolist()


# ---- recall


def test_recall_by_the_judge_and_by_the_graders():
    """Four documents: one recovered, one settled without, one not settled, one failed."""
    documents, answers, responses, grades = small_run(("cs.CL-Idnt",), 4)
    responses.loc[3, "status"] = "refused"
    answers = answers[answers.doc_id != "cs.CL-Idnt-3"]
    grades = grades[grades.doc_id != "cs.CL-Idnt-3"].assign(task=[1, 0, 0, 0, 0, 0])
    sample = manual.sample(documents, answers, responses, grades, ["m"])
    rows = graded(sample.answers, "a", "real", "not", "not", "not", "not", "")
    rows[0] = replace(rows[0], known=True)
    scores = find.scores(responses, grades, "unscored")
    found = scoring.recall(manual.settle(sample, rows), scores).set_index("reading")
    assert found.loc["task", ["documents", "settled", "recovered"]].tolist() == [4, 3, 1]
    assert found.loc["manual", ["documents", "settled", "recovered"]].tolist() == [4, 2, 1]
    assert found.loc["manual", "recall"] == 0.5
    shown = grading_tables.recall_table(found.reset_index(), "sig").shown
    assert shown.kind.tolist()[:2] == ["natural", "natural"]
    assert shown.iloc[-1]["recovered"] == "12 of 25"  # FIND, section 7.2
    best = shown[(shown.model == "sonnet-v4") & (shown.source == "MFR")].iloc[0]
    assert best["recall (%)"] == "11 (se 4.7)"  # FIND, Table H.2: 7 to 11 percent at best


# ---- which sheet, and the one that ships


def test_the_sheet_of_a_run(scratch):
    own = manual.own_sheet("r")
    assert own == scratch / "runs/r/grading/sheet.csv"
    assert manual.own_sheet("r", "data/x.csv") == root() / "data/x.csv"
    assert manual.sheets_of("r", own) == []
    assert manual.sheets_of("r", own, ["/a.csv", "b.csv"]) == [Path("/a.csv"), root() / "b.csv"]
    kept = root() / "data/judgments/sample_manual.csv"
    assert manual.sheets_of("sample", own) == [kept]
    row = replace(drawn().answers[0], grader="me")
    gradesheet.write(own, [row])
    assert manual.sheets_of("sample", own) == [kept]  # nothing graded yet
    gradesheet.write(own, [replace(row, grade="not")])
    assert manual.sheets_of("sample", own) == [own]


def test_the_sheet_that_ships_is_whole():
    """Two graders on the same answers, every disagreement settled, 53 answers (20_inference)."""
    rows = gradesheet.read(root() / "data/judgments/sample_manual.csv")
    by = {
        name: {r.key[:4]: r for r in rows if r.grader == name} for name in {r.grader for r in rows}
    }
    assert set(by) == {"grader-a", "grader-b", AGREED}
    assert by["grader-a"].keys() == by["grader-b"].keys()
    assert len(by["grader-a"]) == 53
    assert all(r.grade for r in rows)
    differ = {
        k
        for k, r in by["grader-a"].items()
        if manual.verdict(r) != manual.verdict(by["grader-b"][k])
    }
    assert differ == by[AGREED].keys()
