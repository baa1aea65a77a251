"""Insertion of inconsistencies. Expected values: arithmetic redone here on the printed cells,
the calendar, and properties that hold for any document."""

import calendar
import json
import re
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from findlib import data, insert, models
from findlib.cache import Cache
from findlib.insert import __main__ as command
from findlib.insert import changes, numbering, source, sums, tables, twins
from findlib.insert.by_model import by_model
from findlib.insert.dataset import dataset, kind_of, report, texts, write
from findlib.paths import FindlibError, root

FOOTING = """# Costs of the Ashford depot

| Item | 2023 | 2022 |
|---|---:|---:|
| Wages | 4,120 | 3,980 |
| Fuel | 1,210 | 1,345 |
| Rent | (365) | (340) |
| Total costs | 4,965 | 4,985 |
"""
HTML = (
    "<table><tr><th>Item</th><th>2023</th></tr><tr><td>Wages</td><td>4,120</td></tr>"
    "<tr><td>Fuel</td><td>1,210</td></tr><tr><td>Rent</td><td>365</td></tr>"
    "<tr><td>Total</td><td>5,695</td></tr></table>\n"
)
LATEX = (
    "\\begin{tabular}{lr}\nItem & 2023 \\\\\nWages & 4{,}120 \\\\\nFuel & 1{,}210 \\\\\n"
    "Rent & 365 \\\\\nTotal & 5{,}695 \\\\\n\\end{tabular}\n"
)
COLUMNS = (
    "                       2023      2022\n\nWages ............    4,120     3,980\n"
    "Fuel .............    1,210     1,345\nRent .............      365       340\n"
    "Total costs ......    5,695     5,665\n"
)
RATES = """| Shop | 2023 | 2022 | Change |
|---|---|---|---|
| North | 1,250 | 1,000 | 25.0% |
| South | 880 | 800 | 10.0% |
| Coast | 504 | 420 | 20.0% |
"""
NOTES = """# Note 1. Basis of Preparation

Text of the first note. See Note 3 for what the firm owes.

# Note 2. Revenue

Revenue is earned by selling lamps to shops.

# Note 3. Debt

The firm owes money to two banks.

# Note 4. Leases

The firm rents a hall.
"""
SMALL = {
    "leaf": FOOTING,
    "total": FOOTING,
    "table_number": FOOTING,
    "table_row": FOOTING,
    "percent_table": RATES,
    "percent_text": "Lamp sales rose 25.0% to $1,250 from $1,000 in the year before.\n",
    "direction": "Lamp sales rose 25.0% to $1,250 from $1,000 in the year before.\n",
    "amount_text": "The Ashford depot cost $47.3 million to build.\n\n"
    "Of its debt, the $47.3 million borrowed for the Ashford depot comes due first.\n",
    "scale": "The Ashford depot cost $47.3 million to build.\n\n"
    "Of its debt, the $47.3 million borrowed for the Ashford depot comes due first.\n",
    "date": "The report was published on Friday, June 16, 2023, at ten.\n",
    "name": "In May the board heard from Ludmila Brzostowska on the depot.\n\n"
    "A year later it asked Ludmila Brzostowska, then retired, for help.\n",
    "reference": NOTES,
    "renumbered": NOTES,
    "sentence": NOTES,
    "list_item": "The firm sells the following three products:\n\n- lamps for homes\n"
    "- bulbs for ships\n- wire for fences\n\nNothing else is sold.\n",
}
REMOVED = ("table_row", "list_item", "sentence")
DIGITS = ("leaf", "total", "table_number", "percent_table", "percent_text", "amount_text")
SAMPLE = sorted((root() / "data/sample/originals").glob("*.md"))


def check(made, original, kind):
    """What holds for every insertion; returns the replaced text and what replaced it."""
    assert made.corrected == original
    start, end = insert.changed(made)
    tail = len(made.text) - end
    old, new = original[start : len(original) - tail], made.text[start:end]
    assert made.text == original[:start] + new + original[len(original) - tail :]
    assert (new == "") == (len(made.text) < len(original)) or kind not in REMOVED
    if kind in REMOVED:
        assert len(old) - len(new) == len(original) - len(made.text) > 0
    else:
        assert 0 < max(len(old), len(new)) <= 20
    if kind in DIGITS:
        assert re.sub(r"\d", "0", old) == re.sub(r"\d", "0", new)
    places = [made.text.index(span) for span in made.evidence]
    assert [made.text.count(span) for span in made.evidence] == [1] * len(places)
    assert places == sorted(places)
    assert made.trigger == made.evidence[-1]
    assert made.description
    assert made.scope in ("short", "long")
    assert made.modality in ("text", "table", "both")
    return old, new


def numbers(line):
    """The numbers of the cells of a printed row, by hand: no grid involved."""
    found = re.findall(r"\(?[\d,{}]*\d(?:\.\d+)?%?\)?(?=\s*(?:\||&|\\\\|</td>|$|\s))", line)
    return [float(re.sub(r"[^\d.]", "", x)) * (-1 if x.startswith("(") else 1) for x in found]


@pytest.mark.parametrize("kind", insert.KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_small_documents(kind, seed):
    made = insert.inconsistency(SMALL[kind], kind, seed)
    check(made, SMALL[kind], kind)
    assert made == insert.inconsistency(SMALL[kind], kind, seed)
    assert made.error_type in ("numeric", "non-numeric", "structural")


@pytest.mark.parametrize("kind", insert.KINDS)
def test_sample_documents(kind):
    """Every kind but `scale` has a place in some of the 20 sample documents."""
    made = 0
    for file in SAMPLE:
        text = file.read_text(encoding="utf-8")
        for seed in (1, 2):
            try:
                document = insert.inconsistency(text, kind, seed, "OWN", "d")
            except FindlibError:
                continue
            check(document, text, kind)
            made += 1
    assert made or kind == "scale"


@pytest.mark.parametrize("kind", insert.KINDS)
def test_business_documents(kind, shared):
    folder = shared / "data/documents/business"
    made = 0
    for name in ("fb_ULTABEAUTY_2023Q1_EARNINGS", "10-Q_NKE_0000320187-23-000052",
                 "nih-clinical-trial-protocols_NCT06152367_Prot_000", "fb_BESTBUY_2024Q2_10Q"):  # fmt: skip
        text = data.read_text(folder / f"{name}.md")
        for seed in range(4):
            try:
                check(insert.inconsistency(text, kind, seed), text, kind)
                made += 1
            except FindlibError:
                break
    assert made >= 4


@pytest.mark.parametrize("text", [FOOTING, HTML, LATEX, COLUMNS])
@pytest.mark.parametrize("kind", ["leaf", "total"])
def test_a_sum_no_longer_holds(text, kind):
    """The printed cells are added up here: exactly one column fails, by more than rounding."""
    for seed in range(60):
        made = insert.inconsistency(text, kind, seed)
        check(made, text, kind)
        for body, fails in ((text, 0), (made.text, 1)):
            rows = re.split(r"\n|</tr>", body)
            named = [next(numbers(x) for x in rows if word in x and numbers(x))
                     for word in ("Wages", "Fuel", "Rent", "Total")]  # fmt: skip
            columns = zip(*named, strict=True)
            assert sum(abs(a + b + c - d) > 2 for a, b, c, d in columns) == fails
        stated = re.search(r"(-?[\d,]+) is stated, but .* = (-?[\d,]+)\.", made.description)
        assert stated
        assert stated[1] != stated[2]


def test_description_shows_the_arithmetic():
    """By hand: 4,120 + 1,210 - 365 = 4,965 stands there before."""
    made = insert.inconsistency(FOOTING, "total", 3)
    assert re.fullmatch(
        r"Total costs: [\d,]+ is stated, but (4,120 \+ 1,210 - 365 = 4,965|"
        r"3,980 \+ 1,345 - 340 = 4,985)\.",
        made.description,
    )


@pytest.mark.parametrize("text", [FOOTING, HTML, LATEX, COLUMNS])
def test_a_removed_row_leaves_a_whole_table(text):
    made = insert.inconsistency(text, "table_row", 1)
    kept = [w for w in ("Wages", "Fuel", "Rent") if w in made.text]
    assert len(kept) == 2
    assert [t.kind for t in source.source(made.text).doc.tables] == [
        t.kind for t in source.source(text).doc.tables
    ]
    assert "a row of" in made.description
    assert len(made.text.splitlines()) == len(text.splitlines()) - (text is not HTML)


def test_a_total_that_comes_first_and_rows_that_add_up_across():
    first = "|Total|48,210|\n|Goods|9,115|\n|Services|39,095|\n"
    assert sums.sums(source.source(first).doc.tables[0])[0].total == (0, 0)
    across = "|U.S.|309|72|381|\n|Canada|148|61|209|\n|Japan|55|33|88|\n"
    found = sums.sums(source.source(across).doc.tables[0])
    assert [(s.axis, s.total) for s in found] == [("row", (r, 2)) for r in range(3)]


def test_no_sum_is_read_into_numbers_that_do_not_add_up():
    text = "|Total employees|12|\n|Shops|3|\n|Years|1998|\n|Net income per share|4.15|\n"
    assert sums.sums(source.source(text).doc.tables[0]) == []


def test_rows_without_a_label_for_it_are_a_sum_only_if_no_column_fails():
    """120 + 230 = 350 and 1,110 + 2,220 = 3,330, but 5 + 6 is not 700."""
    text = "|Lamps|120|1,110|5|\n|Bulbs|230|2,220|6|\n|Goods sold|350|3,330|700|\n"
    assert sums.sums(source.source(text).doc.tables[0]) == []
    agreed = text.replace("|700|", "||")
    assert {s.total for s in sums.sums(source.source(agreed).doc.tables[0])} == {(2, 0), (2, 1)}


def test_percentages_are_read_as_change_and_as_share():
    change = source.source(RATES).all_rates
    assert {r.form for r in change} == {"change"}
    assert [round(r.exact(source.source(RATES).doc.tables[0]), 6) for r in change] == [25, 10, 20]
    shares = "|Net sales|2,000|100.0%|\n|Costs|1,220|61.0%|\n|Rent|420|21.0%|\n|Tax|90|4.5%|\n"
    assert {(r.form, r.old) for r in source.source(shares).all_rates} == {("share", (0, 0))}


@pytest.mark.parametrize(
    ("sentence", "new", "old"),
    [
        ("Sales rose 25% to $1,250 from $1,000.", 1250, 1000),
        ("Sales fell from $1,250 to $1,000, or 20%, in May.", 1000, 1250),
        ("Sales increased 6.1% to $2.6 billion compared to $2.45 billion in 2022.", 2.6e9, 2.45e9),
        ("Sales increased $135 million, or 5.1%, to $2,791 million.", 2791e6, 2656e6),
    ],
)
def test_changes_that_a_sentence_bears_out(sentence, new, old):
    [change] = changes.changes(source.Source(sentence))
    assert (change.new, change.old) == (new, old)


@pytest.mark.parametrize(
    "sentence",
    [
        "Sales rose 35% to $1,250 from $1,000.",  # 25%
        "Sales fell to $1,250 from $1,000.",  # it rose
        "Sales rose to $1,250 from 12 shops.",  # other things
        "Sales and costs rose 25% and 30% to $1,250 and $130, respectively.",
    ],
)
def test_changes_that_a_sentence_does_not_bear_out(sentence):
    assert changes.changes(source.Source(sentence)) == ()


def test_a_direction_word_is_turned_with_its_article():
    text = "The year brought an increase of 25% in sales to $1,250 from $1,000.\n"
    made = insert.inconsistency(text, "direction", 1)
    assert made.text == text.replace("an increase", "a decrease")


def test_a_row_bears_out_a_sentence():
    text = (
        "Marketing costs of the depot increased $135 million during the year.\n\n"
        "| | 2023 | 2022 |\n|---|---|---|\n| Marketing costs | 2,791 | 2,656 |\n| Rent | 9 | 8 |\n"
    )
    made = insert.inconsistency(text, "direction", 1)
    assert "decreased $135" in made.text
    assert made.modality == "both"
    backwards = text.replace("2023 | 2022", "2022 | 2023")  # then it fell
    with pytest.raises(FindlibError, match="no direction word"):
        insert.inconsistency(backwards, "direction", 1)


def test_dates_stay_possible_and_lose_their_weekday():
    for seed in range(20):
        made = insert.inconsistency(SMALL["date"], "date", seed)
        week, day = re.search(r"on (\w+), (\w+ \d+, \d{4})", made.text).groups()
        assert calendar.day_name[datetime.strptime(day, "%B %d, %Y").weekday()] != week


def test_a_wrong_weekday_is_no_place():
    """June 16, 2023 was a Friday."""
    text = SMALL["date"].replace("Friday", "Monday")
    with pytest.raises(FindlibError, match="no date"):
        insert.inconsistency(text, "date", 1)


def test_references_and_numbering():
    made = insert.inconsistency(NOTES, "reference", 1)
    [target] = re.findall(r"See Note (\d+)", made.text)
    assert int(target) > 4
    made = insert.inconsistency(NOTES, "renumbered", 1)
    assert re.findall(r"# Note (\d+)", made.text) != ["1", "2", "3", "4"]
    assert made.text.count("# Note") == 4
    made = insert.inconsistency(NOTES, "sentence", 1)
    assert "Debt" not in made.text
    assert "See Note 3" in made.text


@pytest.mark.parametrize("rest", [" of our annual report", " in the 2022 Form 10-K", " of the Act"])
def test_references_to_other_documents_are_no_place(rest):
    text = NOTES.replace("See Note 3 for what the firm owes", f"See Note 3{rest}")
    assert list(numbering.references(source.Source(text))) == []


def test_contents_lists_are_no_headings():
    text = "Note 1. Basis ........ 3\n| Note 2. Debt | 14 | |\nNote 3. Leases    21\n"
    assert numbering.headings(source.Source(text)) == ()


def test_a_list_without_count_or_numbers_is_no_place():
    with pytest.raises(FindlibError, match="no list"):
        insert.inconsistency("We sell:\n\n- lamps\n- bulbs\n- wire\n", "list_item", 1)


@pytest.mark.parametrize("other", ["Ashford", "Belford"])
def test_the_same_amount_of_another_event_is_no_twin(other):
    """Both speak of $47.3 million and of 12.55%; only a name tells whether of one thing."""
    text = (
        "To build the Ashford depot cost $47.3 million, of which a bank lent 12.55%.\n\n"
        f"To build the {other} depot cost $47.3 million, of which a bank lent 12.55% again.\n"
    )
    found = [t.quantity.printed for t in twins.stated_twice(source.Source(text))]
    assert ("47.3" in found) == (other == "Ashford")


def test_a_label_of_one_common_word_links_no_sentence():
    table = "|Lamps|4,127|3,991|\n\n"
    once = source.Source(table + "Of these, 4,127 lamps were sold.\n\n")
    assert len(twins.stated_twice(once)) == 1
    often = "".join(f"The lamps of hall {i} were lit.\n\n" for i in range(30))
    assert twins.stated_twice(source.Source(once.text + often)) == ()


def test_the_place_is_spread_over_the_document():
    """Nine tables crowd the first tenth and one stands in the last: each tenth gets half."""
    crowd = "\n".join(FOOTING.replace("Ashford", f"A{i}").replace("4,120", f"4,1{i}0").replace(
        "4,965", f"4,9{(45 + 10 * i) % 100:02}") for i in range(1, 6))  # fmt: skip
    filler = "".join(f"Nothing was sold on day {i} at all.\n\n" for i in range(600))
    text = crowd + filler + FOOTING.replace("4,120", "4,133").replace("4,965", "4,978")
    late = sum(
        insert.changed(insert.inconsistency(text, "leaf", seed))[0] > len(text) / 2
        for seed in range(80)
    )
    assert 24 <= late <= 56  # binomial(80, 1/2): outside with p < .001


@pytest.mark.parametrize("kind", insert.KINDS)
@pytest.mark.parametrize("text", ["", "Nothing here can be wrong.\n", "|a|\n|b|\n"])
def test_refusal_says_why(kind, text):
    with pytest.raises(FindlibError, match=rf"^insert: {kind}: the document has no .*; take"):
        insert.inconsistency(text, kind, 1)


def test_unknown_kind_and_source():
    with pytest.raises(FindlibError, match="no kind 'sum'; there are leaf, total"):
        insert.inconsistency("x", "sum", 1)
    with pytest.raises(FindlibError, match="no source 'MINE'"):
        insert.inconsistency("x", "leaf", 1, "MINE")


def test_a_place_whose_evidence_stands_twice_is_refused():
    with pytest.raises(FindlibError, match="evidence that stands only once"):
        insert.inconsistency("\n".join([NOTES, NOTES, NOTES]), "renumbered", 1)


@given(st.text("|1234,.% \nab$()AN-", max_size=300), st.sampled_from(insert.KINDS))
@settings(max_examples=200, deadline=None)
def test_any_text_is_refused_or_gives_a_whole_document(text, kind):
    try:
        made = insert.inconsistency(text, kind, 1)
    except FindlibError:
        return
    check(made, text, kind)


@pytest.fixture
def folder(tmp_path):
    for name, text in SMALL.items():
        (tmp_path / "docs" / "sub").mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / ("sub" if name == "date" else "") / f"{name}.md").write_text(
            text, encoding="utf-8"
        )
    return tmp_path / "docs"


def test_dataset_shares_kinds_and_loads(folder, tmp_path):
    found = dataset(folder, 30, 7, controls=0.2)
    assert (len(found.documents), len(found.controls)) == (24, 6)
    assert {kind_of(d) for d in found.documents} == set(insert.KINDS)
    assert max(found.kinds.values()) - min(found.kinds.values()) <= 2
    assert sum(found.kinds.values()) == 24
    assert len({d.text for d in found.documents}) == 24
    originals = texts(folder)
    assert {c.text for c in found.controls} <= set(originals.values())
    paths = write(found, tmp_path / "out.jsonl")
    assert data.load_find(paths[0]) == list(found.documents)
    assert [p.name for p in paths] == ["out.jsonl", "out.controls.jsonl"]
    assert len(paths[1].read_text(encoding="utf-8").splitlines()) == 6
    again = write(dataset(folder, 30, 7, controls=0.2), tmp_path / "again.jsonl")
    assert [p.read_bytes() for p in again] == [p.read_bytes() for p in paths]
    other = write(dataset(folder, 30, 8, controls=0.2), tmp_path / "other.jsonl")
    assert other[0].read_bytes() != paths[0].read_bytes()
    assert any(d.doc_id.startswith("sub/date.md-date-") for d in found.documents)


def test_dataset_counts_refusals(folder):
    found = dataset(folder, 500, 1, kinds=["scale"])
    assert found.kinds["scale"] == len(found.documents) > 0
    assert sum(found.refused.values()) == len(SMALL) - 2  # two small texts state 47.3 million twice
    assert "scale: the document has no amount" in report(found)


def test_dataset_refuses(folder, tmp_path):
    with pytest.raises(FindlibError, match="no document has a place"):
        dataset({"a": "Nothing."}, 3, 1)
    with pytest.raises(FindlibError, match="no kind 'x'"):
        dataset(folder, 3, 1, kinds=["x"])
    for n, share in ((0, 0.2), (5, 1.0), (5, -0.1)):
        with pytest.raises(FindlibError, match="n must be 1 or more"):
            dataset(folder, n, 1, controls=share)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FindlibError, match="holds no text file"):
        texts(tmp_path / "empty")
    (folder / "bad.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FindlibError, match="not UTF-8"):
        texts(folder)


def test_a_file_too_large_for_the_loader(folder, tmp_path, monkeypatch):
    from findlib.insert import dataset as module

    found = dataset(folder, 15, 7)
    monkeypatch.setattr(module, "MAX_BYTES", 7_000)
    with pytest.raises(FindlibError, match="take N=\\d+ or shorter"):
        write(found, tmp_path / "out.jsonl")
    whole = len(module._lines(found.documents).encode())
    monkeypatch.setattr(module, "MAX_BYTES", whole - 1)
    [path] = write(found, tmp_path / "out.jsonl")
    assert {d.corrected for d in data.load_find(path)} == {""}


def test_command(folder, tmp_path, capsys):
    out = tmp_path / "made.jsonl"
    assert (
        command.main([str(folder), str(out), "--n", "20", "--seed", "3", "--controls", "0.1"]) == 0
    )
    printed = capsys.readouterr().out
    assert "18 with an insertion, 2 unchanged" in printed
    assert len(data.load_find(out)) == 18
    assert command.main([str(tmp_path / "absent"), str(out)]) == 1
    assert capsys.readouterr().err.startswith("error: no such file")
    assert command.main([str(folder), str(tmp_path / "made.txt")]) == 1
    assert "name a .jsonl file" in capsys.readouterr().err


def test_removed_row_leaves_what_shares_its_line():
    text = "| a | 1 | and a glued second row\n| b | 2 |\n"
    assert tables.removed_row(text, "pipe", 0, text.index("and")) is None


RULES = (
    "Members who missed two meetings may not vote in May.\n\nThe hall seats forty people.\n\n"
    "A member may vote in May only if she missed fewer than two meetings.\n"
)


def proposal(**changes):
    """A writer's reply that turns the last rule around."""
    fields = {
        "passage": "only if she missed fewer than two meetings",
        "replacement": "even if she missed two meetings or more",
        "other": "Members who missed two meetings may not vote in May.",
        "description": "Whoever missed two meetings may not vote, and may.",
        "error_type": "non-numeric",
    }
    return json.dumps({**fields, **changes})


def asked(server, spec, replies, text=RULES):
    """Run writer and checker on scripted replies, one request at a time, in order."""
    server.script = [(200, server.completion(reply), {}) for reply in replies]
    one = models.ModelSpec(**{**vars(spec), "concurrency": 1})
    return by_model({"rules": text}, one, one, cache=Cache(recorded=[]))


def test_a_model_writes_and_another_checks(server, spec):
    replies = ["Here it is:\n```json\n" + proposal() + "\n```", "VERDICT: TRUE", "VERDICT: FALSE"]
    found = asked(server, spec, replies)
    assert found.refused == {}
    [made] = found.documents
    assert made.text == RULES.replace("only if she missed fewer than", "even if she missed").replace(
        "missed two meetings.\n", "missed two meetings or more.\n")  # fmt: skip
    assert made.evidence == (
        "Members who missed two meetings may not vote in May.",
        "even if she missed two meetings or more",
    )
    assert made.corrected == RULES
    written, changed, unchanged = [body["messages"][1]["content"] for body, _ in server.requests]
    assert RULES in written
    assert "even if she missed" in changed
    assert "only if she missed" in unchanged
    for content in (changed, unchanged):  # the checker is not told what was changed
        assert "Whoever missed" not in content
        assert "Members who missed two meetings" in content


@pytest.mark.parametrize(
    ("replies", "why"),
    [
        (["I cannot."], "writer: not the JSON"),
        (["{"], "writer: not the JSON"),
        ([proposal(error_type="numeric")], "writer: not the JSON"),
        ([proposal(passage="missed")], "writer: passage does not stand once in the document: 'missed'"),
        ([proposal(other="Members may vote.")], "does not stand once in the document: 'Members may"),
        ([proposal(other="missed fewer than two meetings.")], "writer: the two passages overlap"),
        ([proposal(replacement=" ")], "writer: the replacement is empty"),
        ([proposal(replacement="x" * 400)], "far longer than the passage"),
        ([proposal(replacement="only if she missed fewer than two meetings")], "nothing is changed"),
        ([proposal(description="")], "writer: no description"),
        ([proposal(), "VERDICT: FALSE", "VERDICT: FALSE"], "checker: no contradiction"),
        ([proposal(), "VERDICT: TRUE", "VERDICT: TRUE"], "checker: the unchanged passages"),
        ([proposal(), "VERDICT: TRUE", "I am not sure."], "checker: no verdict"),
    ],
)  # fmt: skip
def test_what_a_model_writes_is_refused_with_a_reason(server, spec, replies, why):
    found = asked(server, spec, replies)
    assert found.documents == ()
    assert re.search(why, found.refused["rules"])


def test_a_long_text_is_shown_in_windows_spread_by_seed(server, spec):
    small = models.ModelSpec(**{**vars(spec), "max_input_tokens": 900})
    text = "".join(f"Rule {i} says that door {i} stays shut.\n" for i in range(400))
    server.default = (200, server.completion("none"), {})
    for seed in range(6):
        by_model({"long": text}, small, small, seed, Cache(recorded=[]))
    starts = {
        text.index(re.search(r"<document>\n(.*)\n", body["messages"][1]["content"])[1])
        for body, _ in server.requests
    }
    assert len(starts) >= 4


def test_a_paid_writer_is_quoted_not_asked():
    paid = models.get("gpt-5")
    with pytest.raises(FindlibError, match="not sent, for it costs money: 1 request"):
        by_model({"rules": RULES}, paid, paid, cache=Cache(recorded=[]))


def test_command_with_models(folder, tmp_path, capsys):
    words = [str(folder), str(tmp_path / "w.jsonl"), "--writer", "gpt-5", "--checker"]
    assert command.main([*words, "gpt-5"]) == 1
    assert "a --checker that is not the writer" in capsys.readouterr().err
    assert command.main([*words, "gpt-4.1"]) == 1
    assert "not sent, for it costs money" in capsys.readouterr().err
