"""The metric validation: judgments, what is set aside, areas and the judge's agreement.

Nobody's judgment is invented here: the answers of the constructed run are right or wrong by
construction (the reference's own spans, changed; or another document's).
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from findlib import data, description, find, judge, models, runner, tables, validation
from findlib.cache import Cache
from findlib.figures import write
from findlib.parsing import parse_response
from findlib.paths import FindlibError
from findlib.records import Answer, reference
from findlib.validation import agreement_tables, curves

HEAD = "doc_id,model,evidence_ok,description_ok,digest,judge_ok,note\n"


def judgments_file(folder, text):
    path = folder / "judgments.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_judgments_are_read_with_and_without_the_optional_columns(tmp_path):
    path = judgments_file(tmp_path, HEAD + 'd1,m,1,0,abc,,"why, in\ntwo lines"\nd2,m, 0 ,1,,1,\n')
    found = validation.load_judgments(path)
    assert found.evidence_ok.tolist() == [1, 0]
    assert found.description_ok.tolist() == [0, 1]
    assert found.note[0] == "why, in\ntwo lines"
    assert np.isnan(found.judge_ok[0])
    assert found.judge_ok[1] == 1
    short = judgments_file(tmp_path, "\ufeffmodel,doc_id,description_ok,evidence_ok\nm,d1,1,1\n")
    assert validation.load_judgments(short).digest.tolist() == [""]
    assert validation.load_judgments(judgments_file(tmp_path, HEAD)).empty


@pytest.mark.parametrize(("text", "said"), [
    ("", "line 1: lacks ['doc_id'"),
    ("doc_id,model,evidence_ok\n", "line 1: lacks ['description_ok']"),
    (HEAD.replace("note", "remark"), "line 1: has ['remark']"),
    (HEAD.replace("note", "digest"), "a column twice"),
    (HEAD + "d1,m,2,0,,,\n", "line 2: evidence_ok is '2'; write 1 or 0"),
    (HEAD + "d1,m,1,,,,\n", "line 2: description_ok is ''"),
    (HEAD + "d1,m,1,1,,yes,\n", "line 2: judge_ok is 'yes'"),
    (HEAD + ",m,1,1,,,\n", "line 2: doc_id is empty"),
    (HEAD + "d1,m,1,1,,,\nd1,m,0,1,,,\n", "line 3: 'd1' of 'm' was judged in line 2"),
    (HEAD + "d1,m,1\n", "line 2: another number of cells"),
    (HEAD + "d1,m,1,1,,,a,b\n", "line 2: another number of cells"),
    (HEAD + 'd1,m,1,1,,,"open\n', "not CSV"),
    (HEAD.encode() + b"d1,m,1,1,,,\xff\n", "is not UTF-8"),
])  # fmt: skip
def test_what_is_wrong_with_a_judgments_file_is_one_line(tmp_path, text, said):
    with pytest.raises(FindlibError) as caught:
        validation.load_judgments(judgments_file(tmp_path, text))
    assert said in str(caught.value)
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_judgments_file_that_is_not_there():
    with pytest.raises(FindlibError, match="no such file"):
        validation.load_judgments("data/judgments/none.csv")


def run_of(documents, replies, metric="rouge2"):
    """responses, answers and grades of (doc_id, model, reply or status) triples."""
    about = {"window": 0, "start": 0, "end": 9, "input_tokens_cut": 0}
    responses = [
        runner.Response({"doc_id": doc_id, **about}, model, "key",
                        *(("ok", reply) if "<" in reply else (reply,)))
        for doc_id, model, reply in replies
    ]  # fmt: skip
    answers = find.answers_table(responses, documents)
    grades = find.grade(answers, documents, description.metric(metric).score)
    grades = judge.add_verdicts(grades, answers, documents, None)
    return find.responses_table(responses, documents), answers, grades


def told(*answers):
    return "".join(
        "<answer>" + "".join(f"<evidence>{s}</evidence>" for s in a.evidence)
        + f"<description>{a.description}</description></answer>" for a in answers
    ) or "<answer></answer>"  # fmt: skip


def marks(*rows):
    columns = [*validation.COLUMNS, "digest", "judge_ok"]
    found = pd.DataFrame(rows, columns=columns).assign(note="")
    return found.astype(dict.fromkeys(validation.VERDICTS, float))


def test_what_is_set_aside_and_what_is_judged(document):
    """Each of the four kinds, and the judged answer by find.best_answer's rule."""
    exact = reference(document)
    backwards = Answer(exact.evidence[::-1], "the spans the other way round")
    part, other = Answer(["profit was 8"], "first"), Answer(["May"], "x")
    tied = Answer(["profit was 8"], "second")
    replies = {
        "a": told(), "b": "<answer><evidence>May</evidence></answer>", "c": "refused",
        "d": told(other, backwards), "e": told(other, part, tied), "f": told(other),
    }  # fmt: skip
    responses, answers, grades = run_of([document], [("d1", m, r) for m, r in replies.items()])
    given = marks(
        ("d1", "a", 1, 1, "", np.nan), ("d1", "e", 1, 0, validation.digest(part), np.nan),
        ("d1", "f", 1, 0, "0" * 12, np.nan), ("d1", "d", 1, 1, "", 0), ("d9", "e", 0, 0, "", np.nan),
    )  # fmt: skip
    table = validation.responses_judged([document], responses, answers, grades, given)
    found = table.set_index("model")
    assert found.kind.to_dict() == {"a": "no answer", "b": "no answer", "c": "failed",
                                    "d": "exact", "e": "scored", "f": "scored"}  # fmt: skip
    assert found.judged.to_dict() == {"a": "stale", "b": "no", "c": "no", "d": "yes", "e": "yes",
                                      "f": "stale"}  # fmt: skip
    for model in "def":
        assert found.predicted[model] == find.best_answer(answers, grades, "d1", model).description
    assert found.predicted["e"] == "first"
    assert (found.right["e"], found.right["d"]) == (0, 0)  # 1 and 0; judge_ok wins over 1 and 1
    assert np.isnan(found.evidence_ok["f"])
    assert validation.counts(table) == {"responses": 6, "no answer": 2, "exact": 1, "failed": 1,
                                        "scored": 2, "judged": 1, "not judged": 0,
                                        "stale": 1}  # fmt: skip
    assert validation.to_score(table).model.tolist() == ["e"]
    assert not validation.against_rule(table)
    against = marks(("d1", "d", 0, 1, "", np.nan))
    table = validation.responses_judged([document], responses, answers, grades, against)
    assert validation.against_rule(table) == 1
    assert any("against the rule" in n for n in agreement_tables.notes(table, "evidence_ok"))


def test_a_digest_changes_with_any_span_or_the_description():
    one = Answer(["ab", "c"], "d")
    others = [Answer(["a", "bc"], "d"), Answer(["ab"], "c d"), Answer(["c", "ab"], "d")]
    assert len({validation.digest(a) for a in [one, *others]}) == 4
    assert validation.digest(one) == validation.digest(Answer(("ab", "c"), "d", score=0.5))


@pytest.fixture(scope="module")
def constructed():
    """Two answers a document: a right one and a wrong one, by construction.

    Right ("near"): the reference's spans and their next six characters, its description
    without the last word; in every fourth document each span miscopied in one character.
    Wrong ("far"): the spans and description of the next document.
    """
    documents = data.load_find("data/sample")
    replies, rows = [], []
    for number, document in enumerate(documents):
        after = documents[(number + 1) % len(documents)]
        spans = []
        for span in document.evidence:
            end = document.text.index(span) + len(span)
            longer = document.text[end - len(span) : end + 6].strip()
            spans.append("#" + longer[1:] if number % 4 == 0 else longer)
        near = Answer(spans, document.description.rsplit(" ", 1)[0])
        for model, answer in (("near", near), ("far", reference(after))):
            replies.append((document.doc_id, model, told(answer)))
            found = parse_response(replies[-1][2], document.text).answers[0]
            side = int(model == "near")
            rows.append((document.doc_id, model, side, side, validation.digest(found), np.nan))
    responses, answers, grades = run_of(documents, replies)
    given = marks(*rows)
    table = validation.responses_judged(documents, responses, answers, grades, given)
    metrics = [description.metric(name) for name in description.available()]
    return validation.add_descriptions(table, metrics), metrics


def test_evidence_areas_are_those_worked_by_hand(constructed):
    """20 right and 20 wrong answers. Another document's spans are not in this one, so strict is
    0 for all wrong answers and for the 5 miscopied right ones, above 0 for the other 15:
    (15 * 20 + 5 * 20 / 2) / 400 = 7/8. Lenient reads the miscopied ones: 1."""
    table, _ = constructed
    assert validation.counts(table)["judged"] == 40
    assert (table.evidence[table.evidence_ok == 0] == 0).all()
    assert (table.evidence == 0).sum() == 25
    found = agreement_tables.evidence(table, "s")
    values = found.values.set_index("metric")
    assert values.auc.to_dict() == {"strict": 7 / 8, "lenient": 1.0}
    assert values.auc["strict"] == roc_auc_score(table.evidence_ok, table.evidence)
    assert values.low["strict"] < 7 / 8 < values.high["strict"]
    shown = found.shown.set_index("metric")
    assert shown.loc["strict", "AUC"].tolist() == ["0.875", "0.884"]  # this run, printed
    assert shown.loc["lenient", "AUC"].tolist() == ["1.000", "0.909"]
    assert shown.loc["lenient", "95% interval"].tolist()[0] == "–"  # it would have no width
    assert any("clustered by document" in note for note in found.notes)


def test_description_areas_and_the_rows_of_what_is_not_at_hand(constructed):
    """Against scikit-learn; right descriptions are the reference's but for a word."""
    table, metrics = constructed
    found = agreement_tables.descriptions(table, metrics, "s")
    values = found.values.set_index("metric")
    assert values.index.tolist() == list(description.METRICS)
    for metric in metrics:
        own = roc_auc_score(table.description_ok, table[metric.name])
        assert values.auc[metric.name] == pytest.approx(own)
        assert metric.name == "bleurt" or own > 0.95
    shown = found.shown[found.shown.origin == "this run"].set_index("metric")
    absent = set(description.METRICS) - {m.name for m in metrics}
    assert set(shown.index[shown.AUC == "not at hand"]) == absent
    printed = found.shown[found.shown.origin == tables.PRINTED].set_index("metric").AUC
    assert printed.to_dict() == {"bleurt": "0.888", "rouge2": "0.862", "bleu": "0.777"}
    assert all(values.n_scored[name] == 0 and np.isnan(values.auc[name]) for name in absent)


def test_curves_hold_every_threshold_and_name_the_area(constructed, tmp_path):
    table, metrics = constructed
    drawn = curves.evidence_curves(table, "sig")
    strict = drawn.values[drawn.values.metric == "strict"]
    assert strict[["fpr", "tpr"]].to_numpy().tolist()[0] == [0, 0]
    assert strict[["fpr", "tpr"]].to_numpy().tolist()[-2:] == [[0, 0.75], [1, 1]]  # at 0: the rest
    labels = [t.get_text() for t in drawn.drawn.axes[0].get_legend().get_texts()]
    assert labels == ["strict (0.875)", "lenient (1.000)"]
    assert "20 right, 20 wrong" in drawn.caption
    described = curves.description_curves(table, metrics, "sig")
    assert set(described.values.metric) == {m.name for m in metrics}
    for figure in (drawn, described):
        assert write(figure, tmp_path).is_file()


def test_one_class_only_is_said_and_nothing_is_invented(constructed, tmp_path):
    table, metrics = constructed
    wrong = table[table.model == "far"]
    for found in (agreement_tables.evidence(wrong, "s"),
                  agreement_tables.descriptions(wrong, metrics, "s")):  # fmt: skip
        assert found.values.auc.isna().all()
        assert any("all 20 judged answers are wrong" in note for note in found.notes)
        shown = found.shown[found.shown.origin == "this run"]
        assert set(shown.AUC) <= {"not defined", "not at hand"}
        assert tables.markdown(found)
        assert tables.latex(found)
    figure = curves.evidence_curves(wrong, "sig")
    assert figure.values.empty
    assert "all 20 judged answers are wrong" in figure.caption
    assert write(figure, tmp_path).is_file()
    nobody = agreement_tables.evidence(table.assign(judged="no"), "s")
    assert any("no answer is judged" in note for note in nobody.notes)
    few = agreement_tables.classes(table.iloc[:6], "evidence_ok")
    assert few[0].startswith("3 right and 3 wrong answers")


def test_numbers_to_state_are_those_that_are_defined(constructed):
    table, metrics = constructed
    found = agreement_tables.numbers(table, agreement_tables.evidence(table, "s"))
    assert found["strict.auc"] == 7 / 8
    assert found["lenient.mean_wrong"] < found["lenient.mean_right"]
    assert found["judged"] == 40
    wrong = table[table.model == "far"]
    stated = agreement_tables.numbers(wrong, agreement_tables.descriptions(wrong, metrics, "s"))
    assert not any("auc" in key or "right" in key for key in stated)
    assert not any(np.isnan(value) for value in stated.values())


def test_the_judges_agreement_is_counted_and_its_kappa_is_scikit_learns(constructed):
    """The stand-in says TRUE from strict .5 on; the verdicts of three answers are missing."""
    table, _ = constructed
    table = table.assign(task=(table.evidence >= 0.5).astype(float))
    table.loc[table.index[:3], "task"] = float("nan")
    found = agreement_tables.judge(table, "the stand-in", "s")
    values = found.values.set_index("answers of")
    rest = table[table.task.notna()]
    assert values.n.to_dict() == {"near": 18, "far": 19, "all": 37}
    assert values.n_judged["all"] == 40
    assert values.kappa["all"] == pytest.approx(cohen_kappa_score(rest.task, rest.right))
    assert np.isnan(values.loc["far", ["kappa", "low", "high"]].astype(float)).all()
    cells = values.loc["all", ["both_right", "judge_only", "hand_only", "both_wrong"]].tolist()
    assert cells == [int(((rest.task == t) & (rest.right == r)).sum())
                     for t, r in ((1, 1), (1, 0), (0, 1), (0, 0))]  # fmt: skip
    assert sum(cells) == 37
    assert found.shown["Cohen's kappa"].tolist()[1:] == ["not defined", f"{values.kappa['all']:.2f}",
                                                         "0.96"]  # fmt: skip
    assert "the stand-in" in found.notes[0]


def test_the_judgments_of_the_sample_are_of_the_answers_recorded_with_it():
    """Every row is of a model's best answer as it is, and no response is left without one."""
    documents = data.load_find("data/sample")
    given = validation.load_judgments("data/judgments/sample.csv")
    names = list(dict.fromkeys(given.model))
    asked = [r for spec in models.several(names) for r in find.requests(documents, spec)]
    responses = runner.run(asked, Cache())
    answers = find.answers_table(responses, documents)
    grades = find.grade(answers, documents, description.metric("rouge2").score)
    found = validation.responses_judged(
        documents, find.responses_table(responses, documents), answers, grades, given
    )
    scored = found[found.kind == "scored"]
    assert scored.judged.eq("yes").all()
    assert given.digest.str.len().eq(12).all()
    assert found.judged.eq("yes").sum() == len(given)  # no row of another answer
