"""Checks of text and references on sentences written for these tests; sums worked by hand."""

import time

import pytest

from findlib.checks import doc
from findlib.checks.arithmetic import chains
from findlib.checks.prose import one_digit, quantities, sentences
from findlib.checks.text_kinds import KINDS_TEXT


def findings(text, *kinds):
    """The findings of the kinds named, else of all that are on, best first."""
    read = doc.read(text)
    names = kinds or [name for name, kind in KINDS_TEXT.items() if kind.default_on]
    found = [answer for name in names for answer in KINDS_TEXT[name].check(read)]
    for answer in found:
        assert [text[a:b] for a, b in answer.places] == answer.evidence
        assert list(answer.places) == sorted(answer.places)
        assert answer.kind in KINDS_TEXT
        assert 0 < answer.score < 1
    return sorted(found, key=lambda a: -a.score)


# kind, text, a piece of the description with the value worked by hand
STATED = [
    ("equation", "We get 3 x .0173 = .519 for it.", "0.0519"),
    ("equation", r"So $0.72 \times 275 = 189$ jurors.", "198"),
    ("equation", r"$Z = \frac{205 - 198}{\sqrt{198}} = 0.05$", "0.497"),
    ("equation", "Here 100% - 38.5% = 62.5% remain.", "0.615"),
    ("equation", "The mean is (4 + 5 + 6) / 3 = 6 points.", "is 5,"),
    ("equation", "There are 12 (= 5 + 8) cases.", "13"),
    ("equation", "Then 2^5 = 36 ways exist.", "32"),
    ("equation", "As 4 plus 9 equals 14, we stop.", "13"),
    ("equation", r"$SE = \sqrt{\frac{0.25 (1 - 0.25)}{100}} = 0.053$", "0.0433"),
    ("equation", r"$\binom{5}{2} = 12$ pairs", "10"),
    ("equation", r"&= 500 + 505 + \text{44,405} \\ &= 46,410", "45410"),
    ("multiple", "The left tail is 0.0427. Doubling it gives 0.0845 for both.", "0.0854"),
    ("multiple", "Half of 38.4 is 19.7 by this count.", "19.2"),
    ("multiple", "The rate of 12.5 doubled to 26 by the end.", "25"),
    ("stated_share", "The jury rejected 17 of 3,140 entries (less than 0.05%) at once.", "0.541%"),
    ("stated_share", "Of them 58/668 (9.7%) had it.", "8.68%"),
    ("stated_share", "That was 41% (16 of 42) of the plots.", "38.1%"),
    ("stated_share", "We saw 12 (30%) of the 50 cows.", "24%"),
    ("stated_share", "Three of the five (50%) wells failed.", "60%"),
    ("stated_share", "About 17 out of 20 farms, or 75%, agreed.", "85%"),
    ("whole_people", "46.3% of the 40 participants answered yes.", "18.52"),
    ("interval", "The odds were high (OR = 2.4, 95% CI 2.6 to 4.1).", "outside"),
    ("interval", "It was so (OR = 2.4, 95% CI: 1.6-0.9).", "runs from 1.6"),
    ("interval", "We found HR = 1.3, 95% CI 0.9 to 1.8, p = 0.01 in all.", "holds 1"),
    ("midpoint", "The interval is 0.82 ± 0.02 (0.80, 0.86).", "0.84"),
    ("midpoint", "with a midpoint of 45 in the range of 30 to 50", "40"),
    ("fractions", "Of all, 40/200 left, 95/200 stayed and 61/200 wavered.", "196"),
    ("parts", "We paid a total of $279 million through dividends of $200 million and repurchases of $89 million.", "289"),
    ("from_to", "Sales rose 12% to $63 million from $60 million.", "+5.00%"),
    ("from_to", "Margin rose 210 basis points to 40.0% from 38.9%.", "110"),
    ("from_to", "Rents were $8.7 billion, an increase of 13% compared to $8.4 billion.", "+3.57%"),
    ("direction", "Research expense decreased to $61.3 million from $58.8 million.", "2.5 million"),
    ("direction", "Profit fell from $40 million to $44 million.", "4 million"),
    ("weekday", "The fair opened on Monday, June 4, 2024.", "Tuesday"),
    ("impossible_date", "It ended on February 30, 2023.", "28 days"),
    ("backwards", "The lease ran from May 3, 2021 through April 30, 2021.", "before"),
    ("range_count", "the 12 ports (port3 - port15) are open", "are 13"),
    ("remainder", "Of the 426 plots, 40 were oak, 16 were ash and the remaining 360 were bare.", "416"),
    ("sample_size", "We took one tree each (N = 588). Of these 58/568 were ash.", "588"),
    ("in_all", "We lost three in May, two in June, two in July, nine in August: seventeen in all.", "16"),
    ("swapped", "If 97.54% of them lived, then 100% less the 97.45% is small.", "swapped"),
]  # fmt: skip

FINE = [
    "In all 46 of 184 sites (25%) were dry.",
    "The sum 3 x .0173 = .052 is small.",
    "Scores 1 - 3 = 5 points. On the clock 7 + 8 = 3 (mod 12).",
    r"$x + 3 \times 4 = 20$ and $f(3) = 4 \times 2 = 8$ and $z = (x - 3)/2 = 1.5$ and $3\sigma = 6$",
    r"$\alpha + 3 = 4$, $x_1 + 3 = 7$, $P(A) = 0.3 + 0.2 = 0.5$, $\sin 30 \times 2 = 1$",
    "We have 1/3 = .33 = 33% and 58/668 = 8.7 percent.",
    "Higher dividend payments of $2,205 million in 2023 compared to $2,018 million in 2022.",
    "Net loss of $5 million increased from net income of $7 million.",
    "Sales rose 5.0% to $3.3 billion compared to $3.1 billion.",
    "Twice the 0.0853 is 0.1706, half of 38.4 is 19.2.",
    "The interval 0.82 ± 0.02 is (0.80, 0.84), OR = 2.4 (95% CI 1.6 to 3.9, p < 0.001).",
    "Rule 13a-14(a) and clauses (i) and (iii) apply; see (b) above.",
    "On Tuesday, June 4, 2024 and on 29 February 2024 it rained.",
    "In Level 3 years: (a) one; (b) two; and (c) three.",
    "47.5% of the 40 participants answered yes.",
]


@pytest.mark.parametrize(("kind", "text", "piece"), STATED, ids=lambda x: str(x)[:40])
def test_what_is_stated_wrongly_is_found_with_its_arithmetic(kind, text, piece):
    assert piece in next(a for a in findings(text, kind)).description


@pytest.mark.parametrize("text", FINE)
def test_what_is_right_or_no_arithmetic_gives_nothing(text):
    assert findings(text) == []


TABLE = """(in millions)

|  | 2024 | 2023 |
|---|---|---|
| Sales and marketing | 2,791 | 2,656 |
| Patrol expense | 1,322 | 1,410 |
| Effective tax rate | 14.9% | 18.2% |

"""


def test_a_change_against_its_row():
    """1,410 - 1,322 = 88 down; 2,791 - 2,656 = 135 up, 5.1%."""
    fine = "In 2024, sales and marketing increased $135 million, or 5.1%, because of fairs."
    assert findings(TABLE + fine) == []
    turned = findings(TABLE + "In 2024, patrol expense increased $88 million because of ice.")
    assert [a.kind for a in turned] == ["table_direction"]
    other = findings(TABLE + "In 2024, sales and marketing increased $135 million, or 8.1%, again.")
    assert [a.kind for a in other] == ["table_change"]
    assert "+5.08%" in other[0].description


def test_a_level_one_digit_off_its_row():
    """The row has 14.9 and 18.2; the sentence has 18.2 and a swapped 19.4, then a right one."""
    text = "The effective tax rate was 19.4% for 2024, compared to 18.2% for 2023."
    assert [a.kind for a in findings(TABLE + text)] == ["level_row"]
    assert findings(TABLE + text.replace("19.4", "14.9")) == []


def test_a_scale_that_is_stated_otherwise():
    text = "The sales and marketing cost of $2,791 billion was high."
    assert [a.kind for a in findings(TABLE + text)] == ["other_scale"]
    assert findings(TABLE + text.replace("billion", "million")) == []


TWICE = (
    "On April 12, 2023, the board of the Harrow ferry approved a new pier costing up to $3.4 million "
    "in the northern harbour basin.\n\nMuch else was said.\n\n"
)


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [("April 12", "April 21", "same_event_date"), ("$3.4 million", "$3.9 million", None)],
)
def test_one_event_told_twice(old, new, kind):
    """A date in one part; a number of two digits is too short to tell."""
    found = findings(TWICE + TWICE.replace(old, new))
    assert [a.kind for a in found] == ([kind] if kind else [])


NOTES = """# Notes

### Note 1. Basis of presentation

Plain text. See Note 5, "Income Taxes", for rates. More is in Note 9. See Note 12 of our 2023 Form 10-K.

### Note 2. Discontinued operations

A unit was sold.

| NOTE 3 - DEBT |
|---|

Debt is described here.

### Note 4. Leases

Leases run for years.

### Note 6. Income taxes

The rate was low.

### Note 7. Segments

There are two.
"""


def test_notes_with_a_gap_and_references_to_what_is_not_there():
    """Gap at 5; Note 9 missing; the title of Note 5 is Note 6's; Note 12 is another document's."""
    found = findings(NOTES)
    assert {a.kind for a in found} == {"heading_sequence", "missing_target", "other_title"}
    assert not any("12" in span for a in found for span in a.evidence)
    assert any("5 is missing" in a.description for a in found)
    mended = NOTES.replace("Note 5,", "Note 6,").replace("Note 9", "Note 4")
    mended = mended.replace("Note 6. I", "Note 5. I").replace("Note 7. S", "Note 6. S")
    assert findings(mended.replace('Note 6, "Inc', 'Note 5, "Inc')) == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("heading_sequence", "## 1. Aims\n\nx\n\n## 2. Means\n\nx\n\n## 9. Ends\n\nx\n\n## 4. More\n\nx\n"),
        ("list_sequence", "Do this:\n\n1. wash\n2. rinse\n4. dry\n"),
        ("inline_sequence", "It needs (a) a pot, (b) a lid, and (d) a fire, as said."),
        ("parent", "## W4.1 Doors\n\n* **4.1.1** Oak.\n* **4.1.2** Ash.\n\n## W4.2 Locks\n\n* **4.1.1** Brass.\n* **4.1.2** Iron.\n"),
        ("label_sequence", "|**KX1** - KX 1 is low.|\n|**KX2** - KX 2 is middling.|\n|**KX4** - KX 3 is high.|\n"),
        ("missing_step", "Do so.\n\n. Fill.\n\n. Boil.\n\n. Pour.\n\nThe heat of step 0 matters; step 2 less.\n"),
        ("list_length", "It has these four parts:\n\n* a hull\n* a mast\n* a sail\n\nThat is all.\n"),
        ("enumeration", "There are four regions: North, South and East."),
        ("all_of", "A view of all 32 qxrtcnt cells is kept.\n\nIt copies the 29 qxrtcnt cells.\n"),
        ("name_slip", "The Harwell Ferry Board met. The Harwell Ferry Board sat. Then Harwill Ferry Board rose."),
        ("odd_member", "Zq39, Zq48 and Zq57. " * 5 + "But Zq39, Zq38 and Zq57 count."),
        ("name_year", "It meets the Harbour Safety Top Ten 2017 in full. As the Harbour Safety Top Ten 2018 is bare, more is due."),
        ("two_expansions", "The Marine Rescue Board (MRB) sat. The Mutual Rescue Board (MRB) rose."),
        ("caption_term", "The Vessel Safety Level (VSL) counts.\n\nTable 2 sums up each operator safety level.\n\n**Table 2. VSL requirements**\n"),
    ],
)  # fmt: skip
def test_structure_and_names(kind, text):
    assert kind in {a.kind for a in findings(text, kind)}


@pytest.mark.parametrize(
    "text",
    [
        "## 1. Aims\n\nx\n\n## 2. Means\n\nx\n\n## 3. Ends\n\nx\n",
        "1. wash\n2. rinse\n3. dry\n\nOr:\n\n1. wait\n2. go\n",
        "It needs (a) a pot, (b) a lid, and (c) a fire. Section 4(d) applies, and (i) and (ii).",
        "It has these three parts:\n\n* a hull\n  * oak\n* a mast\n* a sail\n\nThat is all.\n",
        "There are three regions: North, South and East. The last three months: May, June.",
        "The Harwell Ferry Board met; other Ferry Boards and the Harwell Ferries Board did not.",
        "The Top Ten 2017 was replaced by the Top Ten 2018.",
    ],
)
def test_structure_in_order_gives_nothing(text):
    assert findings(text) == []


def test_a_table_sought_under_another_number():
    text = (
        "**Table 1. Ships**\n\n|Ship|Tons|\n|---|---|\n|Ann|200|\n|Bea|310|\n\n"
        "**Table 2. Harbour dues**\n\n|Due|Cost|\n|---|---|\n|Pilot boarding|12|\n|Night mooring|31|\n\n"
        "The charge for night mooring in Table 1 is high.\n"
    )
    assert [a.kind for a in findings(text, "other_table")] == ["other_table"]
    assert findings(text.replace("in Table 1", "in Table 2"), "other_table") == []


def test_an_average_beside_its_total_and_count():
    """520,000,000 / 24,874 = 20,905.36; 20,095 has two digits of it swapped."""
    text = (
        "The pool holds 24,874 boat contracts with an aggregate contract balance of $520.00 million.\n\n"
        "|  | Pool |\n|---|---|\n| Average contract balance | 20,095 |\n| Boats | 24 |\n"
    )
    assert [a.kind for a in findings(text, "average")] == ["average"]
    assert findings(text.replace("20,095", "20,905"), "average") == []


def test_members_of_a_chain_stand_for_intervals():
    """.0173 stands for .01725 to .01735, so three times it for .05175 to .05205."""
    left, right = next(chains("3 x .0173 = .052"))
    assert (round(left.worth.low, 5), round(left.worth.high, 5)) == (0.05175, 0.05205)
    assert right.is_number


def test_a_comma_after_a_number_is_not_part_of_it():
    found = quantities("$1,000, or 20%", 0, 14)
    assert [(q.value, q.kind) for q in found] == [(1000.0, "money"), (20.0, "percent")]
    assert one_digit(1900.0, found[0])
    assert not one_digit(1990.0, found[0])


def test_a_document_without_a_line_break_is_cut_into_sentences():
    text = "Sales rose 5%. Costs of U.S. stores fell in May. " * 2000
    assert len(sentences(doc.read(text))) == 4000


HOSTILE = ["1,", "(1) a, ", "1 + 1 = 2 ", "\\frac{", "increased 5% to $3 million from $2 million and ",
           "Note 5 ", "N = 123 ", "three of the following ", "| ", "\n", "- ", "1.1.1 ", "((", "1% "]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_megabyte_of_anything_is_read_in_linear_time(piece):
    """Ten times the text takes at most some twenty times as long (cubic would be a thousand)."""
    seconds = []
    for size in (20_000, 200_000):
        read = doc.read(piece * (size // len(piece)))
        start = time.process_time()
        for kind in KINDS_TEXT.values():
            kind.check(read)
        seconds.append(time.process_time() - start)
    assert seconds[1] < 20 * max(seconds[0], 0.2)


def test_nothing_in_nothing():
    assert findings("") == findings("\n") == findings("\ufeff\x00") == []
